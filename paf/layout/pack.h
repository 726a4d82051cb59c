// SPDX-License-Identifier: MIT
//
// pack: the rows of a tree's nodes, so that no two shapes overlap.
//
// A row assignment depends on the zoom alone, never on the window of time: panning does not move
// nodes between rows. Zoom is taken in half octaves, rounded down. An assignment for one zoom holds
// for every closer one, since shapes only move apart when the axis is stretched.
#ifndef PAF_PACK_H
#define PAF_PACK_H

#include "paf/model/model.h"

#define PAF_MOST_ROWS 60
#define PAF_NO_ROW    255 // did not fit into PAF_MOST_ROWS

// Half the width of a one-step shape at `zoom` pixels per step. Far out it is wide enough to be
// seen; close in it leaves a third of the step free.
double paf_half_width(double zoom);

// Assigns rows for this zoom of the clock's axis to tree->rows and tree->nrows, unless the tree has them
// already.
void paf_pack(paf_tree *tree, iot_clock clock, double zoom);

#endif
