// SPDX-License-Identifier: MIT
//
// The simulation itself: tasks on a machine; and the price of a change on it.
#ifndef IOTREE_PROCESSORS_SIMULATION_H
#define IOTREE_PROCESSORS_SIMULATION_H

#include "iotree/processors/tasks.h"

// What became of each task, in the unit of the graph; the arrays belong to the caller.
typedef struct {
    uint32_t *places;
    int64_t *starts;
    int64_t *waited; // since when its processor waited for it
} task_times;

// All times of the machine and of *ret are in the unit of the graph. False if cancelled. ret_times
// may be NULL.
bool iot_run_tasks(const task_graph *g, const iot_machine *m, iot_progress progress, void *data,
                   iot_simulated *ret, task_times *ret_times);

// The simulated span of a Fleng run under a change (NULL: as it is); below 0 if cancelled.
double iot_simulated_span_under(const iot *a, const wait_graph *g, const wait_change *change,
                                const iot_machine *m, iot_progress progress, void *data);
// The same of many, one after the other: ret_spans[i] under changes[i]. False if cancelled.
bool iot_simulated_spans_under(const iot *a, const wait_graph *g, const wait_change *changes,
                               uint32_t n, const iot_machine *m, double *ret_spans,
                               iot_progress progress, void *data);

// The times of tasks as times of reductions; frees *times. Machine and sums are the caller's.
iot_schedule iot_schedule_of(const task_graph *g, uint32_t nreductions, task_times *times);

// The longest that greedy processors can take for a run of this span and the recorded work.
int64_t iot_longest_on_processors(const iot *a, int64_t span);

#endif
