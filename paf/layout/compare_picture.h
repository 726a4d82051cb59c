// SPDX-License-Identifier: MIT
//
// compare_picture: two runs in one picture. It has both parallelism curves on one pair of axes, and
// a table of their modules.
#ifndef PAF_COMPARE_PICTURE_H
#define PAF_COMPARE_PICTURE_H

#include "paf/model/model.h"
#include "paf/draw/picture.h"

// The time shown of both runs, from < to.
typedef struct {
    double from, to;
} paf_compare_window;
// The end of the axis that both have; 0: they have none, and are drawn over their own lengths.
double paf_compare_end(const paf_model *const models[2], iot_clock clock);
// Where the axis lies in a picture of this width.
void paf_compare_plot(double width, double *ret_x, double *ret_w);

// window: NULL: all. titles: the files' names. Real time: only if both have it. header: with the line that
// names both.
paf_picture *paf_compare_picture(const paf_model *const models[2], const char *const titles[2],
                                 iot_clock clock, double width, double height, double scale, bool dark,
                                 bool header, const paf_compare_window *window,
                                 paf_shaped_text *text);

#endif
