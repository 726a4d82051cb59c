// SPDX-License-Identifier: MIT
//
// What combines two values so that it does not matter in which order many are combined.
#ifndef IOTREE_FINDINGS_COMBINE_H
#define IOTREE_FINDINGS_COMBINE_H

#include "base/table.h"
#include "iotree/findings/loops.h"

// Is the combination by this goal, which took the value of `variable` from the one before,
// associative as far as the text tells? ret_verb: "adds up", "concatenates" ...
// `tried`, at first all zero, keeps what was found for operands of the run. The caller frees it.
bool iot_is_associative(const loops *l, uint32_t reduction, uint32_t variable, base_map *tried,
                        const char **ret_verb);

// The same of a predicate whose clauses do not show it: does the goal take the value from the one
// before with another one of its kind?
bool iot_combines_likes(const loops *l, uint32_t reduction, uint32_t variable);

// Of a goal with two numbers (or structures of numbers) that makes a third one, by its clauses and operands of the run: can many be
// combined in any grouping; does their order matter? False: no, or it is not known.
bool iot_combines_numbers(const loops *l, uint32_t goal, uint32_t variable, base_map *tried);
bool iot_numbers_keep_order(const loops *l, uint32_t goal, uint32_t variable, base_map *tried);

// Operators of one group may be mixed, as + and -; NULL: no associative operator.
const char *iot_associative_group(const char *name, const char **ret_verb);

// Does the predicate copy a list, cell by cell, and nothing else? (append)
bool iot_only_copies(const trace *t, uint32_t predicate);
// Does it turn a list round, cell by cell, and nothing else? (reverse with what it has so far)
bool iot_only_turns(const trace *t, uint32_t predicate);

#endif
