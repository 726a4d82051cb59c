// SPDX-License-Identifier: MIT
//
// Samples: what each worker of a run did at regular times, instead of a history or beside it; how many
// goals were ready.
#ifndef PROFILER_SAMPLES_H
#define PROFILER_SAMPLES_H

#include "profiler/trace.h"

typedef enum {
    TRACE_BUSY,
    TRACE_LOOKING, // for a goal
    TRACE_IDLE,
    TRACE_COLLECTING, // garbage
    TRACE_STATES,
} trace_state;

// Successive samples with one state are a run: their number * 4 + the state.
typedef struct {
    uint32_t nruns;
    const uint64_t *runs;
} trace_sampled;

// Sample k is of the nanosecond k * every, from 0 on.
typedef struct {
    uint64_t every;
    uint64_t n; // of each worker
    uint32_t nworkers;
    const trace_sampled *workers;
} trace_samples;

// The next samples of a real run, behind its reductions if it has some, n > 0 of each worker. Each call
// says the same `every` and `nworkers`.
void tw_samples(tw *w, const trace_samples *s);

// All samples; NULL if there are none. Runs of one state may follow each other. n * every * nworkers < 2^62.
const trace_samples *trace_get_samples(const trace *t);

// Of a worker: nanosecond, and how many goals it had ready then, until the next one.
typedef struct {
    uint64_t time, goals;
} trace_ready_count;
typedef struct {
    uint32_t n;
    const trace_ready_count *counts; // in order of time
} trace_ready;

// Once, of a real run, behind its reductions: by worker.
void tw_ready(tw *w, const trace_ready *ready, uint32_t nworkers);
// Returns how many workers there are; 0: not known.
uint32_t trace_get_ready(const trace *t, const trace_ready **ret);

#endif
