// SPDX-License-Identifier: MIT
//
// Quick ways of built-in predicates that have one result: plain runs take them without a goal
// (vm_builtin_entry.quick).
#ifndef VM_QUICK_H
#define VM_QUICK_H

#include "vm/program.h"

bool vm_quick_compute(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_order(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_arg(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_number_string(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_string_concat(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_string_length(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_string_element(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_sub_string(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_vector_length(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_vector_element(vm_machine *m, const vm_word *in, vm_word *ret);
bool vm_quick_set_vector_element(vm_machine *m, const vm_word *in, vm_word *ret);

#endif
