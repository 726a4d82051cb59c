// SPDX-License-Identifier: MIT
//
// calls: where the places of a measured run were in a stretch of time: in which routines, loops and
// constructs, with and without what they called, and how that differs between places.
#ifndef PAF_CALLS_H
#define PAF_CALLS_H

#include "paf/model/timeline.h"

// Of more places several share a figure.
#define PAF_CALL_CELLS 512u

typedef struct {
    uint32_t module;
    int64_t inclusive, exclusive; // of all places together; recursion counts once
    int64_t waiting;              // of the inclusive time
    // By cell, the mean of its places: inclusive; of that waiting; and what it ran itself.
    double *inside, *waits, *own;
    uint32_t first_callee, ncallees;
} paf_called;

// What a module called itself, the most first.
typedef struct {
    uint32_t caller, callee; // modules
    int64_t time;
} paf_callee;

typedef struct paf_calls {
    int64_t from, to;
    uint32_t nplaces, each, ncells; // each: places of a cell
    uint32_t n, ncallees;
    paf_called *calls; // most inclusive time first
    paf_callee *callees;
} paf_calls;

// The timeline keeps it until another stretch is asked for.
const paf_calls *paf_calls_within(paf_timeline *l, const iot *a, int64_t from, int64_t to);
void paf_calls_free(paf_calls *calls); // NULL: nothing
const paf_called *paf_call_of(const paf_calls *calls, uint32_t module); // NULL: it was not there
// How long it ran in a cell, with all that it called; of what only waits, how long that.
double paf_call_time(const paf_called *call, uint32_t cell);
bool paf_call_runs(const paf_called *call);
// The largest of these by their mean: 1 is even; and in which cell that is.
double paf_call_imbalance(const paf_calls *calls, const paf_called *call, uint32_t *ret_cell);

#endif
