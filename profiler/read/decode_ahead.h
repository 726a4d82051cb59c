// SPDX-License-Identifier: MIT
//
// Chunks of reductions decoded ahead, by as many threads as there are processors beside the one
// that takes them in the order of the file.
#ifndef PROFILER_DECODE_AHEAD_H
#define PROFILER_DECODE_AHEAD_H

#include "profiler/read/steps.h"

// A chunk of reductions of the file, not read yet.
typedef struct {
    uint64_t offset;
    table_sizes tables;
} pool_task;

typedef struct pool pool;

// The tasks, in order, are the caller's. NULL without memory.
pool *trace_pool_create(const trace *t, const input *in, bool trusting, const pool_task *tasks,
                        size_t n);
// The next of them, decoded; valid until the next call.
steps *trace_pool_next(pool *p);
void trace_pool_destroy(pool *p);

#endif
