// SPDX-License-Identifier: MIT
//
// What the text says of a value's way through goals: which variable of a clause always gets what
// another one has.
//
//     main :- letter(L), school(Lessons, bag(1, L), Evening), home(Evening, Mail).
//     school([], Bag, End) :- End = Bag.
//     school([X|Xs], bag(S, L), End) :- learn(X, S, S1), school(Xs, bag(S1, L), End).
//     home(bag(_, L), Mail) :- Mail = L.
//
// Whatever school/3 finds out, the second part of what it makes is the second part of what it gets:
// so Mail is L.
#ifndef IOTREE_FLOWS_H
#define IOTREE_FLOWS_H

#include "iotree/findings/clauses.h"

typedef struct flows flows;

flows *flows_create(clause_facts *f);
void flows_destroy(flows *f);

// Two variables of a clause, nodes of its body: goals of the body make `late` what `there` is.
typedef struct {
    uint32_t late, there;
} variable_flow;

// malloc'ed, *ret_n of them; NULL if there are none.
variable_flow *flows_in_clause(flows *f, uint32_t clause, uint32_t *ret_n);

#endif
