// SPDX-License-Identifier: MIT
//
// The statistics report of an OpenMP program: its rows, and the report as text.
#ifndef PROFILER_STATISTICS_H
#define PROFILER_STATISTICS_H

#include "profiler/regions.h"

// A row: its title, and whether it has a count, a running time and a waiting time.
typedef struct {
    const char *title;
    bool counts, runs, waits;
} trace_figure_row;

const trace_figure_row *trace_get_figure_row(trace_figure_kind kind);
// The nanoseconds of a figure of this kind that count as waiting.
uint64_t trace_figure_waiting(trace_figure_kind kind, const trace_figure *figure);
// The report, malloc'ed: the whole program, then each region.
char *trace_statistics_text(const trace_regions *r, const char *program, bool cpu);

#endif
