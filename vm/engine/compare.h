// SPDX-License-Identifier: MIT
//
// The standard order of terms.
#ifndef VM_COMPARE_H
#define VM_COMPARE_H

#include "vm/engine/machine.h"

// *ret_order: negative, 0 or positive. Waits for what decides it.
vm_result vm_compare_order(vm_machine *m, vm_word a, vm_word b, int *ret_order);

#endif
