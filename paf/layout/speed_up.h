// SPDX-License-Identifier: MIT
//
// speed_up: how much faster a run is on more processors, as a small picture: both axes count in powers of
// two, so that a straight line to the corner is what P processors could do at best.
#ifndef PAF_SPEED_UP_H
#define PAF_SPEED_UP_H

#include "paf/draw/picture.h"

typedef struct {
    const uint32_t *processors; // ascending, from 1 on
    const double *spans;        // that it takes on these; NULL: being computed
    uint32_t n;
    uint32_t chosen;            // processors that are chosen; 0: unlimited
    double limit;               // unlimited processors are so many times as fast as one
    double computed;            // 0..1
} paf_speed_up;

paf_picture *paf_speed_up_picture(const paf_speed_up *s, double width, double height, double scale,
                                  bool dark, paf_shaped_text *text);

#endif
