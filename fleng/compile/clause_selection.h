// SPDX-License-Identifier: MIT
//
// Clause selection: the argument that a switch looks at, and the chain of clauses for each of its
// cases.
#ifndef FLENG_CLAUSE_SELECTION_H
#define FLENG_CLAUSE_SELECTION_H

#include "fleng/compile/emit.h"

// The comparisons at the beginning of a clause's guard, of numbers that the head gives.
typedef struct {
    uint32_t ntests;
    uint32_t rest; // the code after them
    bool commits;  // which is the body
} fl_tested;

typedef struct {
    uint32_t argument; // the one that SWITCH looks at, or FL_NO_REGISTER
    bool alone;        // no head has another pattern: while it is unbound, all clauses wait
    uint32_t *known;   // by clause: code that relies on what SWITCH found
    fl_tested *tested; // by clause (plain)
} fl_clause_selection;

fl_clause_selection fl_select_clauses(const fl_procedure *q);
// Emits the entry of the predicate: SWITCH, chains.
void fl_emit_clause_selection(fl_emitter *e, const fl_procedure *q, const fl_clause_selection *s);

#endif
