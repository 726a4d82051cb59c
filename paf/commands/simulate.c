// SPDX-License-Identifier: MIT
//
// `paf simulate`: the run again on other numbers of processors.
#include "base/array.h"
#include "base/text.h"
#include "iotree/simulate.h"
#include "paf/commands/command.h"
#include "paf/say/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PROCESSORS 1000000000
#define MOST_RUNS       1000
#define LONGEST         1000000000 // delay and grain
#define CURVE           50         // columns of the largest speed-up

static const char help[] =
    "usage: paf simulate [OPTION...] FILE.paf\n"
    "The run again with other numbers of processors: time, speed-up, and what the processors did.\n"
    "\n"
    "      --processors LIST  as 1,2,4 or 1-16 or 8,unlimited (default: powers of two as far as the\n"
    "                         run can use them). At each step so many of the goals that are ready\n"
    "                         reduce, older ones first; each takes the processor that made the\n"
    "                         latest of what it needs, if that is free. Of a measured run: its own\n"
    "                         number of places, with the work and its order on each of them\n"
    "      --delay D          what another processor made comes D steps later (default: 0)\n"
    "      --grain G          a goal that costs less than G steps with all its descendants stays on\n"
    "                         the processor of its parent (default: 0)\n"
    "  -p, --partition P      shows when each module was done; as NAME=p/2,q/3 ..., or a file\n"
    "      --json             as JSON\n"
    "      --memory SIZE      that may be taken, as in 500M or 2G\n"
    "  -h, --help             this text\n"
    "\n"
    "busy, waiting, idle: sums over all processors. A processor waits while what its next goal needs\n"
    "was made and is on its way.\n"
    "Exit status: 0; 1 the file is damaged or has no history; 2 usage.\n";

typedef struct {
    const char *processors, *partition;
    int64_t delay, grain;
    bool json;
} simulate_options;

typedef ARRAY_OF(uint32_t) numbers;

// What a machine made of a run.
typedef struct {
    iot_machine machine;
    iot_simulated sums;
    int64_t *busy, *last; // by module
} answer;

// ---------------------------------------------------------------------------------------------
// The list of processors

// A number, or `unlimited`; moves on behind it. 0: neither.
static uint32_t read_processors(const char **at)
{
    static const char word[] = "unlimited";
    char *end;
    if (!strncmp(*at, word, sizeof word - 1)) {
        *at += sizeof word - 1;
        return IOT_UNLIMITED;
    }
    if (**at < '0' || **at > '9')
        return 0;
    errno = 0;
    unsigned long n = strtoul(*at, &end, 10);
    *at = end;
    return errno || n > MOST_PROCESSORS ? 0 : (uint32_t)n;
}

static bool read_range(const char **at, numbers *ret)
{
    uint32_t from = read_processors(at), to = from;
    if (**at == '-' && from != IOT_UNLIMITED) {
        ++*at;
        to = read_processors(at);
    }
    if (from == 0 || to < from || (to != from && (to == IOT_UNLIMITED || to - from >= MOST_RUNS)))
        return false;
    for (uint32_t n = from;; n++) {
        ARRAY_PUSH(*ret, n);
        if (n == to)
            return ret->n <= MOST_RUNS;
    }
}

static bool read_list(const char *text, numbers *ret)
{
    const char *at = text;
    bool good = read_range(&at, ret);
    while (good && *at == ',') {
        at++;
        good = read_range(&at, ret);
    }
    if (good && !*at)
        return true;
    paf_complain("simulate",
                 "--processors: `%s` is no list like 1,2,4 or 1-16 or 8,unlimited (from 1 to %d, "
                 "at most %d of them)",
                 text, MOST_PROCESSORS, MOST_RUNS);
    return false;
}

// Powers of two below what unlimited processors use, and those.
static void choose_list(const iot_simulation *s, const simulate_options *o, numbers *ret)
{
    iot_machine all = {IOT_UNLIMITED, o->delay, o->grain};
    iot_simulated sums;
    iot_simulation_run(s, &all, NULL, NULL, &sums, NULL);
    for (uint32_t n = 1; n < sums.processors; n *= 2)
        ARRAY_PUSH(*ret, n);
    ARRAY_PUSH(*ret, IOT_UNLIMITED);
}

// ---------------------------------------------------------------------------------------------
// Answers

static void add_modules(const iot *a, const iot_schedule *s, answer *ret)
{
    uint32_t n = iot_nmodules(a);
    ret->busy = base_allocate(n, sizeof *ret->busy);
    ret->last = base_allocate(n, sizeof *ret->last);
    for (uint32_t r = 1; r < s->n; r++) {
        uint32_t module = iot_get_process(a, iot_process_of(a, r))->module;
        int64_t end = iot_schedule_end(s, r);
        ret->busy[module] += end - s->starts[r];
        ret->last[module] = end > ret->last[module] ? end : ret->last[module];
    }
}

typedef struct {
    size_t done, all; // runs
} runs_done;

static bool tell_runs(void *data, double fraction)
{
    static char name[] = "simulate";
    const runs_done *s = data;
    return paf_tell_progress(name, ((double)s->done + fraction) / (double)s->all);
}

static void run_all(const iot *a, const iot_simulation *s, const simulate_options *o,
                    const numbers *list, answer *ret)
{
    for (size_t i = 0; i < list->n; i++) {
        runs_done done = {i, list->n};
        iot_schedule schedule;
        ret[i].machine = (iot_machine){list->at[i], o->delay, o->grain};
        iot_simulation_run(s, &ret[i].machine, tell_runs, &done, &ret[i].sums, &schedule);
        add_modules(a, &schedule, &ret[i]);
        iot_schedule_free(&schedule);
    }
}

static double speed_up(const answer *x)
{
    return x->sums.span ? (double)x->sums.busy / (double)x->sums.span : 1;
}

static uint32_t nprocessors(const answer *x)
{
    return x->machine.processors == IOT_UNLIMITED ? x->sums.processors : x->machine.processors;
}

static char *processors_text(const answer *x)
{
    return x->machine.processors == IOT_UNLIMITED ? base_copy("unlimited")
                                                  : base_format("%u", x->machine.processors);
}

static void add_share(paf_table *table, int64_t part, const answer *x)
{
    double whole = (double)nprocessors(x) * (double)x->sums.span;
    char *share = paf_percent((double)part, whole);
    paf_table_add(table, "%s", share);
    g_free(share);
}

static void print_answers(const iot *a, const answer *answers, size_t n)
{
    paf_table *table = paf_table_create("rrrrrrrr");
    const char *const names[] = {"processors", "time",    "speed-up", "efficiency",
                                 "busy",       "waiting", "idle",     "used"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    for (size_t i = 0; i < n; i++) {
        const answer *x = &answers[i];
        char *processors = processors_text(x);
        paf_table_add(table, "%s", processors);
        free(processors);
        paf_table_add_amount(table, iot_trace(a), x->sums.span);
        paf_table_add(table, "%.2f", speed_up(x));
        add_share(table, x->sums.busy, x);
        paf_table_add_amount(table, iot_trace(a), x->sums.busy);
        add_share(table, x->sums.waiting, x);
        add_share(table, x->sums.idle, x);
        paf_table_add(table, "%u", x->sums.processors);
    }
    paf_table_print(table);
}

// A bar for each speed-up; behind it dots up to the most that so many processors can give.
static void print_curve(const iot *a, const answer *answers, size_t n)
{
    double bound = iot_span(a) ? (double)iot_work(a) / (double)iot_span(a) : 1, widest = 1;
    for (size_t i = 0; i < n; i++)
        widest = fmax(widest, fmin(bound, nprocessors(&answers[i])));
    printf("\n%sSpeed-up (dots: the most that so many processors can give)%s\n",
           paf_style_begin(STYLE_STRONG), paf_style_end(STYLE_STRONG));
    for (size_t i = 0; i < n; i++) {
        char *processors = processors_text(&answers[i]);
        double is = speed_up(&answers[i]);
        int bar = (int)(is / widest * CURVE + 0.5);
        int most = (int)(fmin(bound, nprocessors(&answers[i])) / widest * CURVE + 0.5);
        printf("  %10s ", processors);
        for (int c = 0; c < bar || c < most; c++)
            putchar(c < bar ? '#' : '.');
        printf(" %.2f\n", is);
        free(processors);
    }
}

static void print_modules(const iot *a, const answer *answers, size_t n)
{
    char *columns = base_allocate(n + 2, 1);
    memset(columns, 'r', n + 1);
    columns[0] = 'l';
    printf("\n%sWhen each module was done%s\n", paf_style_begin(STYLE_STRONG),
           paf_style_end(STYLE_STRONG));
    paf_table *table = paf_table_create(columns);
    paf_table_add(table, "module");
    for (size_t i = 0; i < n; i++) {
        char *processors = processors_text(&answers[i]);
        paf_table_add(table, "%s", processors);
        free(processors);
    }
    for (uint32_t m = 0; m < iot_nmodules(a); m++) {
        if (!iot_get_module(a, m)->work)
            continue;
        paf_table_add(table, "%s", iot_get_module(a, m)->name);
        for (size_t i = 0; i < n; i++)
            paf_table_add_amount(table, iot_trace(a), answers[i].last[m]);
    }
    paf_table_print(table);
    free(columns);
}

static void print_text(const iot *a, const simulate_options *o, const answer *answers, size_t n)
{
    const trace *t = iot_trace(a);
    char *work = paf_work(t, iot_work(a)), *span = paf_duration(t, iot_span(a));
    printf("%s: %s, span %s\n", trace_program(t), work, span);
    if (o->delay > 0)
        printf("  what another processor made comes %lld step%s later\n", (long long)o->delay,
               o->delay == 1 ? "" : "s");
    if (o->grain > 0)
        printf("  goals that cost less than %lld step%s stay with their parents\n",
               (long long)o->grain, o->grain == 1 ? "" : "s");
    print_answers(a, answers, n);
    print_curve(a, answers, n);
    if (o->partition)
        print_modules(a, answers, n);
    g_free(work);
    g_free(span);
}

static json_t *modules_json(const iot *a, const answer *x)
{
    json_t *array = json_array();
    for (uint32_t m = 0; x->busy && m < iot_nmodules(a); m++) {
        if (!iot_get_module(a, m)->work)
            continue;
        json_t *row = json_object();
        json_object_set_new(row, "name", paf_json_text(iot_get_module(a, m)->name));
        json_object_set_new(row, "busy", json_integer(x->busy[m]));
        json_object_set_new(row, "last", json_integer(x->last[m]));
        json_array_append_new(array, row);
    }
    return array;
}

static void print_json(const iot *a, const simulate_options *o, const answer *answers, size_t n)
{
    json_t *root = paf_json_answer(), *runs = json_array();
    json_object_set_new(root, "program", paf_json_text(trace_program(iot_trace(a))));
    json_object_set_new(root, "work", paf_json_count(iot_work(a)));
    json_object_set_new(root, "span", json_integer(iot_span(a)));
    json_object_set_new(root, "delay", json_integer(o->delay));
    json_object_set_new(root, "grain", json_integer(o->grain));
    for (size_t i = 0; i < n; i++) {
        const answer *x = &answers[i];
        bool unlimited = x->machine.processors == IOT_UNLIMITED;
        json_t *run = json_object();
        json_object_set_new(run, "processors",
                            unlimited ? json_null() : json_integer(x->machine.processors));
        json_object_set_new(run, "span", json_integer(x->sums.span));
        json_object_set_new(run, "busy", json_integer(x->sums.busy));
        json_object_set_new(run, "waiting", json_integer(x->sums.waiting));
        json_object_set_new(run, "idle", json_integer(x->sums.idle));
        json_object_set_new(run, "used", paf_json_count(x->sums.processors));
        json_object_set_new(run, "speed_up", json_real(speed_up(x)));
        json_object_set_new(run, "modules", modules_json(a, x));
        json_array_append_new(runs, run);
    }
    json_object_set_new(root, "runs", runs);
    paf_json_print(root);
}

// ---------------------------------------------------------------------------------------------
// The command

static void print_all(const iot *a, const simulate_options *o, const answer *answers, size_t n)
{
    if (o->json)
        print_json(a, o, answers, n);
    else
        print_text(a, o, answers, n);
}

static void simulate(const iot *a, const simulate_options *o, numbers *list)
{
    static char name[] = "simulate";
    iot_simulation *s = iot_simulation_create(a, paf_tell_progress, name);
    if (list->n == 0)
        choose_list(s, o, list);
    answer *answers = base_allocate(list->n, sizeof *answers);
    run_all(a, s, o, list, answers);
    paf_end_progress();
    print_all(a, o, answers, list->n);
    for (size_t i = 0; i < list->n; i++) {
        free(answers[i].busy);
        free(answers[i].last);
    }
    free(answers);
    iot_simulation_destroy(s);
}

// Of a measured run: as it ran, which a replay without changes gives again.
static int show_measured(const iot *a, const simulate_options *o, const numbers *list)
{
    const trace *t = iot_trace(a);
    uint32_t n = trace_nplaces(t);
    if (o->delay > 0 || o->grain > 0 || list->n > 1 || (list->n == 1 && list->at[0] != n)) {
        paf_complain("simulate",
                     "a measured run keeps its work on its places: %u here, with neither --delay "
                     "nor --grain (leave out --processors, or give %u)",
                     n, n);
        return COMMAND_USAGE;
    }
    answer x = {.machine = {n, 0, 0}, .sums = {.processors = n, .span = trace_elapsed(t)}};
    for (uint32_t i = 0; i < iot_nwaiting(a); i++)
        x.sums.waiting += (int64_t)iot_get_waiting(a, i)->time;
    x.sums.busy = (int64_t)iot_place_time(a) - x.sums.waiting;
    x.sums.idle = n * x.sums.span - x.sums.busy - x.sums.waiting;
    print_all(a, o, &x, 1);
    return COMMAND_OK;
}

static bool read_options(int argc, char **argv, simulate_options *o, int *ret_status)
{
    const paf_option options[] = {
        {"processors", 0, PAF_OPTION_TEXT, {.text = &o->processors}, 0},
        {"delay", 0, PAF_OPTION_NUMBER, {.number = &o->delay}, 0},
        {"grain", 0, PAF_OPTION_NUMBER, {.number = &o->grain}, 0},
        {"partition", 'p', PAF_OPTION_TEXT, {.text = &o->partition}, 0},
        {"json", 0, PAF_OPTION_FLAG, {.flag = &o->json}, 0},
        {0},
    };
    const paf_usage usage = {"simulate", help, options, 1, 1};
    if (!paf_read_options(&usage, argc, argv, ret_status))
        return false;
    if (o->delay <= LONGEST && o->grain <= LONGEST)
        return true;
    paf_complain("simulate", "--delay and --grain are at most %d", LONGEST);
    *ret_status = COMMAND_USAGE;
    return false;
}

static int simulate_trace(const trace *t, const simulate_options *o, numbers *list)
{
    iot_partition *p = paf_read_partition("simulate", t, o->partition);
    if (!p)
        return COMMAND_USAGE;
    iot *a = iot_analyse(t, p, NULL, NULL);
    int status = COMMAND_OK;
    if (trace_is_measured(t))
        status = show_measured(a, o, list);
    else
        simulate(a, o, list);
    iot_destroy(a);
    iot_partition_destroy(p);
    return status;
}

int paf_command_simulate(int argc, char **argv)
{
    simulate_options o = {0};
    numbers list = {0};
    int status;
    if (!read_options(argc, argv, &o, &status))
        return status;
    if (o.processors && !read_list(o.processors, &list)) {
        free(list.at);
        return COMMAND_USAGE;
    }
    trace *t = paf_open_trace("simulate", argv[optind], &status);
    if (t && !paf_expect_history("simulate", argv[optind], t))
        status = COMMAND_NOTHING;
    else if (t) {
        int shown = simulate_trace(t, &o, &list);
        status = shown ? shown : status;
    }
    trace_close(t);
    free(list.at);
    return status;
}
