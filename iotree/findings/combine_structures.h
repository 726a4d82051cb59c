// SPDX-License-Identifier: MIT
//
// What combines two structures of numbers, as a product of matrices {A,B,C,D}.
#ifndef IOTREE_FINDINGS_COMBINE_STRUCTURES_H
#define IOTREE_FINDINGS_COMBINE_STRUCTURES_H

#include "base/table.h"
#include "iotree/findings/loops.h"

typedef enum { GROUPING_NOT_KNOWN, GROUPING_MATTERS, GROUPING_DOES_NOT_MATTER } grouping;

// Of a goal that makes a structure of numbers from two like it: does it matter in which grouping several
// are combined? By its clause, which is followed for any three of some operands of the run. `tried` keeps
// what was found (combine.h).
grouping iot_grouping_of_structures(const loops *l, uint32_t goal, base_map *tried);

#endif
