// SPDX-License-Identifier: MIT
//
// Chains of goals of one predicate, of two sorts: each goal made the next, and no other of the
// predicate; or each awaits one read of what another made, and is the only one that does. A goal
// that a chain of the first sort holds is in none of the second.
#ifndef IOTREE_PRICES_CHAINS_H
#define IOTREE_PRICES_CHAINS_H

#include "iotree/prices/waits.h"

#define NO_READ UINT64_MAX

// All by reduction. length is 0 for those of other predicates, 1 for one that is in no chain.
typedef struct {
    uint32_t *length; // of its chain
    uint32_t *oldest; // the reduction of its chain whose goal was made first
    uint32_t *before; // the one before it, which made it or which it awaits; 0: none
    uint64_t *read;   // the first wait of the read that links it to the one before, or NO_READ
} goal_chains;

goal_chains iot_find_chains(const wait_graph *g, const trace *t, const uint8_t *predicates);
void iot_free_chains(goal_chains *c);

// Of reads: the bits by wait, and the end of the read that begins at this wait (at most `end`).
static inline bool wait_bit(const uint8_t *bits, uint64_t wait)
{
    return bits[wait >> 3] >> (wait & 7) & 1;
}

static inline uint64_t end_of_read(const wait_graph *g, uint64_t wait, uint64_t end)
{
    while (++wait < end && !wait_bit(g->begins, wait))
        ;
    return wait;
}

// Whether a reduction is of one of the predicates (bits); the beginning is of none.
static inline bool is_of(const wait_graph *g, uint32_t reduction, const uint8_t *predicates)
{
    return reduction != 0 && bit_get(predicates, g->all_sites[g->sites[reduction]].predicate);
}

#endif
