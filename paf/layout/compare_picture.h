// SPDX-License-Identifier: MIT
//
// compare_picture: two runs in one picture. It has both parallelism curves on one pair of axes, and
// a table of their modules.
#ifndef PAF_COMPARE_PICTURE_H
#define PAF_COMPARE_PICTURE_H

#include "paf/model/model.h"
#include "paf/draw/picture.h"

// titles: the files' names. Real time: only if both have it. header: with the line that names both.
paf_picture *paf_compare_picture(const paf_model *const models[2], const char *const titles[2],
                                 iot_clock clock, double width, double height, double scale, bool dark,
                                 bool header, paf_shaped_text *text);

#endif
