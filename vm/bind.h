// SPDX-License-Identifier: MIT
//
// Binding and suspension (private to vm/). See term.h for the states of a variable and machine.h
// for those of a goal.
#ifndef VM_BIND_H
#define VM_BIND_H

#include "vm/machine.h"
#include "vm/scheduler.h"

// Can the attempt under way see that v is bound?
static inline bool vm_is_visible(const vm_machine *m, const vm_var *v)
{
    return vm_is_bound(v) && (!m->stamped || v->time <= m->limit);
}

// Wakes the goals that hang on a variable that was just bound.
void vm_wake(vm_machine *m, vm_hook *hook);

// Binds an unbound variable. Nothing is older than now, so the stamp is now.
static inline void vm_bind(vm_machine *m, vm_var *v, vm_word value)
{
    vm_hook *hook = vm_pointer(v->value);
    v->value = value;
    if (m->stamped) {
        v->time = m->now;
        if (m->options.recorder)
            VM_PUSH(m->bindings, (vm_binding){.variable = v, .value = value, .item = m->item});
    }
    if (hook)
        vm_wake(m, hook);
}

// Hangs the goal on the variables it needs (m->waits), or, where one of them is bound already but
// later than it may see, has it tried again when it may.
void vm_suspend(vm_machine *m, vm_goal *goal);

// vm_deref without recording: follows every binding made so far.
static inline vm_word vm_end_of(vm_word w)
{
    while (vm_tag(w) == TAG_REF && vm_is_bound(vm_as_var(w)))
        w = vm_as_var(w)->value;
    return w;
}

#endif
