// SPDX-License-Identifier: MIT
//
// The statistics of an OpenMP program and of each of its parallel regions, collected while events
// are taken (private to kpx-bridge/). profiler/regions.h says what they mean.
#ifndef KPX_STATISTICS_H
#define KPX_STATISTICS_H

#include "base/array.h"
#include "profiler/regions.h"

// One execution of a region.
typedef struct {
    uint64_t start, end;
    uint32_t nplaces;
    bool again;       // its places are those of the team before
    uint32_t *places; // the master's first; owned
} kpx_team;

typedef struct {
    char *file; // base name, or NULL
    uint32_t line;
    uint32_t construct;
    uint32_t threads;     // of its largest team
    uint64_t elapsed;     // nanoseconds from fork to join
    uint64_t thread_time; // threads x elapsed, of all executions
    trace_figure figures[TRACE_FIGURES];
    ARRAY_OF(kpx_team) teams;
} kpx_region;

typedef struct {
    uint32_t nodes;
    uint64_t elapsed;                    // of the program
    uint64_t parallel, thread_time;      // of outermost regions
    trace_figure figures[TRACE_FIGURES]; // all of it
    ARRAY_OF(kpx_region) regions;
} kpx_statistics;

// The form that a trace has: times of teams count from `zero`, and `clauses` (or NULL) gives the
// clause of each construct. Release with kpx_regions_free().
trace_regions *kpx_statistics_regions(const kpx_statistics *s, const uint32_t *clauses,
                                      uint64_t zero);
void kpx_regions_free(trace_regions *r);
char *kpx_statistics_text(const kpx_statistics *s, const char *program, bool cpu);
void kpx_statistics_free(kpx_statistics *s);

#endif
