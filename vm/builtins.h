// SPDX-License-Identifier: MIT
//
// The built-in predicates: the table that builtins.def describes, and the function of each.
//
// The table is at the top of vm/: it names functions of the rooms builtins/ and kl1/, and no
// room reads it. The compiler gives each predicate its entry (vm_predicate.entry); so the engine
// knows all of a built-in and none by name.
#ifndef VM_BUILTINS_H
#define VM_BUILTINS_H

#include "vm/program.h"

extern const vm_builtin_entry vm_builtins[]; // in the order of their numbers
extern const uint32_t vm_nbuiltins;

#define BUILTIN(name, arity, function, ...) vm_result function(vm_machine *m, vm_word *args);
#include "vm/builtins.def"
#undef BUILTIN

#endif
