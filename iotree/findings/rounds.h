// SPDX-License-Identifier: MIT
//
// What the steps of a loop read that is no list of their own, in order: answers and items.
#ifndef IOTREE_FINDINGS_ROUNDS_H
#define IOTREE_FINDINGS_ROUNDS_H

#include "iotree/findings/loops.h"

// One read by a member of a chain.
typedef struct {
    uint32_t chain, position;
    uint32_t predicate, clause; // of the reader
    uint32_t reader, variable;
    uint32_t last;       // variable, of those that `variable` leads to
    uint32_t maker;      // the latest of those that the read waits for
    uint64_t first, end; // its waits
    uint32_t maker_site;
} chain_read;

// The reads by the loop's members of what is no list, in order of chains and steps.
typedef struct {
    const loops *l;
    uint32_t loop;
    uint32_t *side;
    uint8_t *counters;
    ARRAY_OF(chain_read) reads;
} round_study;

// Does the loop make the value itself?
bool iot_loop_makes(const round_study *s, uint32_t maker);

// Answers that no question depends on; tries: by goals of the loop itself.
void iot_propose_asked(const round_study *s, size_t first, size_t end, bool tries, candidates *c);

// The reduction that made the value that is read, and the member of a chain whose goal it descends from, or
// that asked for it by a variable of its own.
uint32_t iot_answered(const round_study *s, const chain_read *read, uint32_t *ret_asked);
// What bounds how much is under way: reads [first, end) of one chain.
void iot_propose_window(const round_study *s, size_t first, size_t end, candidates *c);

// Values that are taken in the order of a list, though others are there before: reads [first, end).
void iot_propose_order(const round_study *s, size_t first, size_t end, candidates *c);

// Does the clause put its item into a number so that the items in another order give another one?
bool iot_order_matters(const trace *t, const trace_clause *c);
// Does the loop, or one that takes what it hands on, print the items, or hand them on to nobody that
// is known? Then their order is part of the answer.
bool iot_order_is_seen(const round_study *s);

#endif
