// SPDX-License-Identifier: MIT
//
// Parts of an analysis that do not need each other, on several processors at once.
#ifndef IOTREE_GRAPH_JOBS_H
#define IOTREE_GRAPH_JOBS_H

#include <stdbool.h>
#include <stdint.h>

// Runs job 0 to n - 1. The calling thread takes job 0; the others begin in their order, on whichever
// thread is free. Between its jobs the calling thread tells how many have begun, if `tell` is not NULL;
// when that returns false, no more jobs begin. Returns whether all have run.
bool iot_run_jobs(uint32_t n, void (*run)(void *data, uint32_t job),
                  bool (*tell)(void *data, uint32_t begun), void *data);

// How many jobs run at once, at most.
uint32_t iot_jobs_at_once(void);

#endif
