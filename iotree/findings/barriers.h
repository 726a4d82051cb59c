// SPDX-License-Identifier: MIT
//
// Loops that only wait for all items of a list.
#ifndef IOTREE_FINDINGS_BARRIERS_H
#define IOTREE_FINDINGS_BARRIERS_H

#include "iotree/findings/clauses.h"
#include "iotree/findings/loops.h"

bool iot_is_barrier(const clause_facts *f, uint32_t predicate);
// Its goals wait for nothing, and take no step.
void iot_leave_out_barrier(const wait_graph *g, uint32_t predicate, change_draft *d);

#endif
