// SPDX-License-Identifier: MIT
//
// Items of a body, and the arguments that they follow from: what the text says.
//
// An item follows from arguments of a predicate if every clause that may be chosen has the item or
// hands the arguments on, all to one goal of a predicate from whose arguments it follows. A clause
// cannot be chosen if an argument is known that its head refuses.
#ifndef IOTREE_FINDINGS_LATE_ITEMS_H
#define IOTREE_FINDINGS_LATE_ITEMS_H

#include "iotree/findings/clauses.h"

enum {
    MOST_NEEDS = 6, // variables of one item
    DEEPEST = 2,    // structures around one
    MOST_OPEN = 64  // arguments of a goal
};

// Where a variable is in an argument: the part of the part ... of it. No depth: it is the argument.
typedef struct {
    uint32_t depth, parts[DEEPEST];
} inner_place;

// An item and the arguments that its variables are, or are parts of, or that guards compute them
// from: of the goal in hand, in order of the variables. A variable is a hole, or one of the head that
// the body does not use: nholes + its number.
typedef struct {
    uint32_t clause, item;
    uint32_t n;
    uint32_t holes[MOST_NEEDS], arguments[MOST_NEEDS];
    inner_place inner[MOST_NEEDS];
    uint32_t computed; // bits by variable: guards compute with it, so it must be known
    uint64_t open;     // bits by argument of a goal: its loop can begin without what stands there
    uint32_t part; // of the term that an `=` makes, from 1: only this part counts; 0: all do
    bool settled;  // `open` has only what is not known before
} late_item;

// An item that needs nothing but arguments of the head, or their parts; false: it is none of interest.
bool iot_late_item(clause_facts *f, uint32_t clause, uint32_t item, late_item *ret);
// One more variable as a need. False: it is no argument of the head, or there are too many.
bool iot_add_need(late_item *x, const trace_clause *c, uint32_t hole);
// Does it follow from these arguments of a goal? Their values, where they are known; TV_NODE: not
// known. ret_setters (NULL: not wanted) are bits by clause: it follows unless one of these is chosen,
// which go on with the loop, but put something else in the place of arguments, and do not look at
// them.
bool iot_item_follows(clause_facts *f, const late_item *x, uint32_t predicate,
                      const uint32_t *arguments, const trace_value *values, uint8_t *ret_setters);
// Does a term of the body say the same as a pattern of the head?
bool iot_is_made_again(const trace_clause *d, uint32_t pattern, uint32_t node);

#endif
