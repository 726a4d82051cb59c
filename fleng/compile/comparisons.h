// SPDX-License-Identifier: MIT
//
// Choices among clauses by comparisons of small integers or floats, each of which is made only once.
//
//     safe([P|_], Q, D, S) :- P =:= Q + D | ...             ADD       slow r7 = Q + D
//     safe([P|_], Q, D, S) :- P =:= Q - D | ...             WHEN_SAME slow body1 next P r7
//     safe([P|B], Q, D, S) :- P =\= Q + D,            next: SUB       slow r8 = Q - D
//                             P =\= Q - D | ...             WHEN_SAME slow body2 body3 P r8
//
// Such code precedes a chain of clauses. The chain decides the other cases: a number that is
// unbound or not small, a clause with other tests.
#ifndef FLENG_COMPARISONS_H
#define FLENG_COMPARISONS_H

#include "fleng/compile/clause_selection.h"

typedef struct {
    const fl_procedure *procedure;
    const fl_clause_selection *selection;
    const fl_words *chain; // numbers of clauses
    bool opened;           // the cons that SWITCH found is in the registers behind the arguments
    bool looked;           // SWITCH has checked the argument, and it fits each clause
} fl_candidates;

typedef struct {
    uint32_t entry; // where the code begins; it may be the body of a clause
    uint32_t n;     // it decides about so many clauses at the beginning of the chain
    // Operands to be set to the code that follows in each case:
    fl_words slow;  // undecided: the beginning of the chain
    fl_words none;  // all n clauses fail: the clause after them
    fl_words *tests; // by place in the chain: the further tests of that clause
} fl_comparisons;

// Emits the code. False: nothing is emitted, since the first clause of the chain has other tests
// first.
bool fl_emit_comparisons(fl_emitter *e, const fl_candidates *c, fl_comparisons *ret);

#endif
