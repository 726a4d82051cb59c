// SPDX-License-Identifier: MIT
//
// Profiles: the figures of a run by module. A file has them instead of a history (`fleng
// -profile`).
#ifndef PROFILER_PROFILE_H
#define PROFILER_PROFILE_H

#include "profiler/trace.h"

// The figures of module m are P_m(t), the number of its goals that are reduced at step t, and
// W_m(t), the number of its goals that were created before t and are not reduced by t. Each is
// summed over buckets of `width` steps: bucket i covers [1 + i * width, 1 + (i + 1) * width).
typedef struct {
    uint32_t name;       // string; TRACE_NONE: all modules together
    uint64_t suspended;  // goals never reduced
    int64_t first, last; // steps of its first and last reduction; 0, 0 if it has none
    uint64_t peak;       // largest P_m(t)
    const uint64_t *reduced, *waiting;
} trace_profile_row;

typedef struct {
    int64_t span, width; // steps
    uint32_t nbuckets;   // just enough for the span
    uint32_t nmodules;   // the first is `main`
    const trace_profile_row *rows; // nmodules, then all together
} trace_profile;

#define TRACE_BUCKETS (1u << 20) // at most

// Once, and instead of all reductions: the file becomes a profile.
void tw_profile(tw *w, const trace_profile *p);

// NULL unless the file is a profile. A profile has sources, but no other tables, and no reductions
// (not even the beginning), goals, cells or bindings.
const trace_profile *trace_get_profile(const trace *t);

#endif
