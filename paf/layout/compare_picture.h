// SPDX-License-Identifier: MIT
//
// compare_picture: two runs in one picture, one above the other: the parallelism and the processes of each
// on an axis that both have, a table of their modules, matched by name, and the findings of each.
//
// The axis has times of its own: those of a run less its `zero`, so that what is to be compared stands
// one above the other. If one run has seconds and the other one steps, it has percent of each.
#ifndef PAF_COMPARE_PICTURE_H
#define PAF_COMPARE_PICTURE_H

#include "paf/layout/layout.h"

typedef enum {
    PAF_ALIGN_START,
    PAF_ALIGN_MARKS,  // both runs have a mark
    PAF_ALIGN_MODULE, // the first reductions of a module that both have
} paf_alignment;

typedef struct {
    iot_clock clock;
    double width, height, scale;
    bool dark;
    double from, to; // of the axis; to <= from: all
    paf_alignment alignment;
    double marks[2];    // a time of each run, or NAN: none
    const char *module; // of PAF_ALIGN_MODULE
    double pointer;     // of the axis, or NAN
    const paf_focus *focus[2]; // what the view of each run is about, or NULL
} paf_compare_view;

typedef struct {
    paf_picture *picture;
    paf_rect runs[2], findings[2]; // where each has its own
    double plot_x, plot_w;
    double from, to;         // of the axis, as it is shown
    double start, end;       // of the axis, all of it
    double zero[2], unit[2]; // time of a run = zero + unit * time of the axis
    double ends[2];          // of the runs, by their own times
    GArray *wants[2];        // paf_want: trees with which the picture would show more
} paf_comparison;

// A smaller picture says that it is too small.
#define PAF_COMPARE_LEAST_WIDTH  320
#define PAF_COMPARE_LEAST_HEIGHT 302
bool paf_compare_has_room(double width, double height);

// All of two runs, aligned at their starts.
paf_compare_view paf_compare_fit(iot_clock clock, double width, double height);
// Can they be aligned so? If not: why not (static).
const char *paf_compare_refuses(const paf_model *const models[2], const paf_compare_view *view);

// titles: the files' names. Real time: only if both have it.
paf_comparison *paf_comparison_create(const paf_model *const models[2], const char *const titles[2],
                                      const paf_compare_view *view, paf_shaped_text *text);
void paf_comparison_destroy(paf_comparison *c); // NULL: nothing
// The pointer and its time in each run, to be drawn over the picture.
paf_picture *paf_comparison_pointer(const paf_comparison *c, const trace *const traces[2],
                                    const paf_compare_view *view, paf_shaped_text *text);
// Builds the trees that such pictures want: for exports and tests.
void paf_compare_prepare(paf_model *const models[2], const paf_compare_view *view, paf_shaped_text *text);

// A place in the picture: which run it is of, 0 or 1; 2: of both.
int paf_comparison_run_at(const paf_comparison *c, double x, double y);
// The module of a row of the table (PAF_HIT_MODULE_ROW).
const char *paf_compare_row_name(const paf_model *const models[2], const paf_hit *hit);

#endif
