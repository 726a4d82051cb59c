// SPDX-License-Identifier: MIT
//
// Wrapped terms: used by the predicates of `variable:` and by I/O streams.
#ifndef VM_OBJECTS_H
#define VM_OBJECTS_H

#include "vm/engine/machine.h"

// A wrapped term is ground and says of what kind each part is (tables.c).
vm_word vm_wrap_term(vm_machine *m, vm_word term);
// Unwraps a ground term; variables of one name become one variable.
vm_result vm_unwrap_term(vm_machine *m, vm_word wrapped, vm_word *ret);

#endif
