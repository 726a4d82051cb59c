// SPDX-License-Identifier: MIT
//
// P and W by module of a stretch of time, from the chunks of reductions that it needs. What stands before each
// chunk is told by the chunk STANDING in front of it, so reading begins where the stretch does. Only the first
// chunks of a file have none: who needs them begins with the first one.
#ifndef PROFILER_STRETCH_H
#define PROFILER_STRETCH_H

#include "profiler/read/loader.h"
#include "profiler/read/steps.h"

// What a chunk STANDING says; in memory that is used again for the next.
typedef struct {
    int64_t time; // the step of the reduction before
    uint32_t nmodules;
    const standing_record *modules;
    older_record older;
} standing;

// From the columns of the loader; false with a reason.
bool trace_get_standing(loader *l, uint32_t count, standing *ret);

typedef struct stretch_sums stretch_sums;

// By the modules of the summary that the trace has. NULL: the stretch is none, or too large.
stretch_sums *trace_stretch_create(const trace *t, const trace_sum_stretch *wanted);
// The next chunk, and what stands before it, or NULL if that is not told. False: they do not fit together.
bool trace_stretch_take(stretch_sums *s, const steps *chunk, const standing *before);
bool trace_stretch_over(const stretch_sums *s); // later chunks have nothing of it
// Ends the run, gives the trace the stretch, or only releases it (t == NULL).
bool trace_stretch_finish(stretch_sums *s, trace *t);
void trace_stretch_free(trace_sum_stretch *stretch);

#endif
