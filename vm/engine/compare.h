// SPDX-License-Identifier: MIT
//
// The standard order of terms (private to vm/). Equality, as guards decide it, is in equal.h.
#ifndef VM_COMPARE_H
#define VM_COMPARE_H

#include "vm/engine/machine.h"

// *ret_order: negative, 0 or positive. Waits for the variables that decide it. *progress remembers how
// far an attempt came: two terms that grow are not compared from the start each time.
vm_result vm_compare_terms(vm_machine *m, void **progress, vm_word a, vm_word b, int *ret_order);

// Of two ends of chains that are no compounds; false: one is a compound or unbound.
bool vm_order_of_constants(vm_word a, vm_word b, int *ret_order);

#endif
