// SPDX-License-Identifier: MIT
//
// Quanta: how the ready goals of a worker that is one of several share it in a plain or real run, and
// those of programs with priorities (private to vm/). One worker alone: order.h.
//
// A quantum is a number of reductions. The goal that runs has it together with its descendants, as
// these are newer and so run before the others. When a quantum is over:
//
//     the goal did not use all of it          it goes on
//     the run queue has other goals           the goal is moved to the low-priority queue and the
//                                             newest goal runs: consumers follow their producers
//     the goal had 32 quanta in a row         the goal is moved to the low-priority queue and the
//                                             oldest goal of that queue runs
//     for 64 quanta other goals had none      each 16th quantum is a boost for one of them
//     otherwise                               the goal goes on
//
// When the run queue is empty, the newest goal of the low-priority queue runs: consumers with much
// to do are newer than their producers. The goals of this queue take much time, so thieves take
// them first.
#ifndef VM_QUANTUM_H
#define VM_QUANTUM_H

#include "vm/goal.h"

// How long the goal that runs has been running, and why it runs. One word, as thieves read it while
// its worker changes it:
//
//     +-------------------------+-------------------------+
//     | kind (vm_streak_kind)   | quanta in a row         |
//     +-------------------------+-------------------------+
//      16 bits                   16 bits, at most 32
typedef struct {
    _Alignas(4) uint16_t quanta;
    uint16_t kind;
} vm_streak;

typedef enum {
    STREAK_OWN,          // it runs because it was next
    STREAK_SPARE,        // likewise; the goal before it had many quanta, too: a thief may take one
    STREAK_BOOST_LOW,    // a boost: it came from the low-priority queue and goes back there
    STREAK_BOOST_OLDEST, // a boost: it was the oldest of the run queue
    STREAK_RESUMED,      // it had been held (order.h)
    STREAK_GUEST,        // likewise, for a visit
} vm_streak_kind;

typedef struct {
    // What is due at the next scheduling point, where the clause or built-in that runs ends.
    bool yield;       // the goal that runs gives way
    bool over;        // the quantum is over: another goal may go on
    bool ahead;       // a built-in of the body waits: all other goals go first; of workers that share
    bool oldest_next; // the oldest goal runs next
    bool stop;        // the run stops: a limit is reached, memory is short, or somebody ended it
    bool forgotten;   // what the quantum left in registers and lists is cleared
    uint64_t end;     // number of reductions at which the quantum is over
    uint32_t number;  // counter: quanta that are over
    uint32_t had_all; // quantum.number when the worker last had but one goal
    vm_streak streak; // counter: of the goal that runs
    vm_streak before_boost; // of the goal that continues after the boost
    vm_goal *given;         // the goal whose quantum is over, while no queue has it
} vm_quantum;

static inline vm_streak vm_get_streak(const vm_quantum *q)
{
    vm_streak streak;
    __atomic_load(&q->streak, &streak, __ATOMIC_RELAXED);
    return streak;
}

static inline void vm_set_streak(vm_quantum *q, vm_streak streak)
{
    __atomic_store(&q->streak, &streak, __ATOMIC_RELAXED);
}

#endif
