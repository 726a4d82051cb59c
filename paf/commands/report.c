// SPDX-License-Identifier: MIT
//
// `paf report`: the figures of a run, as text, as JSON and as CSV.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "iotree/findings.h"
#include "iotree/overview.h"
#include "iotree/simulate.h"
#include "paf/commands/report.h"
#include "paf/say/numbers.h"
#include "profiler/profile.h"
#include "profiler/samples.h"
#include "profiler/statistics.h"

#define MOST_PROCESSORS 1000000000u

static const char help[] =
    "usage: paf report [OPTION...] FILE.paf\n"
    "What makes the run slow: places in the program, each with what the run would take without it\n"
    "and the edit to make. Then work, span, parallelism; what each module did and waited for; the\n"
    "critical path; who waits for whom; aliases that come later than they need to.\n"
    "\n"
    "  -p, --partition P  modules, as NAME=p/2,q/3 NAME2=r/1 ... (x=#12: the goal numbered 12),\n"
    "                     or a file of such lines\n"
    "      --all          findings that save less than 5 %, too, and more than five\n"
    "      --classes      what the run would take without each class of reads on the critical path\n"
    "                     (for paf whatif --without)\n"
    "      --no-what-if   only figures: no findings and nothing else about what a change would\n"
    "                     bring; takes less time and memory\n"
    "      --processors P findings with what they save on P processors instead of unlimited ones\n"
    "      --json         everything as JSON\n"
    "      --csv          everything as tables of comma-separated values\n"
    "      --raw          with --csv: texts that begin with = + - or @ stay as they are; otherwise\n"
    "                     they begin with an apostrophe, so that no spreadsheet computes them\n"
    "      --clock CLOCK  real or virtual time, for when modules ran and waited, who waited for whom\n"
    "                     and P(t). Of a measured run real (default), or a replay with as many\n"
    "                     processors as it can use; of a real run of Fleng virtual (default), or as\n"
    "                     it ran. cpu: of a measured run as real, but work, and the times of\n"
    "                     --statistics, are only those with a processor\n"
    "      --statistics   of an OpenMP run: what its parallel regions did, construct by construct\n"
    "      --memory SIZE  that may be taken, as in 500M or 2G\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 the file is damaged (what is readable is reported); 2 usage.\n";

typedef struct {
    const char *partition, *clock;
    int64_t processors; // 0: unlimited ones
    bool all, classes, no_what_if, json, csv, raw, statistics;
    bool cpu; // work is processor time
} report_options;

// The clock of the times. But a report that was asked for none names the clock of the run, which for a
// real run of Fleng is not that of the times.
static const char *name_of_clock(const trace *t, const report_options *o, iot_clock clock)
{
    if (!trace_is_measured(t) && !o->clock)
        return paf_clock_name(t);
    if (o->cpu)
        return "cpu";
    return clock == IOT_REAL_TIME ? "real" : "virtual";
}

bool paf_is_as_it_ran(const iot *a, iot_clock clock)
{
    return clock == IOT_REAL_TIME && !trace_is_measured(iot_trace(a));
}

void paf_report_heading(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("\n%s", paf_style_begin(STYLE_STRONG));
    vprintf(format, args);
    printf("%s\n", paf_style_end(STYLE_STRONG));
    va_end(args);
}

static double parallelism(const iot *a)
{
    return iot_span(a) ? (double)iot_work(a) / (double)iot_span(a) : 0;
}

// ---------------------------------------------------------------------------------------------
// Measured runs

static void print_clock(const iot *a, const report_options *o, iot_clock clock)
{
    const trace *t = iot_trace(a);
    char *took = paf_amount(t, trace_elapsed(t));
    printf("  %u place%s took %s; span: the longest chain of dependences\n", trace_nplaces(t),
           trace_nplaces(t) == 1 ? "" : "s", took);
    g_free(took);
    if (o->cpu)
        puts("  work is processor time, all other times are real time (--clock real: work, too)");
    else if (clock == IOT_REAL_TIME)
        puts("  times are real time (--clock virtual: of a replay with as many processors as can be\n"
             "  used); --json and --csv have them in nanoseconds");
    else
        puts("  times are of a replay with as many processors as can be used (--clock real: as\n"
             "  measured); --json and --csv have them in nanoseconds");
}

// ---------------------------------------------------------------------------------------------
// JSON

static void report_json(const iot *a, const report_options *o, iot_clock clock)
{
    const trace *t = iot_trace(a);
    int64_t bucket = paf_report_bucket(a, clock);
    json_t *root = paf_json_answer();
    json_object_set_new(root, "program", paf_json_text(trace_program(t)));
    json_object_set_new(root, "clock", paf_json_text(name_of_clock(t, o, clock)));
    json_object_set_new(root, "work", paf_json_count(iot_work(a)));
    json_object_set_new(root, "span", json_integer(iot_span(a)));
    json_object_set_new(root, "parallelism", json_real(parallelism(a)));
    json_object_set_new(root, "suspended", paf_json_count(iot_suspended(a)));
    if (trace_part(t))
        json_object_set_new(root, "recorded", paf_json_text(trace_part(t)));
    if (trace_is_older_definition(t))
        json_object_set_new(root, "older_definition", json_true());
    if (iot_lost_events(t, NULL) > 0)
        json_object_set_new(root, "losses", paf_json_dropped(t));
    if (trace_get_cut(t))
        json_object_set_new(root, "cut", paf_json_cut(trace_get_cut(t)));
    if (bucket > 1)
        json_object_set_new(root, "bucket", json_integer(bucket));
    paf_report_modules_json(a, clock, root);
    json_object_set_new(root, "dependencies", paf_report_dependencies_json(a, clock));
    json_object_set_new(root, "critical_path", paf_report_critical_json(a));
    if (!trace_is_measured(t))
        json_object_set_new(root, "cycles", paf_report_cycles_json(a));
    json_object_set_new(root, "unneeded", paf_report_unneeded_json(a));
    if (o->processors > 0) {
        json_object_set_new(root, "processors", json_integer(o->processors));
        json_object_set_new(root, "simulated", json_integer(iot_whole(a)));
    }
    if (!o->no_what_if && iot_is_disturbed(a))
        json_object_set_new(root, "undisturbed", json_integer(iot_whole(a)));
    if (!o->no_what_if) {
        json_object_set_new(root, "findings", paf_report_findings_json(a, o->all));
        json_object_set_new(root, "together", paf_report_together_json(a));
    }
    if (!o->no_what_if && trace_get_clock(t) == TRACE_REAL)
        json_object_set_new(root, "real_findings", paf_report_real_findings_json(a));
    json_object_set_new(root, "notes", paf_report_notes_json(a));
    if (!o->no_what_if && !trace_is_measured(t))
        json_object_set_new(root, "hasten", paf_report_hasten_json(a));
    if (paf_is_as_it_ran(a, clock)) {
        json_object_set_new(root, "elapsed", json_integer(trace_elapsed(t)));
        json_object_set_new(root, "costs", paf_report_costs_json(a));
        json_object_set_new(root, "workers", paf_report_workers_json(a));
    }
    if (trace_is_measured(t)) {
        json_object_set_new(root, "elapsed", json_integer(trace_elapsed(t)));
        json_object_set_new(root, "waiting", paf_report_waiting_json(a));
        json_object_set_new(root, "processor_time", paf_report_processor_time_json(a));
    }
    if (o->classes)
        json_object_set_new(root, "classes", paf_report_classes_json(a));
    if (trace_get_totals(t))
        json_object_set_new(root, "totals", paf_report_totals_json(t, trace_get_totals(t)));
    paf_json_print(root);
}

// ---------------------------------------------------------------------------------------------
// CSV: a table for each part, with a heading line, blank lines between them

static void report_csv(const iot *a, const report_options *o, iot_clock clock)
{
    const trace *t = iot_trace(a);
    puts("program,clock,work,span,parallelism,suspended");
    paf_csv_text(trace_program(t), ',');
    printf("%s,%llu,%lld,%.17g,%u\n", name_of_clock(t, o, clock), (unsigned long long)iot_work(a),
           (long long)iot_span(a), parallelism(a), iot_suspended(a));
    paf_report_modules_csv(a, clock);
    paf_report_paths_csv(a, clock);
    paf_report_series_csv(a, clock);
    if (paf_is_as_it_ran(a, clock))
        paf_report_workers_csv(a);
    if (o->classes)
        paf_report_classes_csv(a);
}

static void print_workers(const trace *t, iot_clock clock)
{
    char *workers = paf_workers(t);
    printf("  %s took %.6g ms; %s\n", workers, (double)trace_elapsed(t) / 1e6,
           clock == IOT_REAL_TIME ? "times are real time"
                                  : "times are virtual, along the data flow of that run");
    g_free(workers);
}

// ---------------------------------------------------------------------------------------------
// For people

static void print_run(const iot *a, const report_options *o, iot_clock clock)
{
    const trace *t = iot_trace(a);
    paf_report_heading("%s", trace_program(t));
    paf_table *table = paf_table_create("rrrrl");
    paf_table_add(table, "work");
    paf_table_add(table, "span");
    paf_table_add(table, "parallelism");
    paf_table_add(table, "suspended");
    paf_table_add(table, "clock");
    paf_table_add_amount(table, t, (int64_t)iot_work(a));
    paf_table_add_amount(table, t, iot_span(a));
    paf_table_add(table, "%.4g", parallelism(a));
    paf_table_add(table, "%u", iot_suspended(a));
    paf_table_add(table, "%s", name_of_clock(t, o, clock));
    paf_table_print(table);
    if (trace_is_measured(t))
        print_clock(a, o, clock);
    else if (trace_get_clock(t) == TRACE_REAL)
        print_workers(t, clock);
    if (trace_part(t))
        printf(
            "  recorded in full: %s; of what other modules read only what decided their times, so\n"
            "  dependencies to them and their IO-Trees are not complete\n",
            trace_part(t));
    if (trace_is_older_definition(t))
        printf("  a file of version %u has the figures of the older definition: a `=` counts as needing\n"
               "  the value that it passes on, and only the first goal of a process looks at its arguments\n",
               trace_version(t));
}

static void report_text(const iot *a, const report_options *o, iot_clock clock)
{
    paf_report_notes_text(a);
    if (o->processors > 0)
        paf_report_processors_text(a, o->processors);
    if (!o->no_what_if)
        paf_report_findings_text(a, o->all);
    if (!o->no_what_if && trace_get_clock(iot_trace(a)) == TRACE_REAL)
        paf_report_real_findings_text(a);
    print_run(a, o, clock);
    if (paf_is_as_it_ran(a, clock)) {
        paf_report_heading("Real time");
        paf_report_costs_text(a);
    }
    paf_report_modules_text(a, clock);
    if (paf_is_as_it_ran(a, clock)) {
        paf_report_heading("Workers");
        paf_report_workers_text(a);
    }
    paf_report_critical_text(a);
    if (iot_nwaiting(a) > 0) {
        paf_report_heading("Waiting");
        paf_report_waiting_text(a);
    }
    if (trace_is_measured(iot_trace(a)))
        paf_report_processor_time_text(a, o->cpu);
    paf_report_dependencies_text(a, clock);
    paf_report_unneeded_text(a);
    if (!o->no_what_if && !trace_is_measured(iot_trace(a)))
        paf_report_hasten_text(a);
    if (o->classes)
        paf_report_classes_text(a);
    if (trace_get_totals(iot_trace(a)))
        paf_report_totals_text(iot_trace(a), trace_get_totals(iot_trace(a)), true);
}

// ---------------------------------------------------------------------------------------------

static bool read_options(int argc, char **argv, report_options *o, int *ret_status)
{
    const paf_option options[] = {
        {"partition", 'p', PAF_OPTION_TEXT, {.text = &o->partition}, 0},
        {"all", 0, PAF_OPTION_FLAG, {.flag = &o->all}, 0},
        {"classes", 0, PAF_OPTION_FLAG, {.flag = &o->classes}, 0},
        {"no-what-if", 0, PAF_OPTION_FLAG, {.flag = &o->no_what_if}, 0},
        {"processors", 0, PAF_OPTION_NUMBER, {.number = &o->processors}, 1},
        {"json", 0, PAF_OPTION_FLAG, {.flag = &o->json}, 0},
        {"csv", 0, PAF_OPTION_FLAG, {.flag = &o->csv}, 0},
        {"raw", 0, PAF_OPTION_FLAG, {.flag = &o->raw}, 0},
        {"clock", 0, PAF_OPTION_TEXT, {.text = &o->clock}, 0},
        {"statistics", 0, PAF_OPTION_FLAG, {.flag = &o->statistics}, 0},
        {0},
    };
    const paf_usage usage = {"report", help, options, 1, 1};
    if (!paf_read_options(&usage, argc, argv, ret_status))
        return false;
    *ret_status = COMMAND_USAGE;
    if (o->raw && !o->csv) {
        paf_complain("report", "--raw is for --csv");
        return false;
    }
    if (o->raw)
        paf_csv_keep_raw();
    o->cpu = o->clock && strcmp(o->clock, "cpu") == 0;
    o->clock = o->cpu ? "real" : o->clock;
    if (!paf_is_clock("report", o->clock))
        return false;
    if (o->json + o->csv + o->statistics > 1) {
        paf_complain("report", "--json, --csv and --statistics exclude each other");
        return false;
    }
    if (o->no_what_if && (o->all || o->classes || o->processors)) {
        paf_complain("report", "--no-what-if excludes --all, --classes and --processors, which ask "
                               "what a change would bring");
        return false;
    }
    if (o->processors > MOST_PROCESSORS) {
        paf_complain("report", "--processors: at most %u", MOST_PROCESSORS);
        return false;
    }
    *ret_status = COMMAND_OK;
    return true;
}

static int report_statistics(const trace *t, const char *path, bool cpu)
{
    const trace_regions *regions = trace_get_regions(t);
    if (!regions) {
        paf_complain("report",
                     "%s: it holds no parallel regions (kpx-bridge record --openmp "
                     "records them)",
                     path);
        return COMMAND_NOTHING;
    }
    char *lost;
    uint64_t n = iot_lost_events(t, &lost);
    if (n > 0) {
        paf_complain("report", "%llu events of the run were not kept and count nowhere: %s",
                     (unsigned long long)n, lost);
        free(lost);
    }
    char *text = trace_statistics_text(regions, trace_program(t), cpu);
    fputs(text, stdout);
    free(text);
    return COMMAND_OK;
}

// A measured run has its own number, and findings are priced on these anyway.
static bool choose_processors(iot *a, const report_options *o)
{
    static char simulation[] = "report: simulation";
    const trace *t = iot_trace(a);
    if (o->processors == 0)
        return true;
    if (!trace_is_measured(t))
        return iot_choose_processors(a, (uint32_t)o->processors, paf_tell_progress, simulation);
    if (o->processors == trace_nplaces(t))
        return true;
    paf_complain("report",
                 "--processors: a measured run keeps its work on its places, of which it has %u",
                 trace_nplaces(t));
    return false;
}

// All that takes long, before anything is written: so the share that is done is not in between.
static void prepare(const iot *a, const report_options *o)
{
    static char waits[] = "report: what waits for what", causes[] = "report: causes",
                outputs[] = "report: outputs";
    bool slack = !o->csv && !o->no_what_if && !trace_is_measured(iot_trace(a));
    iot_watch(a, paf_tell_progress, waits);
    iot_prepare_tables(a, slack, paf_tell_progress, slack ? outputs : waits);
    iot_watch(a, paf_tell_progress, causes);
    if (!o->csv && !o->no_what_if)
        iot_nfindings(a, false);
    iot_watch(a, NULL, NULL);
    paf_end_progress();
}

static void write_report(const iot *a, const report_options *o, iot_clock clock)
{
    if (o->json)
        report_json(a, o, clock);
    else if (o->csv)
        report_csv(a, o, clock);
    else
        report_text(a, o, clock);
}

// Figures alone of a long run are summed while it is read, and need no reductions. False: they need more, or
// something is wrong; then nothing was told.
static bool report_sums(const char *path, const report_options *o)
{
    static char summing[] = "report: reading";
    trace *t = NULL;
    if (!o->no_what_if || o->statistics || o->cpu || (o->clock && strcmp(o->clock, "real") == 0))
        return false;
    iot *a = paf_sum_up(path, o->partition, true, paf_tell_progress, summing, &t);
    paf_end_progress();
    bool enough = a && iot_is_full_overview(a);
    if (enough)
        write_report(a, o, IOT_VIRTUAL_TIME);
    iot_destroy(a);
    if (t)
        trace_close(t);
    return enough;
}

static int report_history(const trace *t, const report_options *o)
{
    static char modules[] = "report: modules";
    iot_partition *p = paf_read_partition("report", t, o->partition);
    if (!p)
        return COMMAND_USAGE;
    // With a graph of waits tables are made beside that.
    bool tables = o->no_what_if || o->csv;
    iot *a = (tables ? iot_analyse_with_tables : iot_analyse)(t, p, paf_tell_progress, modules);
    bool chosen = choose_processors(a, o);
    paf_end_progress();
    if (!chosen) {
        iot_destroy(a);
        iot_partition_destroy(p);
        return COMMAND_USAGE;
    }
    iot_clock clock = paf_choose_clock("report", t, o->clock);
    prepare(a, o);
    if (o->cpu)
        iot_count_processor_time(a);
    write_report(a, o, clock);
    iot_destroy(a);
    iot_partition_destroy(p);
    return COMMAND_OK;
}

static int report(const trace *t, const char *path, const report_options *o)
{
    if (o->cpu && !trace_is_measured(t) && !trace_get_totals(t)) {
        paf_complain("report", "--clock cpu is for runs that kpx-bridge has recorded");
        return COMMAND_USAGE;
    }
    if (trace_get_profile(t)) {
        if (o->partition)
            paf_complain("report", "a profile has the modules it was recorded with: "
                                   "--partition is not used");
        paf_report_profile(t, o->json, o->csv);
        return COMMAND_OK;
    }
    if (trace_get_samples(t) && trace_nreductions(t) == 0) {
        bool of_history = o->statistics || o->all || o->classes || o->processors ||
                          (o->clock && strcmp(o->clock, "virtual") == 0);
        if (of_history) {
            paf_complain("report", "%s has samples and no reductions, which --statistics, --all, --classes, "
                                   "--processors and --clock virtual are about", path);
            return COMMAND_NOTHING;
        }
        if (o->partition)
            paf_complain("report", "samples are of workers: --partition is not used");
        paf_report_samples(t, o->json, o->csv);
        return COMMAND_OK;
    }
    if (o->statistics)
        return report_statistics(t, path, o->cpu);
    if (trace_nreductions(t) > 0)
        return report_history(t, o);
    paf_report_totals(t, o->json, o->csv);
    return COMMAND_OK;
}

int paf_command_report(int argc, char **argv)
{
    report_options o = {0};
    int status;
    if (!read_options(argc, argv, &o, &status))
        return status;
    if (report_sums(argv[optind], &o))
        return COMMAND_OK;
    if (o.no_what_if)
        paf_expect_part();
    trace *t = paf_open_trace("report", argv[optind], &status);
    if (!t)
        return status;
    int reported = report(t, argv[optind], &o);
    trace_close(t);
    return reported == COMMAND_OK ? status : reported;
}
