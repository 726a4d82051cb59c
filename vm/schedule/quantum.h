// SPDX-License-Identifier: MIT
//
// Quanta: how the ready goals of a worker share it in a plain or real run (private to vm/).
//
// A quantum is a number of reductions. The goal that runs has it together with its descendants, as
// these are newer and so run before the others. When a quantum is over order.h says who is next. In a
// program with priorities, of the goals of the highest priority:
//
//     the goal did not use all of it          it goes on
//     there are others                        the goal becomes the oldest and the newest goal runs:
//                                             consumers follow their producers
//     for 64 quanta other goals had none      each 16th quantum is a boost for the oldest
//     otherwise                               the goal goes on
#ifndef VM_QUANTUM_H
#define VM_QUANTUM_H

#include "vm/goal.h"

// How long the goal that runs has been running, and why it runs.
typedef struct {
    uint16_t quanta; // in a row
    uint16_t kind;   // vm_streak_kind
} vm_streak;

typedef enum {
    STREAK_OWN,     // it runs because it was next
    STREAK_BOOST,   // a boost: it was the oldest of its priority
    STREAK_RESUMED, // it had been held (order.h)
    STREAK_GUEST,   // likewise, for a visit
} vm_streak_kind;

typedef struct {
    // What is due at the next scheduling point, where the clause or built-in that runs ends.
    bool yield;       // the goal that runs gives way
    bool over;        // the quantum is over: another goal may go on
    bool oldest_next; // the oldest goal runs next
    bool stop;        // the run stops: a limit is reached, memory is short, or somebody ended it
    bool forgotten;   // what the quantum left in registers and lists is cleared
    uint64_t end;     // number of reductions at which the quantum is over
    uint32_t number;  // counter: quanta that are over
    uint32_t had_all; // quantum.number when the worker last had but one goal
    vm_streak streak; // of the goal that runs
    vm_streak before_boost; // of the goal that continues after the boost
    vm_goal *given;         // the goal whose quantum is over, while no queue has it
} vm_quantum;

static inline vm_streak vm_get_streak(const vm_quantum *q)
{
    return q->streak;
}

static inline void vm_set_streak(vm_quantum *q, vm_streak streak)
{
    q->streak = streak;
}

#endif
