// SPDX-License-Identifier: MIT
//
// Tables of the reports (private to reports/): columns are as wide as their widest cell.
#ifndef KPX_REPORT_TABLE_H
#define KPX_REPORT_TABLE_H

#include <stdio.h>

#include "kpx-bridge/totals/totals.h"

enum { KPX_MOST_COLUMNS = 12 };

typedef struct {
    uint32_t ncolumns;
    const char *alignment; // a letter for each column: l, r
    uint32_t widths[KPX_MOST_COLUMNS];
    ARRAY_OF(char *) cells; // by row
} kpx_table;

// headings: one per column; widths: the least width of each column.
kpx_table kpx_table_of(uint32_t ncolumns, const char *alignment, const char *const *headings,
                       const uint32_t *widths);
void kpx_cell(kpx_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kpx_cell_name(kpx_table *t, const char *name);   // NULL: `-`; blanks become `_`
// The same at the beginning of a line, which must not look like a rule or a remark.
void kpx_cell_first(kpx_table *t, const char *name);
// The name of a unit, at the beginning of a line. Names of Fortran are in capitals.
void kpx_cell_unit(kpx_table *t, const kpx_totals *totals, uint32_t unit); // KPX_NO_ITEM: `-`
void kpx_cell_count(kpx_table *t, int64_t number);    // below 0: `-`
void kpx_cell_line(kpx_table *t, uint32_t number);    // 0: `-`
void kpx_cell_time(kpx_table *t, int64_t nanoseconds, int decimals); // seconds; below 0: `-`

// Rows [from, to); the headings are row 0.
void kpx_table_print(const kpx_table *t, FILE *out, uint32_t from, uint32_t to);
uint32_t kpx_table_rows(const kpx_table *t);
uint32_t kpx_table_end(const kpx_table *t, uint32_t column); // where the column ends, from 0
uint32_t kpx_table_width(const kpx_table *t);
void kpx_table_free(kpx_table *t);

// Round numbers that are not negative; halves up.
int64_t kpx_round(int64_t nanoseconds, int decimals); // in units of the last decimal
int64_t kpx_share(int64_t part, int64_t whole, int64_t scale); // scale * part / whole; 0 of nothing

#endif
