// SPDX-License-Identifier: MIT
//
// Detectors of structure: what the loops of a program do one after another.
#ifndef IOTREE_FINDINGS_SHAPES_H
#define IOTREE_FINDINGS_SHAPES_H

#include "iotree/findings/loops.h"

void iot_find_trees(const loops *l, candidates *c);        // creation, chain
void iot_find_threaded(const loops *l, candidates *c);     // chain: through a tree
void iot_find_fills(const loops *l, candidates *c);        // chain: versions of a vector
void iot_find_tree_copies(const loops *l, candidates *c);  // copying: append at each level
// Chains again, of loops whose steps combine by themselves; after rounds and heads of line.
void iot_find_accumulations(const loops *l, candidates *c);
void iot_find_rounds(const loops *l, candidates *c);       // rounds
void iot_find_round_trips(const loops *l, candidates *c);  // rounds: between modules
void iot_find_asked_for(const loops *l, candidates *c);    // rounds: answers made when asked for
void iot_find_head_of_line(const loops *l, candidates *c); // head of line
void iot_find_farms(const loops *l, candidates *c);        // head of line: few workers
void iot_find_longest_last(const loops *l, candidates *c); // uneven: the longest job last
void iot_find_lent(const loops *l, candidates *c);         // nothing: what is meant
void iot_find_long_steps(const loops *l, candidates *c);   // wait: for what guards compute
void iot_find_counters(const loops *l, candidates *c);     // wait: for numbers that guards compute
void iot_find_settled(const loops *l, candidates *c);      // repeated work: rounds at the end
void iot_find_handlers(const loops *l, candidates *c);      // relay
void iot_find_ticks(const loops *l, candidates *c);         // idle
void iot_find_turns(const loops *l, candidates *c);        // head of line: strict turns
void iot_find_uneven(const loops *l, candidates *c);       // uneven
void iot_find_again(const loops *l, candidates *c);        // copying: walks; repeated work
void iot_find_conversions(const loops *l, candidates *c);  // copying: vectors made lists and back
void iot_find_same_calls(const loops *l, candidates *c);   // repeated work: the same inputs
void iot_find_batches(const loops *l, candidates *c);      // batch
void iot_find_gathered(const loops *l, candidates *c);     // batch: vectors
void iot_find_degenerate(const loops *l, candidates *c);   // degenerate
void iot_find_servers(const loops *l, candidates *c);      // server
void iot_find_registers(const loops *l, candidates *c);    // server: states in arguments
void iot_find_numbers(const loops *l, candidates *c);      // server: that hands out numbers
void iot_find_rings(const loops *l, candidates *c);        // rounds: tokens
void iot_find_counts(const loops *l, candidates *c);       // late output: numbers

// Loops that take items from merges take each of them when it is there (arrivals.c).
void iot_draft_arrivals(const loops *l, change_draft *d);

// All of them, in groups that do not need each other.
uint32_t iot_nshapes(void);
void iot_find_shapes(const loops *l, uint32_t group, candidates *c);

#endif
