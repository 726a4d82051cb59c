// SPDX-License-Identifier: MIT
#ifndef PAF_EXPORT_TABLE_H
#define PAF_EXPORT_TABLE_H

#include "paf/layout/bars.h"

// What `paf export --view table` is asked for; texts as they were written, or NULL.
typedef struct {
    const char *table;   // units, loops, io, calls
    const char *node;    // its number as views have it, or sum, max, min, mean
    const char *unit;    // name of the unit whose loops, statements or calls are shown
    const char *group;   // of input and output: statements, units, files
    const char *ignored; // names, separated by commas
    const char *selected; // file:line
    bool counts;
    double maximum;
} paf_table_options;

// Sets the view's table, nodes, unit and so on. NULL, or what is wrong (g_free). `ignored` has a
// place for each total.
char *paf_choose_table(const trace *t, const trace_totals *totals, const paf_table_options *o,
                       paf_bars_view *view, uint8_t *ignored);

#endif
