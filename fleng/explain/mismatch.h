// SPDX-License-Identifier: MIT
//
// Why a clause does not fit a goal (private to fleng/: explain.c, guard_values.c).
#ifndef FLENG_EXPLAIN_H
#define FLENG_EXPLAIN_H

#include "fleng/reader/array.h"
#include "fleng/explain/run_end.h"
#include "vm/goal.h"

typedef struct {
    const fl_guard *guard;
    vm_word left, right; // a comparison's numbers; 0: there are none
    const char *reason;  // why an expression has no value, or NULL
    vm_word culprit;     // what in it
    bool unsure;         // this test or one behind it fails: it was not tried
} fl_failed_test;

typedef FL_ARRAY(fl_failed_test) fl_failed_tests;

// Tries the guards with what the head matched (by variable; 0: nothing; guards that compute add to
// it). True: they fail, because of *ret_failed (of a disjunction one test for each alternative).
bool fl_find_failed_tests(fl_report_context *c, const fl_clause *clause, vm_word *values,
                          fl_failed_tests *ret_failed);
// Two lines or more: the clause's head and what did not match.
void fl_explain_clause(fl_report_context *c, const vm_goal *goal, const vm_clause *clause);

#endif
