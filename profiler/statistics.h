// SPDX-License-Identifier: MIT
//
// The statistics report of an OpenMP program: the rows that it has, and the report as text.
#ifndef PROFILER_STATISTICS_H
#define PROFILER_STATISTICS_H

#include "profiler/regions.h"

// What a row of the statistics has, and what it is called.
typedef struct {
    const char *title;
    bool counts, runs, waits;
} trace_figure_row;

const trace_figure_row *trace_get_figure_row(trace_figure_kind kind);
// Nanoseconds that count as waiting in a figure of this kind.
uint64_t trace_figure_waiting(trace_figure_kind kind, const trace_figure *figure);
// The statistics report, for people: the whole and each region. malloc'ed.
char *trace_statistics_text(const trace_regions *r, const char *program);

#endif
