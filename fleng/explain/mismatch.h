// SPDX-License-Identifier: MIT
//
// Why a clause does not fit a goal.
#ifndef FLENG_MISMATCH_H
#define FLENG_MISMATCH_H

#include "fleng/explain/report.h"
#include "fleng/reader/collected.h"
#include "vm/goal.h"

typedef struct {
    const fl_guard *guard;
    vm_word left, right; // a comparison's numbers; 0: there are none
    const char *reason;  // why an expression has no value, or NULL
    vm_word bad_value;   // the part that has none
    bool unsure;         // not tried: this test or a later one fails
} fl_failed_test;

typedef ARRAY_OF(fl_failed_test) fl_failed_tests;

// Tries the guards with the values that the head gave to variables (0: none; guards that compute
// add theirs). True: they fail because of *ret_failed, which has one test for each alternative of a
// disjunction.
bool fl_find_failed_tests(fl_report_context *c, const fl_clause *clause, vm_word *values,
                          fl_failed_tests *ret_failed);
// Two lines or more: the clause's head and what did not match.
void fl_print_mismatch(fl_report_context *c, const vm_goal *goal, const vm_clause *clause);

#endif
