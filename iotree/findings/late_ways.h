// SPDX-License-Identifier: MIT
//
// Which reduction above that of a late item had all that it needs, and could have had it follow.
#ifndef IOTREE_FINDINGS_LATE_WAYS_H
#define IOTREE_FINDINGS_LATE_WAYS_H

#include "iotree/findings/late_items.h"

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    uint64_t budget; // goals that may still be looked at
} late_ways;

late_ways late_ways_of(const iot *a, clause_facts *facts);

// The earliest reduction that the item could have followed, or one below it that is nearly as
// early: where a loop begins, not the goals around it. IOT_NONE: its own.
uint32_t late_soonest(late_ways *s, const late_item *x, uint32_t reduction);

// Does the item follow, whatever the goal finds, from these arguments of it?
bool late_follows(late_ways *s, const late_item *x, uint32_t goal, const uint32_t *arguments,
                  uint8_t *ret_setters);
// The same needs as arguments of the parent's goal; false if they are not.
bool late_go_up(const late_ways *s, const late_item *x, uint32_t goal, uint32_t *arguments);
// Is the reduction by a predicate to which no goal of the item's clause leads back?
bool late_is_above_loop(const late_ways *s, const late_item *x, uint32_t r);

#endif
