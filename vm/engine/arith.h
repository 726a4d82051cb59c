// SPDX-License-Identifier: MIT
//
// Arithmetic (private to vm/): numbers, and expressions as terms.
#ifndef VM_ARITH_H
#define VM_ARITH_H

#include "vm/engine/machine.h"

typedef enum {
    ARITH_OK,
    ARITH_WAIT,
    ARITH_ERROR, // *ret_culprit, reason
} vm_arith_status;

// Value of an expression term: functor first, operands left to right, the first unbound or wrong
// one decides. Iterative. *ret_value is an integer or float word. On ARITH_WAIT vm_wait was called.
// written: the expression as the program has it: where it has a variable only a number will do,
// whatever term the variable was replaced by; NULL: it is a term that was called, and the terms its
// variables are bound to are part of it.
vm_arith_status vm_evaluate(vm_machine *m, vm_word expression, const vm_pattern *written,
                            vm_word *ret_value, const char **ret_reason, vm_word *ret_culprit);

// Applies operator op to numbers (the guard code's way in). *ret_reason on error.
vm_arith_status vm_arith_apply(int op, const vm_word *operands, vm_word *ret_value,
                               const char **ret_reason);
bool vm_is_number(vm_word w); // small or big integer, float
int vm_number_compare(vm_word a, vm_word b); // -1, 0, 1; 2: unordered (NaN)

#endif
