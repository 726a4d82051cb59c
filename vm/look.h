// SPDX-License-Identifier: MIT
//
// Diagnostics of a finished run: which goals are suspended and on which variables, why a clause
// does not fit a goal, the values of terms and expressions. Nothing here changes a term.
#ifndef VM_LOOK_H
#define VM_LOOK_H

#include "vm/goal.h"

// Goals that wait, oldest first where that is known. *ret_n of them, in one block.
vm_goal **vm_suspended(vm_machine *m, size_t *ret_n);
// Those that ran or could run when the run ended, or that will run next (vm_go_on).
vm_goal **vm_ready(vm_machine *m, size_t *ret_n);
// Its number in order of creation; 0 in plain runs, which do not know it.
uint32_t vm_goal_number(const vm_machine *m, const vm_goal *goal);
// Variables a suspended goal waits for (found by trying it again). Valid until the next call.
vm_var **vm_goal_waits(vm_machine *m, vm_goal *goal, size_t *ret_n);

// Why a clause does not fit a goal, for diagnostics.
typedef struct {
    bool fails;               // else it waits, or would commit
    uint32_t argument;        // 1.. of the head mismatch; 0: a guard failed
    const vm_pattern *wanted; // the pattern that did not match
    vm_word found;
    const vm_word *values; // by clause variable: what it matched, 0: nothing; until the next call
} vm_mismatch;
void vm_explain(vm_machine *m, const vm_goal *goal, const vm_clause *clause,
                vm_mismatch *ret_mismatch);

// Looking at terms and trying guards when a run is over: every binding is followed, nothing is
// changed. Terms given to these are results of vm_value or any others.
vm_word vm_value(vm_word w); // the end of its chain: no variable, or an unbound one
// Where an unbound variable was created. False: another worker has bound it meanwhile.
bool vm_get_origin(const vm_var *v, vm_origin *ret);

typedef enum { VM_LOOK_HOLDS, VM_LOOK_FAILS, VM_LOOK_WAITS } vm_look;
// The value of an expression; `written` as in vm_site, or NULL. If it fails, *ret_reason and
// *ret_culprit (the operand, or the operation) are set.
vm_look vm_look_number(vm_machine *m, vm_word expression, const vm_pattern *written,
                       vm_word *ret_value, const char **ret_reason, vm_word *ret_culprit);
int vm_look_compare_numbers(vm_word left, vm_word right); // of numbers: -1, 0, 1; 2: one is no number (NaN)
vm_look vm_look_equal(vm_machine *m, vm_word left, vm_word right);
vm_look vm_look_test(const char *name, vm_word w); // of a vm_test
void vm_look_functor(vm_word w, vm_word *ret_name, vm_word *ret_arity);

#endif
