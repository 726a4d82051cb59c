// SPDX-License-Identifier: MIT
//
// Guards that the loop does not decide itself: the type tests of code/tests.def and the queries of
// code/queries.def.
#ifndef VM_QUERY_H
#define VM_QUERY_H

#include "vm/engine/machine.h"

bool vm_passes(uint32_t test, vm_word w);
void vm_name_and_arity(vm_word w, vm_word *ret_name, vm_word *ret_arity);

typedef enum { VM_ANSWER_NO, VM_ANSWER_YES, VM_ANSWER_WAITS } vm_answer;
// Asks query number `query` about the registers' values; its results go to out.
vm_answer vm_query(vm_machine *m, uint32_t query, const vm_word *registers, vm_word *out);

// What `predicate#(m:p/n)` and `module#m` of KL1 stand for.
typedef struct {
    bool is_predicate; // else a module: name
    const char *module, *name;
    uint32_t arity;
} vm_code_object;

// False: w (a result of vm_deref) is no such term.
bool vm_code_constant(vm_machine *m, vm_word w, vm_code_object *ret);

#endif
