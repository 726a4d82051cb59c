// SPDX-License-Identifier: MIT
//
// ghost: a run as it would be if something were different (iotree/rerun.h), as the history shows it over
// the run that was: a curve on the chart, its end, and the places of processors below.
#ifndef PAF_GHOST_H
#define PAF_GHOST_H

#include "iotree/rerun.h"

#include <glib.h>

// How busy processors were, as the picture showed it last: a picture of the same window needs no look at
// the reductions.
typedef struct {
    double from, to;
    uint32_t rows, columns, layers;
    float *busy;
    double *sums, *waited;
} paf_busy_cache;

typedef struct paf_ghost {
    int references; // all of one thread
    iot_rerun run;
    uint32_t *by_start; // reductions of the schedule in order of their start; NULL: no schedule
    int64_t longest;    // from when a processor waited for one until it ended, at most
    paf_busy_cache cache;
} paf_ghost;

// Takes what is in *run.
paf_ghost *paf_ghost_create(iot_rerun *run);
// NULL is allowed.
paf_ghost *paf_ghost_ref(paf_ghost *ghost);
void paf_ghost_unref(paf_ghost *ghost);
// The end of the axis that shows all of it.
double paf_ghost_end(const paf_ghost *ghost);
// "31 steps instead of 66 (−53 %)"; if nothing changed "66 steps, as it was", "120 steps on 4 processors".
// g_free().
char *paf_ghost_text(const trace *t, const paf_ghost *ghost);
// "−53 %", "< 0.1 %", "+2.5 %", "±0". g_free().
char *paf_change_text(double before, double after);

#endif
