// SPDX-License-Identifier: MIT
//
// Clause selection: which argument decides, and the chains that a switch on it leads to (private to
// fleng/).
#ifndef FLENG_CLAUSE_SELECTION_H
#define FLENG_CLAUSE_SELECTION_H

#include "fleng/compile/emit.h"

// Of a clause: the comparisons that its guard begins with, of numbers that the head knows.
typedef struct {
    uint32_t ntests;
    uint32_t rest; // code behind them
    bool commits;  // that is the body
} fl_tested;

typedef struct {
    uint32_t argument; // that SWITCH looks at, or FL_NO_REGISTER
    bool alone;        // no head has a pattern elsewhere: while it is unbound all clauses wait
    uint32_t *known;   // by clause: code that relies on what SWITCH found
    fl_tested *tested; // by clause (plain)
} fl_clause_selection;

fl_clause_selection fl_select_clauses(const fl_procedure *q);
// Emits the entry of the predicate: SWITCH, chains.
void fl_emit_clause_selection(fl_emitter *e, const fl_procedure *q, const fl_clause_selection *s);

#endif
