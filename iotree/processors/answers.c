// SPDX-License-Identifier: MIT
//
// Answers about a Fleng run on P processors.
#include "iotree/graph/stage.h"
#include "iotree/processors/simulation.h"

#include <math.h>

#define SIMULATED_ANYWAY 20000000u // reductions, of all changes together

iot_schedule iot_schedule_of(const task_graph *g, uint32_t nreductions, task_times *times)
{
    iot_schedule s = {.n = nreductions, .unit = g->unit};
    s.places = base_resize(NULL, s.n, sizeof *s.places);
    s.starts = base_allocate(s.n, sizeof *s.starts);
    s.waited = base_allocate(s.n, sizeof *s.waited);
    if (g->costs)
        s.costs = base_allocate(s.n, sizeof *s.costs);
    s.places[0] = IOT_NONE;
    for (uint32_t i = 0; i < g->nreductions; i++) {
        uint32_t r = g->reductions[i];
        s.places[r] = times->places[i];
        s.starts[r] = times->starts[i];
        s.waited[r] = times->waited[i];
        if (s.costs)
            s.costs[r] = g->costs[i];
    }
    free(times->places);
    free(times->starts);
    free(times->waited);
    return s;
}

struct iot_simulation {
    const wait_graph *w;
    task_graph g;
};

iot_simulation *iot_simulation_create(const iot *a, iot_progress progress, void *data)
{
    stage reading = {progress, data, 0, 0.7}, making = {progress, data, 0.7, 1};
    iot_simulation *s = base_allocate(1, sizeof *s);
    s->w = iot_waits(a, tell_stage, &reading);
    if (!s->w || !iot_make_tasks(a, s->w, NULL, tell_stage, &making, &s->g)) {
        free(s);
        return NULL;
    }
    return s;
}

bool iot_simulation_run(const iot_simulation *s, const iot_machine *m, iot_progress progress,
                        void *data, iot_simulated *ret, iot_schedule *ret_schedule)
{
    task_times times;
    if (!iot_run_tasks(&s->g, m, progress, data, ret, ret_schedule ? &times : NULL))
        return false;
    if (ret_schedule) {
        *ret_schedule = iot_schedule_of(&s->g, s->w->n, &times);
        ret_schedule->machine = *m;
        ret_schedule->sums = *ret;
    }
    return true;
}

void iot_simulation_destroy(iot_simulation *s)
{
    if (s)
        iot_free_tasks(&s->g);
    free(s);
}

void iot_schedule_free(iot_schedule *s)
{
    free(s->places);
    free(s->starts);
    free(s->costs);
    free(s->waited);
    *s = (iot_schedule){0};
}

// ---------------------------------------------------------------------------------------------
// Under changes

double iot_simulated_span_under(const iot *a, const wait_graph *g, const wait_change *change,
                                const iot_machine *m, iot_progress progress, void *data)
{
    task_graph tasks;
    iot_simulated sums;
    if (!iot_make_tasks(a, g, change, NULL, NULL, &tasks))
        return -1;
    iot_machine machine = *m;
    machine.delay *= tasks.unit;
    machine.grain *= tasks.unit;
    bool done = iot_run_tasks(&tasks, &machine, progress, data, &sums, NULL);
    double span = done ? (double)sums.span / (double)tasks.unit : -1;
    iot_free_tasks(&tasks);
    return span;
}

bool iot_simulated_spans_under(const iot *a, const wait_graph *g, const wait_change *changes,
                               uint32_t n, const iot_machine *m, double *ret_spans,
                               iot_progress progress, void *data)
{
    for (uint32_t i = 0; i < n; i++) {
        stage one = {progress, data, (double)i / n, (double)(i + 1) / n};
        ret_spans[i] = iot_simulated_span_under(a, g, &changes[i], m, tell_stage, &one);
        if (ret_spans[i] < 0)
            return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Prices of findings

static double work_under(const wait_graph *g, const wait_change *change)
{
    double work = 0;
    size_t next = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        double cost = change->costs ? change->costs[r] : (double)wait_cost(g, r);
        if (next < change->nreductions && change->reductions[next].reduction == r) {
            double edited = change->reductions[next++].cost;
            cost = edited >= 0 && edited < cost ? edited : cost;
        }
        work += cost;
    }
    return work;
}

// In a long run, what cannot save a hundredth of the time by the work and the span that are left is
// not simulated: it takes what the run takes.
static bool price_on_processors(const iot *a, const wait_graph *g, const wait_change *changes,
                                uint32_t n, double *ret_spans, iot_progress progress, void *data)
{
    const iot_machine machine = {a->processors.number, 0, 0};
    bool is_long = (uint64_t)g->n * n > SIMULATED_ANYWAY;
    double whole = (double)a->processors.simulated;
    stage first = {progress, data, 0, 0.2};
    if (!iot_spans_under(g, changes, n, ret_spans, tell_stage, &first))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        stage one = {progress, data, 0.2 + 0.8 * i / n, 0.2 + 0.8 * (i + 1) / n};
        double least = fmax(ret_spans[i], work_under(g, &changes[i]) / machine.processors);
        ret_spans[i] = whole;
        if (is_long && least > 0.99 * whole)
            continue;
        ret_spans[i] = iot_simulated_span_under(a, g, &changes[i], &machine, tell_stage, &one);
        if (ret_spans[i] < 0)
            return false;
    }
    return true;
}

bool iot_choose_processors(iot *a, uint32_t processors, iot_progress progress, void *data)
{
    const wait_graph *g = iot_waits(a, progress, data);
    const iot_machine machine = {processors, 0, 0};
    double span = g ? iot_simulated_span_under(a, g, NULL, &machine, progress, data) : -1;
    if (span < 0)
        return false;
    a->processors.price = price_on_processors;
    a->processors.number = processors;
    a->processors.simulated = llround(span);
    return true;
}

int64_t iot_longest_on_processors(const iot *a, int64_t span)
{
    double p = a->processors.number;
    return llround((double)a->work / p + (double)span * (1 - 1 / p));
}
