// SPDX-License-Identifier: MIT
//
// What modes.c found out about the arguments of predicates, for the checks that follow from it.
#ifndef FLENG_CHECK_MODES_H
#define FLENG_CHECK_MODES_H

#include "fleng/check/check.h"

typedef struct mode_analysis fl_modes;

// Adds to counts, by variable of the clause, how many arguments of the goal may bind it.
void fl_count_binders(const fl_modes *a, const fl_item *item, uint32_t *counts);
// May a goal of the predicate bind the variable that is its argument number k, from 0?
bool fl_may_bind(const fl_modes *a, const vm_predicate *p, uint32_t k);

// outputs.c: clauses that look at an argument which only their own predicate binds.
void fl_check_outputs(const fl_check *k, const fl_modes *a);

#endif
