// SPDX-License-Identifier: MIT
//
// Terms of two clauses side by side, with the values of their variables.
#ifndef FLENG_CHECK_TERMS_H
#define FLENG_CHECK_TERMS_H

#include "fleng/check/check.h"

// A term of a clause. Its variables are numbered from base on.
typedef struct {
    const fl_term *term;
    uint32_t base;
} fl_part;

typedef struct {
    fl_part *values; // by variable; term NULL: it stands for itself
    uint32_t n;
    uint32_t steps; // taken so far
    bool gave_up;   // too many steps: nothing more is known
} fl_store;

// The value of the term; a variable only if that has no value.
fl_part fl_part_value(const fl_store *s, fl_part p);
// False: the terms cannot become equal. If the store has given up, true.
bool fl_parts_unify(fl_store *s, fl_part a, fl_part b);
// The same, but only variables of `general` get values. If the store has given up, false.
bool fl_parts_match(fl_store *s, fl_part general, fl_part special);
// Are the terms known to be the same?
bool fl_parts_same(fl_store *s, fl_part a, fl_part b);
// A text, equal for equal terms, in the collected heap; NULL: it would be too long.
const char *fl_part_key(fl_store *s, fl_part p);

static inline uint32_t fl_part_variable(fl_part p)
{
    return p.base + p.term->var;
}

#endif
