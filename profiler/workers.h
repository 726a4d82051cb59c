// SPDX-License-Identifier: MIT
//
// What the threads of a real run spent time on beside reductions.
#ifndef PROFILER_WORKERS_H
#define PROFILER_WORKERS_H

#include "profiler/trace.h"

// Nanoseconds, except for counts.
typedef struct {
    uint64_t waits, waiting; // attempts to reduce that had to wait for a variable
    uint64_t locks, locked;  // waits until another worker was done with what all share; within reductions
} trace_worker;

// Collections of garbage, which stop all threads.
typedef struct {
    uint64_t count, time, longest;
} trace_collector;

// The longest time that a trace holds, 19 hours: so sums over all threads fit in 63 bits. What is longer
// is written as this.
#define TRACE_MOST_TIME ((uint64_t)INT64_MAX >> 17)

// Once, after the last reduction of a real run: by thread.
void tw_workers(tw *w, const trace_collector *collector, const trace_worker *workers, uint32_t n);

// Returns how many threads there were; 0: not known.
uint32_t trace_get_workers(const trace *t, const trace_worker **ret);
trace_collector trace_get_collector(const trace *t); // zeros unless it is known

#endif
