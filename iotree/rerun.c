// SPDX-License-Identifier: MIT
//
// A Fleng run under operations: its curve, and its schedule on processors.
#include "iotree/rerun.h"

#include <math.h>

#include "iotree/graph/stage.h"
#include "iotree/prices/operations.h"
#include "iotree/processors/simulation.h"

#define MOST_STRETCHES ((int64_t)1 << 22)

// ---------------------------------------------------------------------------------------------
// Curves. While one is made, sums[i] has what intervals that begin or end in stretch i do in it, and
// more[i] how many more intervals cover all of i than of i - 1. more lies behind sums.

static double *more_of(const run_curve *c)
{
    return c->sums + c->n + 1;
}

run_curve iot_curve_begin(double span)
{
    run_curve c = {.width = 1};
    int64_t end = (int64_t)ceil(span) + 2;
    while (end / c.width >= MOST_STRETCHES)
        c.width *= 2;
    c.n = (uint32_t)(end / c.width + 1);
    c.sums = base_allocate(2 * (size_t)c.n + 2, sizeof *c.sums);
    return c;
}

void iot_curve_add(run_curve *c, double from, double to)
{
    double a = (from + 1) / (double)c->width, b = (to + 1) / (double)c->width;
    uint32_t i = (uint32_t)fmax(a, 0), j = (uint32_t)fmax(b, 0);
    if (!(b > a) || j >= c->n)
        return;
    if (i == j) {
        c->sums[i] += b - a;
        return;
    }
    c->sums[i] += i + 1 - a;
    c->sums[j] += b - j;
    more_of(c)[i + 1]++;
    more_of(c)[j]--;
}

void iot_curve_end(run_curve *c)
{
    double sum = 0, covering = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        covering += more_of(c)[i];
        double here = (c->sums[i] + covering) * (double)c->width;
        c->sums[i] = sum;
        sum += here;
    }
    c->sums[c->n] = sum;
    c->sums = base_resize(c->sums, (size_t)c->n + 1, sizeof *c->sums);
}

static double sum_before(const run_curve *c, double time)
{
    double at = time / (double)c->width;
    if (at <= 0)
        return 0;
    if (at >= c->n)
        return c->sums[c->n];
    uint32_t i = (uint32_t)at;
    return c->sums[i] + (c->sums[i + 1] - c->sums[i]) * (at - i);
}

double iot_curve_mean(const run_curve *c, double from, double to)
{
    return to > from ? (sum_before(c, to) - sum_before(c, from)) / (to - from) : 0;
}

// ---------------------------------------------------------------------------------------------

// By reduction; edits are in order.
static double cost_under(const wait_graph *g, const wait_change *change, uint32_t r, size_t *next)
{
    double cost = change->costs ? change->costs[r] : (double)wait_cost(g, r);
    if (*next < change->nreductions && change->reductions[*next].reduction == r) {
        double edited = change->reductions[(*next)++].cost;
        cost = edited >= 0 ? edited : cost;
    }
    return cost;
}

static void unlimited(const wait_graph *g, const wait_change *change, iot_rerun *ret)
{
    double *times = base_allocate((size_t)g->n + g->nrelays, sizeof *times);
    ret->price.span = (double)g->span;
    ret->price.span_without = iot_times_under(g, change, times);
    ret->curve = iot_curve_begin(ret->price.span_without);
    size_t next = 0;
    for (uint32_t r = 1; r < g->n; r++)
        iot_curve_add(&ret->curve, times[r] - cost_under(g, change, r, &next), times[r]);
    iot_curve_end(&ret->curve);
    free(times);
}

static void curve_of_schedule(iot_rerun *ret)
{
    const iot_schedule *s = &ret->schedule;
    double unit = (double)s->unit;
    ret->curve = iot_curve_begin(ret->price.span_without);
    for (uint32_t r = 1; r < s->n; r++)
        iot_curve_add(&ret->curve, (double)s->starts[r] / unit, (double)iot_schedule_end(s, r) / unit);
    iot_curve_end(&ret->curve);
}

static bool on_processors(const iot *a, const wait_graph *g, const wait_change *change,
                          uint32_t processors, iot_progress progress, void *data, iot_rerun *ret)
{
    const iot_machine machine = {processors, 0, 0};
    stage first = {progress, data, 0, 0.4}, making = {progress, data, 0.4, 0.6};
    stage running = {progress, data, 0.6, 1};
    task_graph tasks;
    task_times times;
    iot_simulated sums;
    ret->price.span = iot_simulated_span_under(a, g, NULL, &machine, tell_stage, &first);
    if (ret->price.span < 0 || !iot_make_tasks(a, g, change, tell_stage, &making, &tasks))
        return false;
    bool done = iot_run_tasks(&tasks, &machine, tell_stage, &running, &sums, &times);
    if (done) {
        ret->schedule = iot_schedule_of(&tasks, g->n, &times);
        ret->schedule.machine = machine;
        ret->schedule.sums = sums;
        ret->price.span_without = (double)sums.span / (double)tasks.unit;
        curve_of_schedule(ret);
    }
    iot_free_tasks(&tasks);
    return done;
}

static iot_price_status run_fleng(const iot *a, const iot_operation *operations, uint32_t n,
                                  uint32_t processors, iot_progress progress, void *data,
                                  iot_rerun *ret, char **ret_error)
{
    wait_change change;
    stage reading = {progress, data, 0, 0.4}, running = {progress, data, 0.4, 1};
    const wait_graph *g = iot_waits(a, tell_stage, &reading);
    if (!g)
        return IOT_PRICE_CANCELLED;
    iot_price_status status = iot_draft_all(a, g, operations, n, &change, ret->price.said, ret_error);
    if (status != IOT_PRICED)
        return status;
    if (processors == 0)
        unlimited(g, &change, ret);
    else if (!on_processors(a, g, &change, processors, tell_stage, &running, ret))
        status = IOT_PRICE_CANCELLED;
    iot_free_change(&change);
    return status;
}

static bool run_on_each(const task_graph *tasks, const uint32_t *processors, uint32_t n,
                        iot_progress progress, void *data, double *ret_spans)
{
    bool done = true;
    for (uint32_t i = 0; done && i < n; i++) {
        const iot_machine machine = {processors[i], 0, 0};
        stage one = {progress, data, (double)i / n, (double)(i + 1) / n};
        iot_simulated sums;
        done = iot_run_tasks(tasks, &machine, tell_stage, &one, &sums, NULL);
        ret_spans[i] = done ? (double)sums.span / (double)tasks->unit : 0;
    }
    return done;
}

iot_price_status iot_times_on(const iot *a, const iot_operation *operations, uint32_t n,
                              const uint32_t *processors, uint32_t nmachines, iot_progress progress,
                              void *data, double *ret_spans, char **ret_error)
{
    iot_price_answer answer = {.said = base_allocate(n, sizeof *answer.said), .nsaid = n};
    wait_change change;
    task_graph tasks;
    const wait_graph *g = iot_waits(a, progress, data);
    iot_price_status status =
        g ? iot_draft_all(a, g, operations, n, &change, answer.said, ret_error) : IOT_PRICE_CANCELLED;
    iot_free_price(&answer);
    if (status != IOT_PRICED)
        return status;
    bool done = iot_make_tasks(a, g, &change, progress, data, &tasks);
    if (done) {
        done = run_on_each(&tasks, processors, nmachines, progress, data, ret_spans);
        iot_free_tasks(&tasks);
    }
    iot_free_change(&change);
    return done ? IOT_PRICED : IOT_PRICE_CANCELLED;
}

iot_price_status iot_run_again(const iot *a, const iot_operation *operations, uint32_t n,
                               uint32_t processors, iot_progress progress, void *data,
                               iot_rerun *ret, char **ret_error)
{
    bool measured = trace_is_measured(iot_trace(a));
    iot_rerun made = {.clock = measured ? IOT_REAL_TIME : IOT_VIRTUAL_TIME};
    made.price.said = base_allocate(n, sizeof *made.price.said);
    made.price.nsaid = n;
    iot_price_status status =
        measured ? iot_rerun_measured(a, operations, n, processors, progress, data, &made.price,
                                      &made.curve, ret_error)
                 : run_fleng(a, operations, n, processors, progress, data, &made, ret_error);
    if (status == IOT_PRICED)
        *ret = made;
    else
        iot_free_rerun(&made);
    return status;
}

void iot_free_rerun(iot_rerun *r)
{
    iot_free_price(&r->price);
    iot_schedule_free(&r->schedule);
    free(r->curve.sums);
    *r = (iot_rerun){0};
}
