// SPDX-License-Identifier: MIT
//
// The price of operations as the command line names them: of a Fleng run on the graph of waits, on
// processors by simulation; of a measured run by its replay.
#include <math.h>

#include "base/text.h"
#include "iotree/findings/findings.h"
#include "iotree/prices/classes.h"
#include "iotree/prices/operations.h"
#include "iotree/prices/replay.h"
#include "iotree/rerun.h"
#include "iotree/processors/simulation.h"

// The operations are read in this order, whatever the order on the command line: classes that are
// left out and trees decide what a window may replace.
static const iot_operation_kind order[] = {IOT_SPEED_UP, IOT_EVEN,      IOT_WITHOUT,
                                           IOT_TREE,     IOT_UNORDERED, IOT_WINDOW};

// Cuts NAME=NUMBER at the last `=`. The name is malloc'ed.
static bool cut_number(const char *text, double least, char **ret_name, double *ret_number)
{
    const char *equals = strrchr(text, '=');
    char *end;
    if (!equals || equals == text || !equals[1])
        return false;
    double number = strtod(equals + 1, &end);
    if (*end || !(number >= least) || !isfinite(number) || number <= 0)
        return false;
    *ret_name = base_copy_bytes(text, (size_t)(equals - text));
    *ret_number = number;
    return true;
}

static char *count_text(uint64_t n, const char *one, const char *many, const char *what)
{
    return base_format("%llu %s %s", (unsigned long long)n, n == 1 ? one : many, what);
}

#define MOST_NAMED 16u // modules, in a message

static char *no_module(const iot *a, const char *name)
{
    base_text text = {0};
    text_add_format(&text, "no module %s: there %s ", name, a->nmodules == 1 ? "is" : "are");
    for (uint32_t m = 0; m < a->nmodules && m < MOST_NAMED; m++)
        text_add_format(&text, "%s%s", m ? ", " : "", a->modules[m].name);
    if (a->nmodules > MOST_NAMED)
        text_add_format(&text, " and %u more", a->nmodules - MOST_NAMED);
    return text_finish(&text);
}

#define LEAST_FACTOR 0.001 // of a module's speed: times stay within what a figure can show

// Reads MODULE=K. Sets the bits of the modules of that name.
static iot_price_status read_speed_up(const iot *a, const char *text, uint8_t *modules,
                                      double *ret_divisor, char **ret_error)
{
    char *name;
    bool found = false;
    if (!cut_number(text, LEAST_FACTOR, &name, ret_divisor)) {
        *ret_error = base_format("`%s` is not MODULE=K with a number K of at least %g", text, LEAST_FACTOR);
        return IOT_NOT_UNDERSTOOD;
    }
    for (uint32_t m = 0; m < a->nmodules; m++) {
        if (!strcmp(a->modules[m].name, name)) {
            bit_set(modules, m);
            found = true;
        }
    }
    if (!found)
        *ret_error = no_module(a, name);
    free(name);
    return found ? IOT_PRICED : IOT_NOTHING_MATCHES;
}

static iot_price_status speed_up(price_draft *d, const char *text, char **ret_said,
                                 char **ret_error)
{
    double divisor;
    uint8_t *modules = bits_allocate(d->a->nmodules);
    iot_price_status status = read_speed_up(d->a, text, modules, &divisor, ret_error);
    if (status == IOT_PRICED) {
        uint64_t n = iot_draft_speed_up(d, modules, divisor);
        *ret_said = count_text(n, "reduction costs", "reductions cost",
                               divisor >= 1 ? "less" : "more");
    }
    free(modules);
    return status;
}

static uint64_t waits_of(const wait_graph *g, const uint8_t *kinds)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < g->nkinds; k++)
        n += bit_get(kinds, k) ? g->kinds_of[k].waits : 0;
    return n;
}

static iot_price_status without(price_draft *d, const char *text, char **ret_said, char **ret_error)
{
    uint8_t *kinds = bits_allocate(d->g->nkinds);
    iot_price_status status = iot_find_class(d->a, d->g, text, kinds, ret_error);
    if (status != IOT_PRICED) {
        free(kinds);
        return status;
    }
    *ret_said = count_text(waits_of(d->g, kinds), "wait", "waits", "left out");
    if (!d->without)
        d->without = bits_allocate(d->g->nkinds);
    for (uint32_t i = 0; i <= d->g->nkinds / 8; i++)
        d->without[i] |= kinds[i];
    free(kinds);
    return IOT_PRICED;
}

static iot_price_status window(price_draft *d, const char *text, char **ret_said, char **ret_error)
{
    char *name;
    double n;
    if (!cut_number(text, 1, &name, &n) || n != floor(n) || n > UINT32_MAX) {
        *ret_error = base_format("`%s` is not CLASS=N with a whole number N from 1 on", text);
        return IOT_NOT_UNDERSTOOD;
    }
    uint8_t *kinds = bits_allocate(d->g->nkinds);
    iot_price_status status = iot_find_class(d->a, d->g, name, kinds, ret_error);
    if (status == IOT_PRICED) {
        char *what = n == 1 ? base_copy("changed: a window of 1 is the run as it was")
                            : base_format("wait for the one %.0f before instead", n - 1);
        *ret_said = count_text(iot_draft_window(d, kinds, (uint64_t)n), "read", "reads", what);
        free(what);
    }
    free(kinds);
    free(name);
    return status;
}

static iot_price_status of_predicate(price_draft *d, const iot_operation *o, char **ret_said,
                                     char **ret_error)
{
    uint8_t *predicates = bits_allocate(trace_npredicates(d->a->t));
    iot_price_status status = iot_find_predicates(d->a->t, o->argument, predicates, ret_error);
    uint32_t longest;
    uint64_t n = 0;
    if (status == IOT_PRICED && o->kind == IOT_TREE) {
        n = iot_draft_tree(d, predicates, &longest);
        char *what = base_format("of chains become trees; the longest chain has %u", longest);
        *ret_said = count_text(n, "goal", "goals", what);
        free(what);
    } else if (status == IOT_PRICED && o->kind == IOT_EVEN) {
        n = iot_draft_even(d, predicates);
        *ret_said = count_text(n, "goal", "goals", "with more work than the mean of their siblings "
                                                   "have the mean");
    } else if (status == IOT_PRICED) {
        n = iot_draft_unordered(d, predicates);
        *ret_said = count_text(n, "goal", "goals", "no longer wait for the one before");
    }
    free(predicates);
    return status;
}

static iot_price_status draft(price_draft *d, const iot_operation *o, char **ret_said,
                              char **ret_error)
{
    switch (o->kind) {
    case IOT_SPEED_UP:
        return speed_up(d, o->argument, ret_said, ret_error);
    case IOT_WITHOUT:
        return without(d, o->argument, ret_said, ret_error);
    case IOT_WINDOW:
        return window(d, o->argument, ret_said, ret_error);
    default:
        return of_predicate(d, o, ret_said, ret_error);
    }
}

iot_price_status iot_draft_all(const iot *a, const wait_graph *g, const iot_operation *operations,
                               uint32_t n, wait_change *ret, char **said, char **ret_error)
{
    price_draft d = {.a = a, .g = g};
    iot_price_status status = IOT_PRICED;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (uint32_t i = 0; i < n && status == IOT_PRICED; i++)
            if (operations[i].kind == order[k])
                status = draft(&d, &operations[i], &said[i], ret_error);
    *ret = iot_finish_draft(&d);
    if (status != IOT_PRICED)
        iot_free_change(ret);
    return status;
}

// On processors both spans are simulated. False if cancelled.
static bool price_change(const iot *a, const wait_graph *g, const wait_change *change,
                         uint32_t processors, iot_progress progress, void *data,
                         iot_price_answer *ret)
{
    iot_machine machine = {.processors = processors};
    if (processors == 0) {
        ret->span = (double)g->span;
        ret->span_without = iot_span_under(g, change, NULL);
        return true;
    }
    const wait_change changes[2] = {{0}, *change};
    double spans[2];
    if (!iot_simulated_spans_under(a, g, changes, 2, &machine, spans, progress, data))
        return false;
    ret->span = spans[0];
    ret->span_without = spans[1];
    return true;
}

static iot_price_status price_fleng(const iot *a, const iot_operation *operations, uint32_t n,
                                    uint32_t processors, iot_progress progress, void *data,
                                    iot_price_answer *ret, char **ret_error)
{
    wait_change change;
    const wait_graph *g = iot_waits(a, progress, data);
    if (!g)
        return IOT_PRICE_CANCELLED;
    iot_price_status status = iot_draft_all(a, g, operations, n, &change, ret->said, ret_error);
    if (status != IOT_PRICED)
        return status;
    bool done = price_change(a, g, &change, processors, progress, data, ret);
    iot_free_change(&change);
    return done ? IOT_PRICED : IOT_PRICE_CANCELLED;
}

// ---------------------------------------------------------------------------------------------
// Measured runs: their activities keep their places, so they have processors already

typedef struct {
    const iot *a;
    const replay *r;
    uint8_t *free;  // bits by activity: does not wait
    int64_t *costs; // by activity
} replay_draft;

static iot_price_status free_waits(replay_draft *d, const char *text, char **ret_said,
                                   char **ret_error)
{
    uint8_t *bits = bits_allocate(d->r->n);
    uint64_t n = 0;
    iot_price_status status = iot_free_class(d->a, d->r, text, bits, ret_error) ? IOT_PRICED
                              : iot_is_wait_class(text) ? IOT_NOTHING_MATCHES
                                                        : IOT_NOT_UNDERSTOOD;
    for (uint32_t i = 0; status == IOT_PRICED && i < d->r->n; i++) {
        n += bit_get(bits, i);
        if (bit_get(bits, i))
            bit_set(d->free, i);
    }
    if (status == IOT_PRICED)
        *ret_said = count_text(n, "wait", "waits", "for nothing");
    free(bits);
    return status;
}

static iot_price_status speed_up_activities(replay_draft *d, const char *text, char **ret_said,
                                            char **ret_error)
{
    double divisor;
    uint64_t n = 0;
    uint8_t *modules = bits_allocate(d->a->nmodules);
    iot_price_status status = read_speed_up(d->a, text, modules, &divisor, ret_error);
    for (uint32_t i = 1; status == IOT_PRICED && i < d->r->n; i++) {
        if (!d->r->waits[i] && bit_get(modules, d->a->processes[process_of(d->a, i)].module)) {
            d->costs[i] = llround((double)d->costs[i] / divisor);
            n++;
        }
    }
    if (status == IOT_PRICED)
        *ret_said = count_text(n, "activity costs", "activities cost",
                               divisor >= 1 ? "less" : "more");
    free(modules);
    return status;
}

// The construct at FILE:LINE takes all threads of its team equally long.
static iot_price_status make_even(replay_draft *d, const char *text, char **ret_said,
                                  char **ret_error)
{
    char *file;
    double line;
    const char *colon = strrchr(text, ':');
    char *named = colon ? base_format("%.*s=%s", (int)(colon - text), text, colon + 1) : NULL;
    bool read = named && cut_number(named, 1, &file, &line) && line == floor(line);
    free(named);
    if (!read) {
        *ret_error = base_format("'%s' is no construct: write FILE:LINE", text);
        return IOT_NOT_UNDERSTOOD;
    }
    uint32_t n = iot_make_even(d->a, d->r, file, (uint32_t)line, d->costs);
    free(file);
    if (n == 0) {
        *ret_error = base_format("no team shares work at %s", text);
        return IOT_NOTHING_MATCHES;
    }
    *ret_said = count_text(n, "construct has", "constructs have", "equal shares");
    return IOT_PRICED;
}

static iot_price_status draft_replay(replay_draft *d, const iot_operation *operations, uint32_t n,
                                     char **said, char **ret_error)
{
    iot_price_status status = IOT_PRICED;
    for (uint32_t i = 0; i < n && status == IOT_PRICED; i++) {
        const iot_operation *o = &operations[i];
        if (o->kind == IOT_WITHOUT) {
            status = free_waits(d, o->argument, &said[i], ret_error);
        } else if (o->kind == IOT_SPEED_UP) {
            status = speed_up_activities(d, o->argument, &said[i], ret_error);
        } else if (o->kind == IOT_EVEN) {
            status = make_even(d, o->argument, &said[i], ret_error);
        } else {
            *ret_error = base_format("%s: of a measured run it can be asked what it takes without "
                                     "a class of waits, with even shares of a construct, and with "
                                     "a module that is faster",
                                     o->argument);
            status = IOT_NOT_UNDERSTOOD;
        }
    }
    return status;
}

static void curve_of_replay(const replay *r, const int64_t *costs, const int64_t *ends, double span,
                            run_curve *ret)
{
    *ret = iot_curve_begin(span);
    for (uint32_t i = 1; i < r->n; i++)
        if (!r->waits[i])
            iot_curve_add(ret, (double)(ends[i] - costs[i]), (double)ends[i]);
    iot_curve_end(ret);
}

// Activities stay at their places. Those that compute share the processors.
iot_price_status iot_rerun_measured(const iot *a, const iot_operation *operations, uint32_t n,
                                    uint32_t processors, iot_progress progress, void *data,
                                    iot_price_answer *ret, run_curve *ret_curve, char **ret_error)
{
    const replay *recorded = iot_replay(a, progress, data);
    if (!recorded)
        return IOT_PRICE_CANCELLED;
    replay others = *recorded;
    const replay *r = recorded;
    if (processors > 0) {
        others.processors = processors;
        others.shares = true;
        r = &others;
    }
    replay_draft d = {.a = a, .r = r, .free = bits_allocate(r->n)};
    d.costs = base_allocate(r->n, sizeof *d.costs);
    memcpy(d.costs, r->costs, r->n * sizeof *d.costs);
    iot_price_status status = draft_replay(&d, operations, n, ret->said, ret_error);
    if (status == IOT_PRICED) {
        replay_change change = {.free = d.free, .costs = d.costs};
        ret->span = (double)(processors > 0 ? iot_elapsed_under(r, &(replay_change){0}, NULL)
                                            : r->elapsed);
        int64_t *ends = ret_curve ? base_allocate(r->n, sizeof *ends) : NULL;
        ret->span_without = (double)iot_elapsed_under(r, &change, ends);
        if (ret_curve)
            curve_of_replay(r, d.costs, ends, ret->span_without, ret_curve);
        free(ends);
    }
    free(d.free);
    free(d.costs);
    return status;
}

// ---------------------------------------------------------------------------------------------

iot_price_status iot_price(const iot *a, const iot_operation *operations, uint32_t n,
                           uint32_t processors, iot_progress progress, void *data,
                           iot_price_answer *ret, char **ret_error)
{
    iot_price_answer answer = {.said = base_allocate(n, sizeof *answer.said), .nsaid = n};
    iot_price_status status;
    if (trace_is_measured(a->t))
        status = iot_rerun_measured(a, operations, n, processors, progress, data, &answer, NULL,
                                    ret_error);
    else
        status = price_fleng(a, operations, n, processors, progress, data, &answer, ret_error);
    if (status == IOT_PRICED)
        *ret = answer;
    else
        iot_free_price(&answer);
    return status;
}

void iot_free_price(iot_price_answer *answer)
{
    for (uint32_t i = 0; i < answer->nsaid; i++)
        free(answer->said[i]);
    free(answer->said);
}
