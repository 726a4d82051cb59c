// SPDX-License-Identifier: MIT
//
// Binding and suspension (private to vm/). See term.h for the states of a variable and machine.h
// for those of a goal.
#ifndef VM_BIND_H
#define VM_BIND_H

#include "vm/engine/machine.h"

// Can the attempt under way see that v is bound?
static inline bool vm_is_visible(const vm_machine *m, const vm_var *v)
{
    return vm_is_bound(v) && (!m->stamped || v->time <= m->attempt.limit);
}

// Wakes the goals that hang on a variable that was just bound.
void vm_wake(vm_machine *m, vm_hook *hook);

// Binds a variable that this worker alone may bind.
static inline void vm_bind_alone(vm_machine *m, vm_var *v, vm_word value)
{
    vm_hook *hook = vm_pointer(v->value);
    v->value = value;
    if (m->stamped) {
        v->time = m->reduction.now;
        if (m->options.recorder)
            VM_PUSH(m->reduction.bindings,
                    (vm_binding){.variable = v, .value = value, .item = m->reduction.item});
    }
    if (hook)
        vm_wake(m, hook);
}

// Binds a variable unless another worker was faster: then false.
static inline bool vm_bind(vm_machine *m, vm_var *v, vm_word value)
{
    if (!m->worker.shared) {
        vm_bind_alone(m, v, value);
        return true;
    }
    vm_word hooks = vm_load(&v->value);
    do {
        if (vm_tag(hooks) != TAG_HOOK)
            return false;
    } while (!__atomic_compare_exchange_n(&v->value, &hooks, value, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    if (vm_pointer(hooks))
        vm_wake(m, vm_pointer(hooks));
    return true;
}

// The same for a variable that nobody waits for, in a team; false: it is none.
static inline bool vm_fill_shared(vm_var *v, vm_word value)
{
    vm_word nobody = TAG_HOOK;
    return __atomic_compare_exchange_n(&v->value, &nobody, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

// Hangs the goal on the variables it needs (m->attempt.waits), or, where one of them is bound
// already but later than it may see, has it tried again when it may.
void vm_suspend(vm_machine *m, vm_goal *goal);

// The word of a variable that another worker is binding: when that is done, in a few instructions.
vm_word vm_await(const vm_var *v);

#endif
