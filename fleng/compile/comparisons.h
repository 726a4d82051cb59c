// SPDX-License-Identifier: MIT
//
// Choices among clauses by comparisons of small integers, each made once (private to fleng/).
//
//     safe([P|_], Q, D, S) :- P =:= Q + D | ...             ADD       slow r7 = Q + D
//     safe([P|_], Q, D, S) :- P =:= Q - D | ...             WHEN_SAME slow body1 next P r7
//     safe([P|B], Q, D, S) :- P =\= Q + D,            next: SUB       slow r8 = Q - D
//                             P =\= Q - D | ...             WHEN_SAME slow body2 body3 P r8
//
// Such code stands before a chain of clauses. What it does not decide - a number that is unbound or
// not small, a clause with other tests - is left to the chain.
#ifndef FLENG_COMPARISONS_H
#define FLENG_COMPARISONS_H

#include "fleng/compile/clause_selection.h"

typedef struct {
    const fl_procedure *procedure;
    const fl_clause_selection *selection;
    const fl_words *chain; // numbers of clauses
    bool opened;           // the cons that SWITCH found is in the registers behind the arguments
    bool looked;           // SWITCH has seen the argument, and it is what each clause wants
} fl_candidates;

typedef struct {
    uint32_t entry; // where the code begins; it may be the body of a clause
    uint32_t n;     // clauses at the beginning of the chain that it decides about
    // Operands that are to say where to go on:
    fl_words slow;  // the beginning of the chain
    fl_words none;  // the clause behind those n, as they all fail
    fl_words *tests; // by place in the chain: the further tests of that clause
} fl_comparisons;

// Emits the code. False: there is none, as the first clause of the chain has other things to look
// at.
bool fl_emit_comparisons(fl_emitter *e, const fl_candidates *c, fl_comparisons *ret);

#endif
