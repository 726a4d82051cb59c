// SPDX-License-Identifier: MIT
//
// Equality of terms (private to vm/), as guards, repeated head variables and \= decide it. The
// standard order is in compare.h.
#ifndef VM_EQUAL_H
#define VM_EQUAL_H

#include "vm/engine/machine.h"

typedef enum { VM_EQUAL, VM_DIFFERENT, VM_UNDECIDED } vm_equality;
// Equal: records every binding looked at. Different: records only the path to the first difference.
// Undecided: calls vm_wait for the variables that the answer depends on.
vm_equality vm_test_equal(vm_machine *m, vm_word a, vm_word b);

// Of two non-variables: equal constants (numbers, atoms, strings)?
bool vm_equal_constants(vm_word a, vm_word b);
bool vm_same_shape(vm_word a, vm_word b); // compounds with the same functor or length

#endif
