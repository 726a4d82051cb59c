// SPDX-License-Identifier: MIT
//
// Answers about a Fleng run on P processors.
#include "iotree/processors/simulation.h"


// A stage of an answer: its share of the progress.
typedef struct {
    iot_progress progress;
    void *data;
    double from, to;
} stage;

static bool tell_stage(void *data, double fraction)
{
    const stage *s = data;
    return !s->progress || s->progress(s->data, s->from + (s->to - s->from) * fraction);
}


// Times by task become times by reduction.
static void fill_schedule(const task_graph *g, const wait_graph *w, task_times *times,
                          iot_schedule *ret)
{
    *ret = (iot_schedule){.n = w->n};
    ret->places = base_resize(NULL, w->n, sizeof *ret->places);
    ret->starts = base_allocate(w->n, sizeof *ret->starts);
    ret->arrived = base_allocate(w->n, sizeof *ret->arrived);
    if (g->costs)
        ret->costs = base_allocate(w->n, sizeof *ret->costs);
    ret->places[0] = IOT_NONE;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t r = g->reductions[i], latest = times->latest[i];
        ret->places[r] = times->places[i];
        ret->starts[r] = times->starts[i];
        if (ret->costs)
            ret->costs[r] = g->costs[i];
        if (latest != IOT_NONE)
            ret->arrived[r] = times->starts[latest] + (g->costs ? g->costs[latest] : 1);
    }
    free(times->places);
    free(times->starts);
    free(times->latest);
}

static bool simulate_all(const task_graph *g, const wait_graph *w, const iot_machine *machines,
                         uint32_t n, const stage *whole, iot_simulated *ret,
                         iot_schedule *ret_schedules)
{
    double share = (whole->to - whole->from) / n;
    for (uint32_t i = 0; i < n; i++) {
        stage one = {whole->progress, whole->data, whole->from + share * i,
                     whole->from + share * (i + 1)};
        task_times times;
        if (!iot_run_tasks(g, &machines[i], tell_stage, &one, &ret[i],
                           ret_schedules ? &times : NULL)) {
            while (ret_schedules && i > 0)
                iot_schedule_free(&ret_schedules[--i]);
            return false;
        }
        if (ret_schedules) {
            fill_schedule(g, w, &times, &ret_schedules[i]);
            ret_schedules[i].sums = ret[i];
        }
    }
    return true;
}

bool iot_simulate(const iot *a, const iot_machine *machines, uint32_t n, iot_progress progress,
                  void *data, iot_simulated *ret, iot_schedule *ret_schedules)
{
    stage reading = {progress, data, 0, 0.2}, making = {progress, data, 0.2, 0.3};
    stage running = {progress, data, 0.3, 1};
    const wait_graph *w = iot_waits(a, tell_stage, &reading);
    task_graph g;
    if (!w || !iot_make_tasks(a, w, NULL, tell_stage, &making, &g))
        return false;
    bool done = simulate_all(&g, w, machines, n, &running, ret, ret_schedules);
    iot_free_tasks(&g);
    return done;
}

void iot_schedule_free(iot_schedule *s)
{
    free(s->places);
    free(s->starts);
    free(s->costs);
    free(s->arrived);
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
