// SPDX-License-Identifier: MIT
//
// Chunks of reductions, decoded by several threads ahead of the thread that takes them in the order
// of the file. There is one thread less than there are processors.
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
pool *trace_pool_create(const trace *t, bool summing, const input *in, bool trusting, const pool_task *tasks,
                        size_t n);
// The next of them, decoded; valid until the next call.
steps *trace_pool_next(pool *p);
void trace_pool_destroy(pool *p);

#endif
