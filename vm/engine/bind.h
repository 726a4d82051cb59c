// SPDX-License-Identifier: MIT
//
// Binding, suspension and resumption (private to vm/). vm/term.h has the states of a variable, goal.h
// those of a goal.
//
// A goal that needs several variables has a suspension record in the list of each. The first binding
// resumes the goal and counts its generation up; this makes its other records stale.
//
// Several workers of a plain run. A variable belongs to the worker that made it: only this worker, its
// owner, binds it or hangs goals on it, by plain stores. All others read it, and send their wishes to
// its owner (mail.h). So no worker ever swaps:
//
//     worker 1: x belongs to worker 0              worker 0
//       x = T          ---- BIND x T ----------->    x = T, as one of its own
//       goal needs x   ---- the goal ----------->    the goal runs here: it finds x bound, or hangs on it
//       goal needs x and its own y
//                      ---- HOOK x goal -------->    hangs a record on x
//                      <--- WAKE goal -----------    when x is bound
//
// A worker that retreated (team.h) runs no goals: what needs its variables hangs a record there by HOOK.
//
// A goal is suspended at one worker, its home, which alone resumes it. Records say whose the variable
// is, and which worker is the goal's home. Of two variables the one with the higher address is bound to
// the other, so that several workers close no circle.
//
// Several workers of a real run. The value of an unbound variable changes by compare-and-swap only: to
// a longer list of records, or, once, to a term. Who swaps in the term resumes the goals of the list.
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
// become twice as long since it was last swept takes the stale records out. In a real run other workers
// may be sweeping the same list, or walking along it: a `next` is only ever moved forward, past records
// that are stale for good.
//
// In a plain run, a goal that waits for one variable has the record within itself: such a record is
// never stale, and is used again when the goal is resumed. So whoever resumes goes on before the goal
// may run.
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

// The owner of an unbound variable, whose value is given. If that is another worker it may bind the
// variable meanwhile, and use the record for another one: then the answer is any worker.
static inline uint32_t vm_owner(vm_word value)
{
    if (vm_is_unawaited(value))
        return (uint32_t)(value >> VM_OWNER_SHIFT & (VM_OWNERS - 1));
    return __atomic_load_n(&((vm_suspension *)vm_pointer(value))->in.owner, __ATOMIC_RELAXED);
}

// Plain runs: may this worker bind the unbound variable? The answer stays right.
static inline bool vm_is_mine(const vm_machine *m, vm_word value)
{
    return (value & VM_OWNER_MASK) == m->cells.unbound ||
           (!vm_is_unawaited(value) && vm_owner(value) == m->worker.number);
}

// Resumes the goals that are suspended on a variable that was just bound.
void vm_resume(vm_machine *m, vm_word records);
// The same in plain and ideal runs, where `value` is what it was bound to. If that is a variable, goals that
// need a value wait for this one instead: they would only find it and wait. So a goal at the end of a
// long chain of aliases does not follow the chain again with each part of it.
void vm_pass_on(vm_machine *m, vm_word records, vm_word value);

// Binds a variable that this worker alone may bind.
static inline void vm_bind_alone(vm_machine *m, vm_var *v, vm_word value)
{
    vm_word records = __atomic_load_n(&v->value, __ATOMIC_RELAXED);
    __atomic_store_n(&v->value, value, __ATOMIC_RELEASE);
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
        vm_pass_on(m, records, value);
}

// Plain runs: binds a variable if this worker may; false: it is bound, or belongs to another worker.
static inline bool vm_bind_mine(vm_machine *m, vm_var *v, vm_word value)
{
    vm_word now = vm_load(&v->value);
    if (vm_tag(now) != TAG_UNBOUND || !vm_is_mine(m, now))
        return false;
    vm_bind_alone(m, v, value);
    return true;
}

// Plain runs: the same for a variable that nobody waits for; own: m->cells.unbound.
static inline bool vm_fill(vm_var *v, vm_word value, vm_word own)
{
    if ((__atomic_load_n(&v->value, __ATOMIC_RELAXED) & VM_OWNER_MASK) != own)
        return false;
    __atomic_store_n(&v->value, value, __ATOMIC_RELEASE);
    return true;
}

// Suspends the goal on the variables it needs (m->attempt.waits). If one of them is bound already, but
// later than the goal may see, the goal is tried again when it may see the binding.
void vm_suspend(vm_machine *m, vm_goal *goal);

// What the owner does for others: hangs a goal whose home is another worker on one of its variables,
// false if that is bound; and resumes a goal of its own that another worker's binding woke.
bool vm_hook(vm_machine *m, vm_var *v, vm_goal *goal, uint64_t generation, uint32_t home);
void vm_wake_suspended(vm_machine *m, vm_goal *goal, uint64_t generation);

// Real runs: the word of a variable that another worker is binding: when that is done, in a few
// instructions.
vm_word vm_await(const vm_var *v);

#endif
