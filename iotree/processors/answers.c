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
        fill_schedule(&s->g, s->w, &times, ret_schedule);
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
