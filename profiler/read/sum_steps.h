// SPDX-License-Identifier: MIT
//
// Reductions of a file summed as the writer sums them, chunk by chunk.
#ifndef PROFILER_SUM_STEPS_H
#define PROFILER_SUM_STEPS_H

#include "profiler/read/steps.h"
#include "profiler/sums/sums.h"

// The names become strings of the trace. NULL: the modules are too many, or no memory.
sums *trace_sums_of(trace *t, const trace_sum_modules *m, bool more);
// The next chunk. False: it is not sound by itself, or does not follow the chunks before.
bool trace_sum_steps(sums *s, const steps *x);

#endif
