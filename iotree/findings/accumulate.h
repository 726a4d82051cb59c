// SPDX-License-Identifier: MIT
//
// Accumulators, by the text of the clauses. A value that goes from step to step accumulates if each
// step leaves it as it is, combines it by one associative operator with something that does not
// depend on it (A + X, max(A, Price)), or takes the item instead where the item compares so (the
// largest so far). A structure of such values accumulates, too: t(A, B, C) with A1 := A + 1.
#ifndef IOTREE_FINDINGS_ACCUMULATE_H
#define IOTREE_FINDINGS_ACCUMULATE_H

#include "iotree/findings/loops.h"

// Is all that the steps of the loop hand on accumulators, besides counters, the rest of a list and
// what they hand on as it is? Then its steps could combine as a tree. ret_verb: "adds up" ...
bool iot_loop_accumulates(const loops *l, uint32_t loop, const char **ret_verb);

// Do the predicate's clauses make their last argument from this one (from 0), so that it
// accumulates?
bool iot_predicate_accumulates(const trace *t, uint32_t predicate, uint32_t argument,
                               const char **ret_verb);

#endif
