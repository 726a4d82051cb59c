// SPDX-License-Identifier: MIT
//
// The predicates that call/N calls (private to vm/).
#ifndef VM_CALLED_H
#define VM_CALLED_H

#include "vm/engine/machine.h"

// The predicate name/arity of a module (NULL: as the program sees it). NULL: there is none.
vm_predicate *vm_find_predicate(vm_machine *m, const char *module, uint32_t name, uint32_t arity);

// The predicate that `*goal`, with so many more arguments, calls; *goal is the end of its chain then.
// NULL: it is no plain goal, and vm_call knows what it is.
vm_predicate *vm_called(vm_machine *m, vm_word *goal, uint32_t more);

// The same for a goal of call/N.
static inline bool vm_is_call(const vm_goal *goal)
{
    return goal->predicate->entry->calls;
}

#endif
