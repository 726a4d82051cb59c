// SPDX-License-Identifier: MIT
//
// What a built-in predicate may call (private to vm/).
//
// A built-in first looks at its arguments (vm_deref, vm_need_*). If a variable that it needs is unbound
// it calls vm_wait for the variable and returns VM_WAIT. Only then does it act (vm_unify, vm_make_*,
// vm_spawn, output). Looking records reads; acting records bindings, cells and goals. All functions
// work in plain and in stamped runs.
#ifndef VM_ENGINE_BUILTIN_H
#define VM_ENGINE_BUILTIN_H

#include "vm/engine/machine.h"

// Follows a chain of bound variables to its end, recording the bindings read. The result is a
// non-variable or an unbound variable (vm_is_var; in stamped runs also one bound later than
// visible). A built-in that needs the value of a variable calls vm_wait.
vm_word vm_deref(vm_machine *m, vm_word w);
vm_result vm_wait(vm_machine *m, vm_word variable); // returns VM_WAIT
// Says why the goal fails; culprit may be 0. Returns VM_FAIL.
vm_result vm_error(vm_machine *m, vm_word culprit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same, of a built-in that was to call a predicate that does not exist. module: where it was
// looked for; NULL: in the program.
vm_result vm_undefined(vm_machine *m, vm_word culprit, const char *module, const char *name,
                       uint32_t arity);

// X = T as the body does it. False: does not unify (the failure is recorded).
bool vm_unify(vm_machine *m, vm_word left, vm_word right);
// vm_unify as the last act of a built-in.
static inline vm_result vm_return(vm_machine *m, vm_word left, vm_word right)
{
    return vm_unify(m, left, right) ? VM_DONE : VM_FAIL;
}

// New terms: vm_make_* of vm/term.h with this machine, and those of vm/term/heap.h.

// Creates a goal. progress: goes to its vm_goal.progress.
void vm_spawn(vm_machine *m, vm_predicate *p, const vm_word *args, void *progress);
// The same, with a priority of its own.
void vm_spawn_at(vm_machine *m, vm_predicate *p, const vm_word *args, int32_t priority);
vm_predicate *vm_builtin_predicate(vm_machine *m, vm_builtin function);

// Leaves the built-in unless `look` ended with VM_DONE.
#define NEED(look)                                                                                 \
    do {                                                                                           \
        vm_result need_ = (look);                                                                  \
        if (need_ != VM_DONE)                                                                      \
            return need_;                                                                          \
    } while (0)

// Progress of the goal that runs (kept while it waits).
static inline void **vm_progress(vm_machine *m)
{
    return &m->reduction.goal->progress;
}

#endif
