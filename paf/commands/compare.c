// SPDX-License-Identifier: MIT
//
// `paf compare`: two runs side by side, as text and as JSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "iotree/findings.h"
#include "paf/commands/compare.h"
#include "paf/say/numbers.h"

static const char help[] =
    "usage: paf compare [OPTION...] A.paf B.paf\n"
    "Which run is the faster one and why: both runs' figures, module by module what differs, what\n"
    "got slower first; what became of A's findings in B: what was predicted, what was achieved, and\n"
    "why the two differ.\n"
    "\n"
    "  -p, --partition P  modules of both runs, as NAME=p/2,q/3 ..., or a file of such lines;\n"
    "                     an entry may be of one run only\n"
    "      --clock CLOCK  real (default of measured runs): how long the runs took, and how long each\n"
    "                     module was busy; or virtual (default of all others)\n"
    "      --json         as JSON\n"
    "      --memory SIZE  that may be taken, as in 500M or 2G\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 a file is damaged (what is readable is compared); 2 usage.\n";

typedef compared_run run;

// A module as it is in the two runs; NULL where a run has none of the name. A program's own module
// is one, whatever the file is called.
typedef struct {
    const char *name; // in the first run that has it
    const char *key;  // lasting_keys()
    const iot_module *in[2];
    double order;
} module_pair;

typedef struct {
    run runs[2];
    module_pair *pairs;
    char **keys[2]; // by run and module
    size_t n;
    int slower; // 0, 1, or -1 if neither is
    iot_clock clock;
    bool named; // it was asked for
    const char *work_name, *span_name;
} comparison;

// ---------------------------------------------------------------------------------------------
// Aligning

// Steps on the critical path; by real time nanoseconds that the module was busy.
static double part_of(const comparison *c, const module_pair *p, int which)
{
    const iot_module *m = p->in[which];
    return m ? (double)(c->clock == IOT_REAL_TIME ? m->busy : m->critical) : 0;
}

// m = t_a log(t_a / t_b), t the part of the module, a the slower run. A module that is on
// one of the two paths only counts as if it were there for half a step on the other.
static double order_of(const comparison *c, const module_pair *p)
{
    int a = c->slower < 0 ? 0 : c->slower;
    double ta = part_of(c, p, a), tb = part_of(c, p, 1 - a);
    if (ta == tb)
        return 0;
    ta = ta > 0 ? ta : 0.5;
    tb = tb > 0 ? tb : 0.5;
    return ta * log(ta / tb);
}

static int by_order(const void *x, const void *y)
{
    const module_pair *a = x, *b = y;
    if (a->order != b->order)
        return a->order > b->order ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool has_goals(const iot_module *m)
{
    return m->work || m->waiting;
}

// The module of the trace that a module of its analysis is; IOT_NONE: the partition made it.
static uint32_t module_of_trace(const run *r, const char *name)
{
    for (uint32_t m = 0; m < trace_nmodules(r->t); m++)
        if (!strcmp(trace_module_name(r->t, m), name))
            return m;
    return IOT_NONE;
}

// Names that both versions of a measured program have: "region heat.c #2", by module of the analysis. If each
// run has a single source, the file may have been renamed. Of Fleng programs modules have names of their own.
static char **lasting_keys(const run *r, bool same_file)
{
    uint32_t n = iot_nmodules(r->a);
    iot_lasting *names = iot_lasting_names(r->t);
    char **keys = base_allocate(n, sizeof *keys);
    const char *source = same_file ? trace_name(r->t, trace_get_source(r->t, 0)->name) : "";
    for (uint32_t i = 0; i < n; i++) {
        const char *name = iot_get_module(r->a, i)->name;
        uint32_t m = module_of_trace(r, name);
        bool known = m != IOT_NONE && trace_is_measured(r->t);
        const char *base = known ? names[m].name : name;
        char *at = known && *source ? strstr(base, source) : NULL;
        keys[i] = base_format("%.*s%s #%u", at ? (int)(at - base) : (int)strlen(base), base,
                              at ? at + strlen(source) : "", known ? names[m].ordinal : 1);
    }
    iot_lasting_free(r->t, names);
    return keys;
}

static bool same_module(const comparison *c, const module_pair *pair, int which, const iot_module *m,
                        const char *key)
{
    const trace *a = c->runs[0].t, *b = c->runs[1].t;
    if (which == 1 && pair->in[0] && pair->in[1])
        return false;
    return !strcmp(pair->key, key) ||
           (which == 1 && pair->in[0] && !pair->in[1] && paf_is_own_module(a, pair->name) &&
            paf_is_own_module(b, m->name));
}

static void align(comparison *c)
{
    size_t most = (size_t)iot_nmodules(c->runs[0].a) + iot_nmodules(c->runs[1].a);
    c->pairs = base_allocate(most, sizeof *c->pairs);
    bool same_file = trace_nsources(c->runs[0].t) == 1 && trace_nsources(c->runs[1].t) == 1;
    for (int i = 0; i < 2; i++)
        c->keys[i] = lasting_keys(&c->runs[i], same_file);
    for (int which = 0; which < 2; which++) {
        for (uint32_t i = 0; i < iot_nmodules(c->runs[which].a); i++) {
            const iot_module *m = &c->runs[which].modules[i];
            size_t j = 0;
            while (j < c->n && !same_module(c, &c->pairs[j], which, m, c->keys[which][i]))
                j++;
            if (!has_goals(m))
                continue;
            if (j == c->n) {
                c->pairs[c->n].key = c->keys[which][i];
                c->pairs[c->n++].name = m->name;
            }
            c->pairs[j].in[which] = m;
        }
    }
    for (size_t i = 0; i < c->n; i++)
        c->pairs[i].order = order_of(c, &c->pairs[i]);
    if (c->n)
        qsort(c->pairs, c->n, sizeof *c->pairs, by_order);
}

// By real time the work of a module is the time that it was busy, and the span how long the run took.
static void measure(run *r, iot_clock clock)
{
    bool real = clock == IOT_REAL_TIME;
    r->modules = base_allocate(iot_nmodules(r->a), sizeof *r->modules);
    r->work = real ? 0 : (double)iot_work(r->a);
    for (uint32_t i = 0; i < iot_nmodules(r->a); i++) {
        r->modules[i] = iot_module_by(r->a, clock, i);
        if (real)
            r->work += (double)(r->modules[i].work = r->modules[i].busy);
    }
    r->span = (double)iot_end(r->a, clock);
    r->parallelism = r->span > 0 ? r->work / r->span : 0;
}

// ---------------------------------------------------------------------------------------------
// The sentence

static char *amount(const comparison *c, const run *r, int64_t n)
{
    return c->clock == IOT_REAL_TIME ? paf_nanoseconds(n) : paf_amount(r->t, n);
}

// "3 reductions on the critical path"; of a measured run "119 ms of the critical path".
static char *on_critical_path(const comparison *c, const module_pair *p, int which)
{
    const trace *t = c->runs[which].t;
    uint64_t n = p->in[which] ? p->in[which]->critical : 0;
    char *amount = paf_amount(t, (int64_t)n);
    char *text = g_strdup_printf("%s %s the critical path", amount,
                                 trace_is_measured(t) ? "of"
                                 : n == 1       ? "reduction on"
                                                : "reductions on");
    g_free(amount);
    return text;
}

// The module with the largest share in the difference; NULL: none has.
static const module_pair *most_different(const comparison *c)
{
    const module_pair *most = NULL;
    double drop = 0;
    for (size_t i = 0; i < c->n; i++) {
        double d = part_of(c, &c->pairs[i], c->slower) - part_of(c, &c->pairs[i], 1 - c->slower);
        if (d > drop) {
            drop = d;
            most = &c->pairs[i];
        }
    }
    return most;
}

static void say_who_was_busy(base_text *out, const comparison *c)
{
    const module_pair *most = most_different(c);
    if (!most || c->n < 2)
        return;
    char *slow = paf_nanoseconds((int64_t)part_of(c, most, c->slower));
    char *fast = paf_nanoseconds((int64_t)part_of(c, most, 1 - c->slower));
    text_add_format(out, "; %s was busy for %s instead of %s", most->name, fast, slow);
    g_free(slow);
    g_free(fast);
}

static void say_why(base_text *out, const comparison *c)
{
    int slow = c->slower, fast = 1 - slow;
    const module_pair *most = most_different(c);
    if (most && !most->in[fast]) {
        char *path = on_critical_path(c, most, slow);
        text_add_format(out, "; %s, with %s, is no module of the faster run", most->name, path);
        g_free(path);
    } else if (most && c->n > 1) {
        char *path = on_critical_path(c, most, fast);
        char *other = paf_amount(c->runs[slow].t, (int64_t)most->in[slow]->critical);
        text_add_format(out, "; %s has %s instead of %s", most->in[fast]->name, path, other);
        g_free(path);
        g_free(other);
    }
    const run *r = &c->runs[fast];
    if (iot_is_creation_bound(r->a))
        text_add_format(out, "; process creation is %u %% of the critical path of %s",
                        100 * iot_creation_length(r->a) / iot_critical_length(r->a), r->path);
}

// Such a run may have done less than its program would.
static void say_unfinished(base_text *out, const comparison *c)
{
    const run *a = &c->runs[0], *b = &c->runs[1];
    const run *first = iot_ran_to_end(a->t) ? b : a;
    text_add_format(out, "%s did not run to its end (%s)", first->path, paf_end_name(first->t));
    if (first == a && !iot_ran_to_end(b->t))
        text_add_format(out, ", nor did %s (%s)", b->path, paf_end_name(b->t));
    text_add_string(out, ": the spans do not compare");
}

static char *span_text(const comparison *c, const run *r)
{
    return amount(c, r, (int64_t)r->span);
}

// Whether no construct of one measured run is in the other; what is between constructs does not count.
static bool share_nothing(const comparison *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const module_pair *p = &c->pairs[i];
        uint32_t m = p->in[0] && p->in[1] ? module_of_trace(&c->runs[0], p->name) : IOT_NONE;
        trace_kind kind = m == IOT_NONE ? TRACE_KIND_NONE : trace_get_module(c->runs[0].t, m)->kind;
        if (kind != TRACE_KIND_NONE && kind != TRACE_KIND_SERIAL && kind != TRACE_KIND_COMPUTATION &&
            kind != TRACE_KIND_COMPUTATION_BEFORE)
            return false;
    }
    return true;
}

// Every program has main, and a predicate for the goal that begins it.
static bool is_own(const trace *t, const trace_predicate *p)
{
    const char *name = trace_name(t, p->name);
    return p->origin == TRACE_PROGRAM && strcmp(name, "main") && name[0] != '$';
}

// Whether no predicate of one program is in the other.
static bool share_no_predicate(const trace *a, const trace *b)
{
    for (uint32_t i = 0; i < trace_npredicates(a); i++) {
        const trace_predicate *p = trace_get_predicate(a, i);
        for (uint32_t j = 0; is_own(a, p) && j < trace_npredicates(b); j++) {
            const trace_predicate *q = trace_get_predicate(b, j);
            if (is_own(b, q) && p->arity == q->arity && !strcmp(trace_name(a, p->name), trace_name(b, q->name)))
                return false;
        }
    }
    return true;
}

// Two runs of which nothing is alike are most likely those of different programs.
static bool are_strangers(const comparison *c)
{
    const trace *a = c->runs[0].t, *b = c->runs[1].t;
    if (trace_is_measured(a) != trace_is_measured(b) || !strcmp(trace_program(a), trace_program(b)))
        return false;
    return trace_is_measured(a) ? share_nothing(c) : share_no_predicate(a, b);
}

// Did a busy machine lengthen one of two measured runs? Their findings tell what the runs take without
// that, and so does the sentence, after what the clock said.
static bool was_busy(const comparison *c)
{
    return c->clock == IOT_REAL_TIME && trace_is_measured(c->runs[0].t) &&
           trace_is_measured(c->runs[1].t) && iot_ran_to_end(c->runs[0].t) &&
           iot_ran_to_end(c->runs[1].t) &&
           (iot_is_disturbed(c->runs[0].a) || iot_is_disturbed(c->runs[1].a));
}

static void say_undisturbed(base_text *text, const comparison *c)
{
    const run *a = &c->runs[0], *b = &c->runs[1];
    char *first = paf_nanoseconds(iot_whole(a->a)), *second = paf_nanoseconds(iot_whole(b->a));
    text_add_format(text, "; the machine was busy: with its processors %s would take about %s, and %s about %s",
                    a->path, first, b->path, second);
    g_free(first);
    g_free(second);
}

static char *sentence(const comparison *c)
{
    base_text text = {0};
    const run *a = &c->runs[0], *b = &c->runs[1];
    const run *slow = c->slower == 1 ? b : a, *fast = slow == a ? b : a;
    char *slow_span = span_text(c, slow), *fast_span = span_text(c, fast);
    bool measured = trace_is_measured(a->t);
    if (measured != trace_is_measured(b->t)) {
        text_add_format(&text, "%s was measured in seconds, %s has steps: they do not compare",
                        measured ? a->path : b->path, measured ? b->path : a->path);
    } else if (!iot_ran_to_end(a->t) || !iot_ran_to_end(b->t)) {
        say_unfinished(&text, c);
    } else if (c->slower < 0) {
        text_add_format(&text, c->clock == IOT_REAL_TIME ? "%s and %s took equally long, %s"
                                                         : "%s and %s have the same span, %s",
                        a->path, b->path, slow_span);
    } else {
        if (fast->span > 0)
            text_add_format(&text, "%s is %.2f times as fast as %s: %s %s instead of %s",
                            fast->path, slow->span / fast->span, slow->path, c->span_name,
                            fast_span, slow_span);
        else
            text_add_format(&text, "%s reduced nothing; %s has %s %s", fast->path, slow->path,
                            c->span_name, slow_span);
        if (c->clock == IOT_REAL_TIME)
            say_who_was_busy(&text, c);
        else
            say_why(&text, c);
    }
    if (was_busy(c))
        say_undisturbed(&text, c);
    if (are_strangers(c))
        text_add_string(&text, "; nothing in one has a name of the other: are they the same program?");
    g_free(slow_span);
    g_free(fast_span);
    return text_finish(&text);
}

// ---------------------------------------------------------------------------------------------
// What a real run did more than the ideal machine: work that depended on the order

typedef struct {
    int real;            // which of the runs
    uint64_t reductions; // more, in modules that made more; those of other modules do not count
    double time;         // nanoseconds that they took, as long as others of their modules
} more_work;

// False: there is not one real and one ideal run, and both to their ends.
static bool find_more_work(const comparison *c, more_work *ret)
{
    const trace *a = c->runs[0].t, *b = c->runs[1].t;
    *ret = (more_work){.real = trace_get_clock(a) == TRACE_REAL ? 0 : 1};
    if (trace_get_clock(c->runs[ret->real].t) != TRACE_REAL ||
        trace_get_clock(c->runs[1 - ret->real].t) != TRACE_VIRTUAL || !iot_ran_to_end(a) ||
        !iot_ran_to_end(b))
        return false;
    const run *real = &c->runs[ret->real];
    for (uint32_t i = 0; i < iot_nmodules(real->a); i++) {
        const iot_module m = iot_module_by(real->a, IOT_REAL_TIME, i);
        uint64_t ideal = 0;
        for (size_t j = 0; j < c->n; j++)
            if (c->pairs[j].in[ret->real] == &real->modules[i] && c->pairs[j].in[1 - ret->real])
                ideal = c->pairs[j].in[1 - ret->real]->work;
        if (m.work <= ideal)
            continue;
        ret->reductions += m.work - ideal;
        ret->time += (double)(m.work - ideal) * (double)m.busy / (double)m.work;
    }
    return true;
}

// The same text: else what one did more need not be a matter of order.
static bool same_program(const trace *a, const trace *b)
{
    bool same = trace_nsources(a) == trace_nsources(b);
    for (uint32_t i = 0; same && i < trace_nsources(a); i++)
        same = strcmp(trace_name(a, trace_get_source(a, i)->text),
                      trace_name(b, trace_get_source(b, i)->text)) == 0;
    return same;
}

static void print_more_work(const comparison *c)
{
    more_work more;
    if (!find_more_work(c, &more))
        return;
    const run *real = &c->runs[more.real];
    if (more.reductions == 0) {
        printf("  %s did no more than the ideal machine\n", real->path);
        return;
    }
    char *n = paf_count(more.reductions, "reduction", "reductions");
    char *time = paf_nanoseconds((int64_t)more.time);
    printf("  %s did %s more than the ideal machine, which took about %s of its workers' time%s\n",
           real->path, n, time,
           same_program(c->runs[0].t, c->runs[1].t) ? ": that\n  work depended on the order"
                                                    : "; the programs differ");
    g_free(n);
    g_free(time);
}

static json_t *more_work_json(const comparison *c)
{
    more_work more;
    if (!find_more_work(c, &more))
        return NULL;
    return json_pack("{s:s,s:I,s:I}", "run", more.real ? "b" : "a", "reductions",
                     (json_int_t)more.reductions, "time", (json_int_t)more.time);
}

// ---------------------------------------------------------------------------------------------
// Text

static void add_ratio(paf_table *t, double a, double b)
{
    if (a > 0)
        paf_table_add(t, "%.3g", b / a);
    else
        paf_table_add(t, "-");
}

// Work or span.
static void add_amounts(paf_table *t, const comparison *c, const char *name, double a, double b)
{
    const trace *first = c->runs[0].t, *second = c->runs[1].t;
    paf_table_add(t, "%s", name);
    paf_table_add_time(t, first, c->clock, (int64_t)a);
    paf_table_add_time(t, second, c->clock, (int64_t)b);
    if (c->clock == IOT_REAL_TIME || trace_is_measured(first) == trace_is_measured(second)) {
        char *difference = amount(c, &c->runs[0], (int64_t)(b - a));
        paf_table_add(t, "%s%s", b > a ? "+" : "", difference);
        g_free(difference);
        add_ratio(t, a, b);
    } else { // steps beside time
        paf_table_add(t, "-");
        paf_table_add(t, "-");
    }
}

static void print_figures(const comparison *c)
{
    const run *a = &c->runs[0], *b = &c->runs[1];
    paf_table *t = paf_table_create("lrrrr");
    paf_table_add(t, "%s", "");
    paf_table_add(t, "%s", a->path);
    paf_table_add(t, "%s", b->path);
    paf_table_add(t, "difference");
    paf_table_add(t, "ratio");
    add_amounts(t, c, c->work_name, a->work, b->work);
    add_amounts(t, c, c->span_name, a->span, b->span);
    double difference = b->parallelism - a->parallelism;
    paf_table_add(t, "parallelism");
    paf_table_add(t, "%.2f", a->parallelism);
    paf_table_add(t, "%.2f", b->parallelism);
    paf_table_add(t, "%s%.2f", difference > 0 ? "+" : "", difference);
    add_ratio(t, a->parallelism, b->parallelism);
    printf("\n");
    paf_table_print(t);
}

static double share(const run *r, const iot_module *m)
{
    uint64_t length = iot_critical_cost(r->a);
    return m && length ? 100.0 * (double)m->critical / (double)length : 0;
}

static void add_share(paf_table *t, double percent)
{
    char *text = paf_percent(percent, 100);
    paf_table_add(t, "%s", text);
    g_free(text);
}

static void add_pair(paf_table *t, const comparison *c, const module_pair *p)
{
    const iot_module *a = p->in[0], *b = p->in[1];
    paf_table_add(t, "%s", p->name);
    const uint64_t values[][2] = {
        {a ? a->work : 0, b ? b->work : 0},
        {a ? a->critical : 0, b ? b->critical : 0},
        {a ? a->waiting : 0, b ? b->waiting : 0},
        {a ? a->peak : 0, b ? b->peak : 0},
    };
    enum { CRITICAL = 1, PEAK = 3 }; // of virtual time by any clock; processes at once
    for (int i = 0; i < 4; i++) {
        for (int which = 0; which < 2; which++) {
            if (!p->in[which])
                paf_table_add(t, "-");
            else if (i == PEAK)
                paf_table_add(t, "%llu", (unsigned long long)values[i][which]);
            else if (i == CRITICAL)
                paf_table_add_amount(t, c->runs[which].t, (int64_t)values[i][which]);
            else
                paf_table_add_time(t, c->runs[which].t, c->clock, (int64_t)values[i][which]);
        }
        for (int which = 0; i == 1 && which < 2; which++)
            add_share(t, share(&c->runs[which], p->in[which]));
    }
}

static void print_modules(const comparison *c)
{
    paf_table *t = paf_table_create("lrrrrrrrrrr");
    const char *work = c->clock == IOT_REAL_TIME ? "busy A" : "work A";
    const char *const names[] = {"module", work,        "B", "critical A", "B", "share A",
                                 "B",      "waiting A", "B", "peak A",     "B"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(t, "%s", names[i]);
    for (size_t i = 0; i < c->n; i++)
        add_pair(t, c, &c->pairs[i]);
    printf("\n");
    paf_table_print(t);
}

static void print_text(const comparison *c)
{
    char *text = sentence(c);
    printf("%s%s%s\n", paf_style_begin(STYLE_STRONG), text, paf_style_end(STYLE_STRONG));
    free(text);
    print_figures(c);
    print_more_work(c);
    print_modules(c);
    paf_print_fates(c->runs);
}

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *figures_json(double work, double span, double parallelism)
{
    json_t *o = json_object();
    json_object_set_new(o, "work", json_integer((json_int_t)work));
    json_object_set_new(o, "span", json_integer((json_int_t)span));
    json_object_set_new(o, "parallelism", json_real(parallelism));
    return o;
}

static json_t *ratio_json(double a, double b)
{
    return a > 0 ? json_real(b / a) : json_null();
}

static json_t *run_json(const comparison *c, const run *r)
{
    bool real = c->clock == IOT_REAL_TIME;
    json_t *o = json_object();
    json_object_set_new(o, "file", paf_json_text(r->path));
    json_object_set_new(o, "program", paf_json_text(trace_program(r->t)));
    const char *clock = c->named ? real ? "real" : "virtual" : paf_clock_name(r->t);
    json_object_set_new(o, "clock", paf_json_text(clock));
    json_object_set_new(o, "ending", paf_json_text(paf_ending_name(trace_get_ending(r->t))));
    json_t *figures = figures_json(r->work, r->span, r->parallelism);
    json_object_update(o, figures);
    json_decref(figures);
    return o;
}

static json_t *module_json(const run *r, const iot_module *m)
{
    if (!m)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "work", json_integer((json_int_t)m->work));
    json_object_set_new(o, "critical", json_integer((json_int_t)m->critical));
    json_object_set_new(o, "share", json_real(share(r, m) / 100));
    json_object_set_new(o, "waiting", json_integer((json_int_t)m->waiting));
    json_object_set_new(o, "peak", json_integer((json_int_t)m->peak));
    return o;
}

static json_t *comparison_json(const comparison *c)
{
    const run *a = &c->runs[0], *b = &c->runs[1];
    json_t *root = paf_json_answer(), *ratio = json_object(), *modules = json_array();
    json_object_set_new(root, "sentence", paf_json_take(sentence(c)));
    json_object_set_new(root, "faster",
                        c->slower < 0 ? json_null() : paf_json_text(c->slower ? "a" : "b"));
    json_object_set_new(root, "a", run_json(c, a));
    json_object_set_new(root, "b", run_json(c, b));
    json_object_set_new(
        root, "difference",
        figures_json(b->work - a->work, b->span - a->span, b->parallelism - a->parallelism));
    json_object_set_new(ratio, "work", ratio_json(a->work, b->work));
    json_object_set_new(ratio, "span", ratio_json(a->span, b->span));
    json_object_set_new(ratio, "parallelism", ratio_json(a->parallelism, b->parallelism));
    json_object_set_new(root, "ratio", ratio);
    json_t *more = more_work_json(c);
    if (more)
        json_object_set_new(root, "more_work", more);
    for (size_t i = 0; i < c->n; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "name", paf_json_text(c->pairs[i].name));
        json_object_set_new(o, "a", module_json(a, c->pairs[i].in[0]));
        json_object_set_new(o, "b", module_json(b, c->pairs[i].in[1]));
        json_array_append_new(modules, o);
    }
    json_object_set_new(root, "modules", modules);
    paf_set_fates_json(root, c->runs);
    return root;
}

// ---------------------------------------------------------------------------------------------

// *status notes damage.
static int open_run(run *r, const char *path, int *status)
{
    r->path = path;
    r->t = paf_open_trace("compare", path, status);
    return r->t && paf_expect_history("compare", path, r->t) ? COMMAND_OK : COMMAND_NOTHING;
}

// COMMAND_USAGE if the partition does not fit.
static int analyse_run(run *r, const run *other, iot_clock clock, const char *partition)
{
    iot_partition *p = paf_read_partition_among("compare", r->t, other->t, partition);
    if (!p)
        return COMMAND_USAGE;
    r->a = iot_analyse(r->t, p, NULL, NULL);
    iot_partition_destroy(p);
    measure(r, clock);
    return COMMAND_OK;
}

static void match(comparison *c)
{
    const run *a = &c->runs[0], *b = &c->runs[1];
    bool comparable = iot_ran_to_end(a->t) && iot_ran_to_end(b->t) && a->span != b->span;
    c->slower = !comparable ? -1 : a->span > b->span ? 0 : 1;
    align(c);
}

static void print(comparison *c, bool json)
{
    match(c);
    if (json)
        paf_json_print(comparison_json(c));
    else
        print_text(c);
}

// Real time if both have it and it is asked for, or both were measured: of those the replay on unlimited
// processors is not what anybody waited for.
static void choose_clock(comparison *c, const char *name)
{
    bool measured = trace_is_measured(c->runs[0].t) && trace_is_measured(c->runs[1].t);
    bool both = name ? !strcmp(name, "real") : measured;
    for (int i = 0; i < 2; i++)
        both = both && paf_choose_clock("compare", c->runs[i].t, name) == IOT_REAL_TIME;
    c->clock = both ? IOT_REAL_TIME : IOT_VIRTUAL_TIME;
    c->named = name != NULL;
    c->work_name = both ? "busy" : "work";
    c->span_name = both ? "elapsed" : "span";
}

static void free_matches(comparison *c)
{
    free(c->pairs);
    for (int i = 0; i < 2; i++) {
        for (uint32_t m = 0; c->keys[i] && m < iot_nmodules(c->runs[i].a); m++)
            free(c->keys[i][m]);
        free(c->keys[i]);
        free(c->runs[i].modules);
    }
}

json_t *paf_comparison_json(const char *const paths[2], trace *const traces[2], iot *const analyses[2])
{
    comparison c = {0};
    for (int i = 0; i < 2; i++) {
        c.runs[i].path = paths[i];
        c.runs[i].a = analyses[i];
        c.runs[i].t = traces[i];
    }
    choose_clock(&c, NULL);
    for (int i = 0; i < 2; i++)
        measure(&c.runs[i], c.clock);
    match(&c);
    json_t *json = comparison_json(&c);
    free_matches(&c);
    return json;
}

int paf_command_compare(int argc, char **argv)
{
    const char *partition = NULL, *clock = NULL;
    bool json = false;
    const paf_option options[] = {{"partition", 'p', PAF_OPTION_TEXT, {.text = &partition}, 0},
                                  {"clock", 0, PAF_OPTION_TEXT, {.text = &clock}, 0},
                                  {.name = "json", .to.flag = &json},
                                  {0}};
    const paf_usage usage = {"compare", help, options, 2, 2};
    comparison c = {0};
    int status, failed = COMMAND_OK;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    if (!paf_is_clock("compare", clock))
        return COMMAND_USAGE;
    for (int i = 0; i < 2 && !failed; i++)
        failed = open_run(&c.runs[i], argv[optind + i], &status);
    if (!failed)
        choose_clock(&c, clock);
    for (int i = 0; i < 2 && !failed; i++)
        failed = analyse_run(&c.runs[i], &c.runs[1 - i], c.clock, partition);
    if (!failed)
        print(&c, json);
    free_matches(&c);
    for (int i = 0; i < 2; i++) {
        iot_destroy(c.runs[i].a);
        if (c.runs[i].t)
            trace_close(c.runs[i].t);
    }
    return failed ? failed : status;
}
