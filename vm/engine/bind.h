// SPDX-License-Identifier: MIT
//
// Binding, suspension and resumption (private to vm/). vm/term.h has the states of a variable, goal.h
// those of a goal.
//
// A goal that needs several variables has a suspension record in the list of each. The first binding
// resumes the goal and counts its generation up; this makes its other records stale.
//
// Several workers. The value of an unbound variable changes by compare-and-swap only: to a longer
// list of records, or, once, to a term. Who swaps in the term resumes the goals of the list.
//
//   worker A: suspend goal on x                     worker B: bind x
//     generation := SUSPENDED n                       swap x: records -> term
//     swap x: records -> A's record + records         for each record:
//       lost to a term: swap generation:                swap generation:
//       SUSPENDED n -> READY n+1, push the goal         SUSPENDED n -> READY n+1, push the goal
//
// Either A's swap of x comes first, and B finds the record; or B's comes first, and A sees the term.
// Both may try to resume the goal; one of them succeeds.
#ifndef VM_BIND_H
#define VM_BIND_H

#include "vm/engine/goal.h"

#include <stddef.h>

// One entry in a variable's list of suspended goals, newest first. Stale records gather in a list
// when its goals are resumed by other variables. So a worker that adds a record to a list that has
// become twice as long since it was last swept takes the stale records out. Other workers may be
// sweeping the same list, or walking along it: a `next` is only ever moved forward, past records that
// are stale for good.
//
// In a plain run, a goal that waits for one variable has the record within itself, if one worker is
// alone: such a record is never stale, and is used again when the goal is resumed. So whoever resumes goes
// on before the goal may run, and a team does not sweep a list that begins with such a record or ever
// had one.
typedef struct vm_suspension {
    vm_waiting in;
    // what follows is there only if not in.own
    vm_goal *goal;
    uint64_t generation; // of the goal while it is suspended here
} vm_suspension;

// What follows the record in its list, as `next` says.
static inline vm_word vm_after(const vm_suspension *record)
{
    return __atomic_load_n(&record->in.next, __ATOMIC_RELAXED);
}

// The goal that waits, and its generation meanwhile.
static inline vm_goal *vm_waiter(const vm_suspension *record)
{
    return record->in.own ? (vm_goal *)((char *)record - offsetof(vm_goal, waiting)) : record->goal;
}

// The first record of a list; NULL: it is empty. While a variable is being bound its list is.
static inline vm_suspension *vm_first_waiter(vm_word records)
{
    return vm_is_unawaited(records) ? NULL : vm_pointer(records);
}

// Can the attempt under way see that v is bound?
static inline bool vm_is_visible(const vm_machine *m, const vm_var *v)
{
    return vm_is_bound(v) && (!m->stamped || v->time <= m->attempt.limit);
}

// Resumes the goals that are suspended on a variable that was just bound.
void vm_resume(vm_machine *m, vm_word records);

// Binds a variable that this worker alone may bind.
static inline void vm_bind_alone(vm_machine *m, vm_var *v, vm_word value)
{
    vm_word records = v->value;
    v->value = value;
    if (m->stamped) {
        v->time = m->reduction.now;
        if (m->options.recorder)
            VM_PUSH(m->reduction.bindings,
                    (vm_binding){.variable = v,
                                 .value = value,
                                 .item = m->reduction.item,
                                 .passed_end = m->reduction.passed.n});
    }
    if (!vm_is_unawaited(records))
        vm_resume(m, records);
}

// Binds a variable unless another worker was faster: then false.
static inline bool vm_bind(vm_machine *m, vm_var *v, vm_word value)
{
    if (!m->worker.shared) {
        vm_bind_alone(m, v, value);
        return true;
    }
    vm_word records = vm_load(&v->value);
    do {
        if (vm_tag(records) != TAG_UNBOUND)
            return false;
    } while (!__atomic_compare_exchange_n(&v->value, &records, value, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    if (!vm_is_unawaited(records))
        vm_resume(m, records);
    return true;
}

// The same for a variable that nobody waits for, in a team; false: it is none.
static inline bool vm_fill_shared(vm_var *v, vm_word value)
{
    vm_word nobody = __atomic_load_n(&v->value, __ATOMIC_RELAXED);
    return vm_is_unawaited(nobody) && __atomic_compare_exchange_n(&v->value, &nobody, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

// Suspends the goal on the variables it needs (m->attempt.waits). If one of them is bound already, but
// later than the goal may see, the goal is tried again when it may see the binding.
void vm_suspend(vm_machine *m, vm_goal *goal);

// The word of a variable that another worker is binding: when that is done, in a few instructions.
vm_word vm_await(const vm_var *v);

#endif
