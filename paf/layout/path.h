// SPDX-License-Identifier: MIT
//
// path: the critical path in the views.
#ifndef PAF_PATH_H
#define PAF_PATH_H

#include "paf/layout/layout_private.h"

bool paf_has_path(const paf_drawing *d); // there is one, and it is to be drawn
// The module of most of its steps in each of n intervals of this width; IOT_NONE: no step is there. g_free().
// *ret_turns: how often that changes.
uint32_t *paf_path_modules(const paf_drawing *d, double from, double width, uint32_t n, uint32_t *ret_turns);
void paf_draw_path_strip(paf_drawing *d, double y);

#endif
