// SPDX-License-Identifier: MIT
//
// What else differs between conditions that are compared: who sent how much to whom, which files
// were read and written, and which jobs a workflow had. Means over trials; what a trial does not
// have counts as 0.
#ifndef STORE_DETAILS_H
#define STORE_DETAILS_H

#include "store/comparison.h"

enum { STORE_FIGURES = 3 };

typedef struct {
    const char *name; // "messages", "files" or "jobs"
    const char *of;   // the title of the rows
    size_t nfigures;
    const char *figures[STORE_FIGURES]; // their titles
    const char *units[STORE_FIGURES];   // "ns", "bytes", or "" for a count
} store_aspect;

typedef struct {
    char *name;
    double *means;     // of figure f under condition i at [f * nconditions + i]
    double difference; // of the last figure: slower - faster
} store_detail;

typedef struct {
    const store_aspect *aspect;
    size_t nconditions, n;
    store_detail *rows; // the largest difference first
    double *totals;     // like `means`, of all rows
} store_details;

size_t store_naspects(void);
const store_aspect *store_get_aspect(size_t i);
// NULL and store_error(). An aspect that none of the conditions has gives no rows.
store_details *store_compare_details(store *s, const store_comparison *c,
                                     const store_aspect *aspect);
void store_details_free(store_details *d); // may be NULL

#endif
