// SPDX-License-Identifier: MIT
//
// The parts of `paf export` that have files of their own: the options of a table of totals, and
// traces in the Chrome trace event format, which Perfetto and chrome://tracing read.
#ifndef PAF_EXPORT_H
#define PAF_EXPORT_H

#include "iotree/simulate.h"
#include "paf/layout/bars.h"

#include <stdio.h>

// The options of `paf export --view table`, as they were written, or NULL.
typedef struct {
    const char *table;    // units, loops, io, calls
    const char *node;     // its number as views have it, or sum, max, min, mean
    const char *unit;     // name of the unit whose loops, statements or calls are shown
    const char *group;    // of input and output: statements, units, files
    const char *ignored;  // names, separated by commas
    const char *selected; // file:line
    bool counts;
    paf_figure figure; // of a run of Fleng
    double maximum;
} paf_table_options;

// Sets the view's table, nodes, unit and so on. The result is NULL, or what is wrong (g_free).
// `ignored` has an element for each total.
char *paf_choose_table(const trace *t, const trace_totals *totals, const paf_table_options *o,
                       paf_bars_view *view, uint8_t *ignored);

// Bytes that paf_write_places() would write, about; 0: few.
uint64_t paf_places_size(const iot *a, double from, double to);
// Writes each reduction in [from, to) nanoseconds as a complete event of its worker, which is a
// thread. Times are in microseconds, the unit of the format.
void paf_write_places(const iot *a, double from, double to, FILE *file);
// The same of a simulated run: each reduction in [from, to) steps, and what its processor waited for
// it, as events of its processor. A step counts as a microsecond.
void paf_write_schedule(const iot *a, const iot_schedule *s, double from, double to, FILE *file);

// Writes P_m(t) at the steps in [from, to) as a counter that has a series for each module. A step
// counts as a microsecond; of a measured run it is a nanosecond. In long runs an event is the mean
// of several steps.
void paf_write_parallelism(const iot *a, iot_clock clock, int64_t from, int64_t to, FILE *file);

#endif
