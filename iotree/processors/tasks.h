// SPDX-License-Identifier: MIT
//
// What a simulation runs: the reductions of a run as tasks, numbered by the ages of their goals,
// each with the tasks that need it.
#ifndef IOTREE_PROCESSORS_TASKS_H
#define IOTREE_PROCESSORS_TASKS_H

#include "iotree/prices/waits.h"
#include "iotree/simulate.h"

typedef struct {
    uint32_t n;           // reductions, then relays (prices/waits.h), which take no time
    uint32_t nreductions;
    uint32_t *reductions; // by task
    uint32_t *parents;    // by task: the task that created it; IOT_NONE: the beginning
    uint32_t *needs;      // by task: how many edges lead to it
    uint64_t *first;      // the tasks that need task i: [first[i], first[i + 1]), with repetitions
    uint32_t *needed_by;
    int64_t unit;         // in so many parts the times below count a step
    int64_t *costs;       // by task; NULL: one step each
    int64_t *rests;       // by task: how long it rests when all it needs is there; NULL: 0 each
} task_graph;

// The tasks of a run under a change (NULL: as it is). A goal whose own edit costs more than its
// reduction did rests for the difference, which takes no processor: so deep is a tree that it is
// in. False if cancelled.
bool iot_make_tasks(const iot *a, const wait_graph *g, const wait_change *change,
                    iot_progress progress, void *data, task_graph *ret);
void iot_free_tasks(task_graph *g);

#endif
