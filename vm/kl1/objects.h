// SPDX-License-Identifier: MIT
//
// What the files of KL1's built-in predicates share.
#ifndef VM_OBJECTS_H
#define VM_OBJECTS_H

#include "vm/engine/machine.h"

// Wrapped terms (tables.c): ground terms that say of what kind each part is.
vm_word vm_wrap_term(vm_machine *m, vm_word term);
// Unwraps a ground term; variables of one name become one variable.
vm_result vm_unwrap_term(vm_machine *m, vm_word wrapped, vm_word *ret);

#endif
