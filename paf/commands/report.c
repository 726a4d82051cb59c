// SPDX-License-Identifier: MIT
//
// `paf report`: the figures of a run, as text, as JSON and as CSV.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "iotree/findings.h"
#include "iotree/simulate.h"
#include "paf/commands/report.h"
#include "paf/say/numbers.h"
#include "profiler/profile.h"
#include "profiler/statistics.h"

#define MOST_BUCKETS 100000 // of a profile
#define SHOWN_ROWS   24u    // of the critical path, for people
#define SHOWN_CYCLES 3u     // of modules
#define SHOWN_WAITS  16u    // of what a measured run waited for, for people
#define MOST_PROCESSORS 1000000000u
#define NEED_OF_FIGURES 105 // bytes for each reduction, with the trace

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
    "                     it ran\n"
    "      --statistics   of an OpenMP run: what its parallel regions did, construct by construct\n"
    "      --memory SIZE  that may be taken, as in 500M or 2G\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 the file is damaged (what is readable is reported); 2 usage.\n";

typedef struct {
    const char *partition, *clock;
    int64_t processors; // 0: unlimited ones
    bool all, classes, no_what_if, json, csv, raw, statistics;
} report_options;

// The clock of the times. But a report that was asked for none names the clock of the run, which for a
// real run of Fleng is not that of the times.
static const char *name_of_clock(const trace *t, const report_options *o, iot_clock clock)
{
    if (!trace_is_measured(t) && !o->clock)
        return paf_clock_name(t);
    return clock == IOT_REAL_TIME ? "real" : "virtual";
}

// Are these the times of a run of Fleng as it ran?
static bool is_as_it_ran(const iot *a, iot_clock clock)
{
    return clock == IOT_REAL_TIME && !trace_is_measured(iot_trace(a));
}

static double parallelism(const iot *a)
{
    return iot_span(a) ? (double)iot_work(a) / (double)iot_span(a) : 0;
}

// main is shown only if a goal was its own.
static bool is_shown(const iot *a, uint32_t module)
{
    if (module || iot_get_module(a, 0)->work || iot_get_module(a, 0)->waiting)
        return true;
    const trace *t = iot_trace(a);
    for (uint32_t g = 0; iot_suspended(a) && g < trace_ngoals(t); g++) {
        if (trace_goal_reduction(t, g) == TRACE_NONE && iot_module_of_goal(a, g) == 0)
            return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Measured runs

static void print_clock(const iot *a, iot_clock clock)
{
    const trace *t = iot_trace(a);
    char *took = paf_amount(t, trace_elapsed(t));
    printf("  %u place%s took %s; span: the longest chain of dependences\n", trace_nplaces(t),
           trace_nplaces(t) == 1 ? "" : "s", took);
    g_free(took);
    puts(clock == IOT_REAL_TIME
             ? "  times are real time (--clock virtual: of a replay with as many processors as can "
               "be\n"
               "  used); --json and --csv have them in nanoseconds"
             : "  times are of a replay with as many processors as can be used (--clock real: as\n"
               "  measured); --json and --csv have them in nanoseconds");
}

static const char *predicate_name(const trace *t, uint32_t predicate)
{
    return trace_name(t, trace_get_predicate(t, predicate)->name);
}

static const char *cause_of(const iot *a, const iot_waiting *w)
{
    return w->cause == IOT_NONE             ? "nobody"
           : w->cause_predicate != IOT_NONE ? predicate_name(iot_trace(a), w->cause_predicate)
                                            : iot_get_module(a, w->cause)->name;
}

static void print_waiting(const iot *a)
{
    double all = (double)iot_place_time(a);
    paf_table *table = paf_table_create("llrrrl");
    const char *const names[] = {"module", "wait", "times", "time", "share", "for"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_nwaiting(a) && i < SHOWN_WAITS; i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        paf_table_add(table, "%s", iot_get_module(a, w->module)->name);
        paf_table_add(table, "%s", predicate_name(iot_trace(a), w->predicate));
        paf_table_add(table, "%llu", (unsigned long long)w->count);
        paf_table_add_amount(table, iot_trace(a), (int64_t)w->time);
        char *share = paf_percent((double)w->time, all);
        paf_table_add(table, "%s", share);
        g_free(share);
        paf_table_add(table, "%s", cause_of(a, w));
    }
    paf_table_print(table);
    if (iot_nwaiting(a) > SHOWN_WAITS)
        printf("  and %u more\n", iot_nwaiting(a) - SHOWN_WAITS);
}

static json_t *waiting_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nwaiting(a); i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "module", paf_json_text(iot_get_module(a, w->module)->name));
        json_object_set_new(row, "wait", paf_json_text(predicate_name(iot_trace(a), w->predicate)));
        json_object_set_new(row, "cause",
                            w->cause == IOT_NONE ? json_null() : paf_json_text(cause_of(a, w)));
        json_object_set_new(row, "count", paf_json_count(w->count));
        json_object_set_new(row, "time", paf_json_count(w->time));
        json_array_append_new(array, row);
    }
    return array;
}

// ---------------------------------------------------------------------------------------------
// Profiles

typedef struct {
    iot_clock clock;
    int64_t width; // steps of a bucket
    uint32_t n;
} buckets;

static buckets choose_buckets(const iot *a, iot_clock clock)
{
    int64_t span = iot_end(a, clock);
    buckets b = {.clock = clock, .width = 1};
    while (span > MOST_BUCKETS * b.width) // as the buckets of a profile grow
        b.width *= 2;
    b.n = (uint32_t)((span + b.width - 1) / b.width);
    return b;
}

static iot_bucket *profile_of(const iot *a, uint32_t module, buckets b)
{
    iot_bucket *values = base_allocate(b.n, sizeof *values);
    iot_profile_by(a, b.clock, IOT_REDUCTIONS, module, 1, b.width, b.n, values);
    return values;
}

static json_t *profile_json(const iot *a, uint32_t module, buckets b)
{
    json_t *array = json_array();
    iot_bucket *values = profile_of(a, module, b);
    for (uint32_t i = 0; i < b.n; i++)
        json_array_append_new(array, paf_json_count(values[i].sum));
    free(values);
    return array;
}

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *modules_json(const iot *a, buckets b)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        if (!is_shown(a, i))
            continue;
        const iot_module m = iot_module_by(a, b.clock, i);
        json_t *row = json_object();
        json_object_set_new(row, "name", paf_json_text(m.name));
        json_object_set_new(row, "work", paf_json_count(m.work));
        json_object_set_new(row, "first", json_integer(m.first));
        json_object_set_new(row, "last", json_integer(m.last));
        if (is_as_it_ran(a, b.clock))
            json_object_set_new(row, "busy", paf_json_count(m.busy));
        json_object_set_new(row, "peak", paf_json_count(m.peak));
        json_object_set_new(row, "waiting", paf_json_count(m.waiting));
        json_object_set_new(row, "critical", paf_json_count(m.critical));
        json_object_set_new(row, "profile", profile_json(a, i, b));
        json_array_append_new(array, row);
    }
    return array;
}

static json_t *dependencies_json(const iot *a, iot_clock clock)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_ndependencies(a); i++) {
        const iot_dependency *d = iot_get_dependency(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "from", paf_json_text(iot_get_module(a, d->from)->name));
        json_object_set_new(row, "to", paf_json_text(iot_get_module(a, d->to)->name));
        json_object_set_new(row, "count", paf_json_count(d->count));
        bool real = is_as_it_ran(a, clock);
        json_object_set_new(row, "wait", paf_json_count(real ? d->real_wait : d->wait));
        json_object_set_new(row, "lag", json_integer(real ? d->real_lag : d->lag));
        json_array_append_new(array, row);
    }
    return array;
}

static json_t *critical_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_ncritical_rows(a); i++) {
        const iot_critical_row *c = iot_get_critical_row(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "module", paf_json_text(iot_get_module(a, c->module)->name));
        json_object_set_new(row, "predicate",
                            paf_json_take(iot_predicate_text(iot_trace(a), c->predicate)));
        json_object_set_new(row, "control", paf_json_count(c->control));
        json_object_set_new(row, "data", paf_json_count(c->data));
        json_array_append_new(array, row);
    }
    return array;
}

static json_t *cycles_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_ncycles(a); i++) {
        const iot_cycle *c = iot_get_cycle(a, i);
        json_t *row = json_object(), *modules = json_array();
        for (uint32_t k = 0; k < c->nmodules; k++)
            json_array_append_new(modules, paf_json_text(iot_get_module(a, c->modules[k])->name));
        json_object_set_new(row, "modules", modules);
        json_object_set_new(row, "rounds", paf_json_count(c->rounds));
        json_object_set_new(row, "critical", paf_json_count(c->cost));
        json_array_append_new(array, row);
    }
    return array;
}

static json_t *unneeded_json(const iot *a)
{
    const trace *t = iot_trace(a);
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nunneeded(a); i++) {
        const iot_unneeded *u = iot_get_unneeded(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "clause", paf_json_take(iot_clause_text(t, u->clause)));
        json_object_set_new(row, "line", json_integer(trace_get_clause(t, u->clause)->line));
        json_object_set_new(row, "output", paf_json_text(trace_string(t, u->output, NULL)));
        json_object_set_new(row, "input", paf_json_text(trace_string(t, u->input, NULL)));
        json_object_set_new(row, "span_without", json_integer(u->span_without));
        json_array_append_new(array, row);
    }
    return array;
}

static const char *source_name(const trace *t, uint32_t source)
{
    return trace_name(t, trace_get_source(t, source)->name);
}

// file, line and predicate; null where they are not known.
static void set_place(json_t *row, const trace *t, const iot_location *place)
{
    bool known = place->source != TRACE_NONE && place->line != 0;
    json_object_set_new(row, "file",
                        known ? paf_json_text(source_name(t, place->source)) : json_null());
    json_object_set_new(row, "line", known ? json_integer(place->line) : json_null());
    json_object_set_new(row, "predicate",
                        place->predicate == IOT_NONE
                            ? json_null()
                            : paf_json_take(iot_predicate_text(t, place->predicate)));
}

static json_t *finding_json(const iot *a, const iot_finding *f)
{
    const trace *t = iot_trace(a);
    json_t *row = json_object(), *also = json_array();
    json_object_set_new(row, "kind", json_string(iot_mechanism_name(f->kind)));
    set_place(row, t, &f->place);
    json_object_set_new(row, "module",
                        f->place.module == IOT_NONE
                            ? json_null()
                            : paf_json_text(iot_get_module(a, f->place.module)->name));
    for (uint32_t i = 0; i < f->nalso; i++) {
        json_t *place = json_object();
        set_place(place, t, &f->also[i]);
        json_array_append_new(also, place);
    }
    json_object_set_new(row, "also", also);
    json_object_set_new(row, "span_without", json_integer(f->span_without));
    json_object_set_new(row, "saving", json_real(f->saving));
    if (f->estimate)
        json_object_set_new(row, "estimate", json_true());
    json_object_set_new(row, "text", paf_json_text(f->text));
    json_object_set_new(row, "advice", paf_json_text(f->advice));
    return row;
}

static json_t *findings_json(const iot *a, bool all)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nfindings(a, all); i++)
        json_array_append_new(array, finding_json(a, iot_get_finding(a, all, i)));
    return array;
}

static json_t *together_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_ntogether(a); i++) {
        const iot_together *both = iot_get_together(a, i);
        json_array_append_new(array, json_pack("{s:[i,i],s:I,s:f}", "findings", (int)both->first,
                                               (int)both->second, "span_without",
                                               (json_int_t)both->span_without, "saving",
                                               both->saving));
    }
    return array;
}

static json_t *notes_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nnotes(a); i++) {
        const iot_note *note = iot_get_note(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "title", paf_json_text(note->title));
        json_object_set_new(row, "detail", paf_json_text(note->detail));
        json_array_append_new(array, row);
    }
    return array;
}

static void report_json(const iot *a, const report_options *o, iot_clock clock)
{
    const trace *t = iot_trace(a);
    buckets b = choose_buckets(a, clock);
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
    if (b.width > 1)
        json_object_set_new(root, "bucket", json_integer(b.width));
    json_object_set_new(root, "profile", profile_json(a, IOT_NONE, b));
    json_object_set_new(root, "modules", modules_json(a, b));
    json_object_set_new(root, "dependencies", dependencies_json(a, clock));
    json_object_set_new(root, "critical_path", critical_json(a));
    if (!trace_is_measured(t))
        json_object_set_new(root, "cycles", cycles_json(a));
    json_object_set_new(root, "unneeded", unneeded_json(a));
    if (o->processors > 0) {
        json_object_set_new(root, "processors", json_integer(o->processors));
        json_object_set_new(root, "simulated", json_integer(iot_whole(a)));
    }
    if (!o->no_what_if) {
        json_object_set_new(root, "findings", findings_json(a, o->all));
        json_object_set_new(root, "together", together_json(a));
    }
    json_object_set_new(root, "notes", notes_json(a));
    if (!o->no_what_if && !trace_is_measured(t))
        json_object_set_new(root, "hasten", paf_report_hasten_json(a));
    if (is_as_it_ran(a, clock)) {
        json_object_set_new(root, "elapsed", json_integer(trace_elapsed(t)));
        json_object_set_new(root, "costs", paf_report_costs_json(a));
        json_object_set_new(root, "workers", paf_report_workers_json(a));
    }
    if (trace_is_measured(t)) {
        json_object_set_new(root, "elapsed", json_integer(trace_elapsed(t)));
        json_object_set_new(root, "waiting", waiting_json(a));
    }
    if (o->classes)
        json_object_set_new(root, "classes", paf_report_classes_json(a));
    if (trace_get_totals(t))
        json_object_set_new(root, "totals", paf_report_totals_json(t, trace_get_totals(t)));
    paf_json_print(root);
}

// ---------------------------------------------------------------------------------------------
// CSV: a table for each part, with a heading line, blank lines between them

static void csv_taken(char *text, char after)
{
    paf_csv_text(text, after);
    free(text);
}

static void csv_modules(const iot *a, iot_clock clock)
{
    puts("\nname,work,first,last,peak,waiting,critical");
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        const iot_module m = iot_module_by(a, clock, i);
        if (!is_shown(a, i))
            continue;
        paf_csv_text(m.name, ',');
        printf("%llu,%lld,%lld,%llu,%llu,%llu\n", (unsigned long long)m.work, (long long)m.first,
               (long long)m.last, (unsigned long long)m.peak, (unsigned long long)m.waiting,
               (unsigned long long)m.critical);
    }
}

static void csv_rows(const iot *a, iot_clock clock)
{
    const trace *t = iot_trace(a);
    bool real = is_as_it_ran(a, clock);
    puts("\nfrom,to,count,wait,lag");
    for (uint32_t i = 0; i < iot_ndependencies(a); i++) {
        const iot_dependency *d = iot_get_dependency(a, i);
        paf_csv_text(iot_get_module(a, d->from)->name, ',');
        paf_csv_text(iot_get_module(a, d->to)->name, ',');
        printf("%llu,%llu,%lld\n", (unsigned long long)d->count,
               (unsigned long long)(real ? d->real_wait : d->wait),
               (long long)(real ? d->real_lag : d->lag));
    }
    puts("\nmodule,predicate,control,data");
    for (uint32_t i = 0; i < iot_ncritical_rows(a); i++) {
        const iot_critical_row *c = iot_get_critical_row(a, i);
        paf_csv_text(iot_get_module(a, c->module)->name, ',');
        csv_taken(iot_predicate_text(t, c->predicate), ',');
        printf("%llu,%llu\n", (unsigned long long)c->control, (unsigned long long)c->data);
    }
    puts("\nclause,line,output,input,span_without");
    for (uint32_t i = 0; i < iot_nunneeded(a); i++) {
        const iot_unneeded *u = iot_get_unneeded(a, i);
        csv_taken(iot_clause_text(t, u->clause), ',');
        printf("%u,", trace_get_clause(t, u->clause)->line);
        paf_csv_text(trace_name(t, u->output), ',');
        paf_csv_text(trace_name(t, u->input), ',');
        printf("%lld\n", (long long)u->span_without);
    }
}

static void csv_profile(const iot *a, iot_clock clock)
{
    buckets b = choose_buckets(a, clock);
    iot_bucket **columns = base_allocate(iot_nmodules(a), sizeof *columns);
    printf("\ntime,all");
    for (uint32_t m = 0; m < iot_nmodules(a); m++) {
        if (is_shown(a, m)) {
            putchar(',');
            paf_csv_text(iot_get_module(a, m)->name, 0);
            columns[m] = profile_of(a, m, b);
        }
    }
    putchar('\n');
    iot_bucket *all = profile_of(a, IOT_NONE, b);
    for (uint32_t i = 0; i < b.n; i++) {
        printf("%lld,%llu", (long long)(1 + i * b.width), (unsigned long long)all[i].sum);
        for (uint32_t m = 0; m < iot_nmodules(a); m++) {
            if (columns[m])
                printf(",%llu", (unsigned long long)columns[m][i].sum);
        }
        putchar('\n');
    }
    for (uint32_t m = 0; m < iot_nmodules(a); m++)
        free(columns[m]);
    free(columns);
    free(all);
}

static void report_csv(const iot *a, const report_options *o, iot_clock clock)
{
    const trace *t = iot_trace(a);
    puts("program,clock,work,span,parallelism,suspended");
    paf_csv_text(trace_program(t), ',');
    printf("%s,%llu,%lld,%.17g,%u\n", name_of_clock(t, o, clock), (unsigned long long)iot_work(a),
           (long long)iot_span(a), parallelism(a), iot_suspended(a));
    csv_modules(a, clock);
    csv_rows(a, clock);
    csv_profile(a, clock);
    if (is_as_it_ran(a, clock))
        paf_report_workers_csv(a);
    if (o->classes)
        paf_report_classes_csv(a);
}

// ---------------------------------------------------------------------------------------------
// For people

static void heading(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void heading(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("\n%s", paf_style_begin(STYLE_STRONG));
    vprintf(format, args);
    printf("%s\n", paf_style_end(STYLE_STRONG));
    va_end(args);
}

static void print_notes(const iot *a)
{
    for (uint32_t i = 0; i < iot_nnotes(a); i++) {
        const iot_note *note = iot_get_note(a, i);
        printf("%s%s%s\n", paf_style_begin(STYLE_NOTE), note->title, paf_style_end(STYLE_NOTE));
        printf("    %s\n", note->detail);
    }
}

static void print_together(const iot *a)
{
    for (uint32_t i = 0; i < iot_ntogether(a); i++) {
        const iot_together *both = iot_get_together(a, i);
        char *without = paf_amount(iot_trace(a), both->span_without);
        char *whole = paf_amount(iot_trace(a), iot_whole(a));
        printf("without both %u and %u %s%s instead of %s (−%.0f %%)\n", both->first + 1,
               both->second + 1, without, trace_is_measured(iot_trace(a)) ? "" : " steps", whole,
               100 * both->saving);
        g_free(without);
        g_free(whole);
    }
}

static void print_processors(const iot *a, int64_t processors)
{
    char *took = paf_amount(iot_trace(a), iot_whole(a));
    printf("on %lld processor%s the run takes %s%s; findings say what they save of that\n",
           (long long)processors, processors == 1 ? "" : "s", took,
           trace_is_measured(iot_trace(a)) ? "" : " steps");
    g_free(took);
}

static void print_findings(const iot *a, bool all)
{
    uint32_t n = iot_nfindings(a, all);
    for (uint32_t i = 0; i < n; i++) {
        const iot_finding *f = iot_get_finding(a, all, i);
        printf("%s%u. %s%s\n", paf_style_begin(STYLE_NOTE), i + 1, f->text,
               paf_style_end(STYLE_NOTE));
        if (*f->advice)
            printf("   Change: %s\n", f->advice);
    }
    print_together(a);
    if (n == 0)
        printf("%sno change was found that saves 5 %% or more%s\n", paf_style_begin(STYLE_NOTE),
               paf_style_end(STYLE_NOTE));
}

static void print_run(const iot *a, const report_options *o, iot_clock clock)
{
    const trace *t = iot_trace(a);
    heading("%s", trace_program(t));
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
        print_clock(a, clock);
    else if (trace_get_clock(t) == TRACE_REAL)
        printf("  %u worker%s took %.6g ms; %s\n", trace_nplaces(t),
               trace_nplaces(t) == 1 ? "" : "s", (double)trace_elapsed(t) / 1e6,
               clock == IOT_REAL_TIME
                   ? "times are real time"
                   : "times are virtual, along the data flow of that run");
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

static void print_modules(const iot *a, iot_clock clock)
{
    const trace *t = iot_trace(a);
    heading("Modules");
    bool real = is_as_it_ran(a, clock);
    paf_table *table = paf_table_create(real ? "lrrrrrrrrrr" : "lrrrrrrrrr");
    const char *const names[] = {"name",    "work",     "busy",  "first",       "last",     "peak",
                                 "waiting", "critical", "share", "parallelism", "processes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (i != 2 || real)
            paf_table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        const iot_module m = iot_module_by(a, clock, i);
        if (!is_shown(a, i))
            continue;
        paf_table_add(table, "%s", m.name);
        paf_table_add_amount(table, t, (int64_t)m.work);
        if (real)
            paf_table_add_nanoseconds(table, (int64_t)m.busy);
        paf_table_add_time(table, t, clock, m.first);
        paf_table_add_time(table, t, clock, m.last);
        paf_table_add(table, "%llu", (unsigned long long)m.peak);
        paf_table_add_time(table, t, clock, (int64_t)m.waiting);
        paf_table_add_amount(table, t, (int64_t)m.critical);
        char *share = paf_percent((double)m.critical, (double)iot_critical_cost(a));
        paf_table_add(table, "%s", share);
        g_free(share);
        paf_table_add(table, "%.2f", m.parallelism);
        paf_table_add(table, "%u", m.processes);
    }
    paf_table_print(table);
}

static void print_critical(const iot *a)
{
    uint64_t control = 0, data = 0;
    for (uint32_t i = 0; i < iot_ncritical_rows(a); i++) {
        control += iot_get_critical_row(a, i)->control;
        data += iot_get_critical_row(a, i)->data;
    }
    if (!iot_ncritical_rows(a))
        return;
    const trace *t = iot_trace(a);
    char *by_control = paf_amount(t, (int64_t)control);
    char *by_data = paf_amount(t, (int64_t)data);
    heading("Critical path: %s reached by control, %s by data", by_control, by_data);
    g_free(by_control);
    g_free(by_data);
    paf_table *table = paf_table_create("llrr");
    paf_table_add(table, "module");
    paf_table_add(table, "predicate");
    paf_table_add(table, "control");
    paf_table_add(table, "data");
    for (uint32_t i = 0; i < iot_ncritical_rows(a) && i < SHOWN_ROWS; i++) {
        const iot_critical_row *c = iot_get_critical_row(a, i);
        char *predicate = iot_predicate_text(t, c->predicate);
        paf_table_add(table, "%s", iot_get_module(a, c->module)->name);
        paf_table_add(table, "%s", predicate);
        paf_table_add_amount(table, t, (int64_t)c->control);
        paf_table_add_amount(table, t, (int64_t)c->data);
        free(predicate);
    }
    paf_table_print(table);
    if (iot_ncritical_rows(a) > SHOWN_ROWS)
        printf("  and %u more\n", iot_ncritical_rows(a) - SHOWN_ROWS);
    for (uint32_t i = 0; i < iot_ncycles(a) && i < SHOWN_CYCLES; i++) {
        const iot_cycle *c = iot_get_cycle(a, i);
        char *modules = iot_cycle_text(a, c), *amount = paf_amount(t, (int64_t)c->cost);
        printf("  %llu rounds of %s: %s\n", (unsigned long long)c->rounds, modules, amount);
        free(modules);
        g_free(amount);
    }
}

static void print_dependencies(const iot *a, iot_clock clock)
{
    if (!iot_ndependencies(a))
        return;
    heading("Dependencies");
    paf_table *table = paf_table_create("llrrrr");
    const char *const names[] = {"from", "to", "values", "wait", "lag", "words"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_ndependencies(a); i++) {
        const iot_dependency *d = iot_get_dependency(a, i);
        paf_table_add(table, "%s", iot_get_module(a, d->from)->name);
        paf_table_add(table, "%s", iot_get_module(a, d->to)->name);
        paf_table_add(table, "%llu", (unsigned long long)d->count);
        bool real = is_as_it_ran(a, clock);
        iot_clock by = real ? clock : IOT_VIRTUAL_TIME; // of measured runs these are of the replay
        paf_table_add_time(table, iot_trace(a), by, (int64_t)(real ? d->real_wait : d->wait));
        paf_table_add_time(table, iot_trace(a), by, real ? d->real_lag : d->lag);
        paf_table_add(table, "%llu", (unsigned long long)d->words);
    }
    paf_table_print(table);
}

static void print_unneeded(const iot *a)
{
    const trace *t = iot_trace(a);
    if (!iot_nunneeded(a))
        return;
    heading("Unneeded dependencies: aliases made later than what they pass on");
    paf_table *table = paf_table_create("lrllrrr");
    const char *const names[] = {"clause", "line", "output",      "input",
                                 "times",  "late", "span without"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_nunneeded(a); i++) {
        const iot_unneeded *u = iot_get_unneeded(a, i);
        char *clause = iot_clause_text(t, u->clause);
        paf_table_add(table, "%s", clause);
        paf_table_add(table, "%u", trace_get_clause(t, u->clause)->line);
        paf_table_add(table, "%s", trace_name(t, u->output));
        paf_table_add(table, "%s", trace_name(t, u->input));
        paf_table_add(table, "%u", u->count);
        paf_table_add_amount(table, t, (int64_t)u->delay);
        paf_table_add_amount(table, t, u->span_without);
        free(clause);
    }
    paf_table_print(table);
}

static void report_text(const iot *a, const report_options *o, iot_clock clock)
{
    print_notes(a);
    if (o->processors > 0)
        print_processors(a, o->processors);
    if (!o->no_what_if)
        print_findings(a, o->all);
    print_run(a, o, clock);
    if (is_as_it_ran(a, clock)) {
        heading("Real time");
        paf_report_costs_text(a);
    }
    print_modules(a, clock);
    if (is_as_it_ran(a, clock)) {
        heading("Workers");
        paf_report_workers_text(a);
    }
    print_critical(a);
    if (iot_nwaiting(a) > 0) {
        heading("Waiting");
        print_waiting(a);
    }
    print_dependencies(a, clock);
    print_unneeded(a);
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

static int report_statistics(const trace *t, const char *path)
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
    char *text = trace_statistics_text(regions, trace_program(t));
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

static int report_history(const trace *t, const report_options *o)
{
    static char modules[] = "report: modules";
    iot_partition *p = paf_read_partition("report", t, o->partition);
    if (!p)
        return COMMAND_USAGE;
    iot *a = iot_analyse(t, p, paf_tell_progress, modules);
    bool chosen = choose_processors(a, o);
    paf_end_progress();
    if (!chosen) {
        iot_destroy(a);
        iot_partition_destroy(p);
        return COMMAND_USAGE;
    }
    iot_clock clock = paf_choose_clock("report", t, o->clock);
    prepare(a, o);
    if (o->json)
        report_json(a, o, clock);
    else if (o->csv)
        report_csv(a, o, clock);
    else
        report_text(a, o, clock);
    iot_destroy(a);
    iot_partition_destroy(p);
    return COMMAND_OK;
}

static int report(const trace *t, const char *path, const report_options *o)
{
    if (trace_get_profile(t)) {
        if (o->partition)
            paf_complain("report", "a profile has the modules it was recorded with: "
                                   "--partition is not used");
        paf_report_profile(t, o->json, o->csv);
        return COMMAND_OK;
    }
    if (o->statistics)
        return report_statistics(t, path);
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
    if (o.no_what_if)
        paf_expect_need(NEED_OF_FIGURES);
    trace *t = paf_open_trace("report", argv[optind], &status);
    if (!t)
        return status;
    int reported = report(t, argv[optind], &o);
    trace_close(t);
    return reported == COMMAND_OK ? status : reported;
}
