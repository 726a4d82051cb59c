// SPDX-License-Identifier: MIT
//
// What a loop comes to, as far as its text tells: which constant it binds one of its arguments to
// in the end, whatever it finds out on its way.
//
//     votes([X|Xs], N, A) :- X mod 4 =:= 0, N1 := N + 1 | votes(Xs, N1, A).
//     votes([X|Xs], N, A) :- X mod 4 > 0 | votes(Xs, N, A).
//     votes([], N, A) :- N >= 3 | A = yes.
//     votes([], N, A) :- N < 3 | A = no.
//
// Once N is 3, A will be yes. Arguments are followed as ranges of numbers or as constants; what is
// not known may be anything.
#ifndef IOTREE_FINDINGS_OUTCOMES_H
#define IOTREE_FINDINGS_OUTCOMES_H

#include "iotree/findings/clauses.h"

enum { MOST_BOUNDS = 12 }; // arguments of a predicate of such a loop

typedef enum { BOUNDS_NONE, BOUNDS_RANGE, BOUNDS_CONSTANT, BOUNDS_ANY } bounds_kind;

// What a variable may be.
typedef struct {
    bounds_kind kind;
    int64_t low, high; // INT64_MIN, INT64_MAX: no bound
    trace_value constant;
} bounds;

// Of a constant it is known what it is; a variable or a term may be anything.
bounds bounds_of_value(trace_value v);
// Is it this constant, and nothing else?
bool bounds_are(const bounds *b, trace_value constant);

// Do all goals of the loop that follow a goal of this predicate, with these arguments, come to one
// and the same constant in argument `out`? `budget` counts clauses that are looked at; none left:
// no.
bool iot_has_one_outcome(clause_facts *f, uint32_t predicate, const bounds *arguments, uint32_t out,
                         uint64_t *budget);

// What they come to there. False: it is not known.
bool iot_find_outcome(clause_facts *f, uint32_t predicate, const bounds *arguments, uint32_t out,
                      uint64_t *budget, bounds *ret);

#endif
