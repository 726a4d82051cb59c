// SPDX-License-Identifier: MIT
//
// Which goal runs next (private to vm/).
//
// Plain runs: a queue, here for one worker, in deque.h for one of a team. The newest goal runs first (it finds its data in the cache and keeps the
// pool small); from time to time the oldest does, so that endless goals share.
//
// Stamped runs: a calendar. The goal that may see bindings up to time t - cost runs at step t; the
// goals of one step run in order of creation. A ring of steps is enough, as nobody is put further
// ahead than the largest cost.
//
//        now
//         v
//     [ t ][ t+1 ][ t+2 ] ... [ t + largest cost ]      each: fresh goals, woken goals
//
#ifndef VM_SCHEDULER_H
#define VM_SCHEDULER_H

#include "vm/machine.h"

typedef struct {
    VM_ARRAY(vm_goal *) fresh; // in order of creation where costs are equal
    VM_ARRAY(vm_goal *) woken; // in any order
} vm_step;

typedef struct { // a ring of 2^k goals, `first` the oldest
    vm_goal **ring;
    uint32_t size, first, count;
} vm_queue;

typedef struct vm_scheduler {
    // plain: one queue; seeded: one for each virtual worker, `turn` the one whose turn it is
    vm_queue *queues;
    uint32_t nqueues, turn;
    uint64_t random;
    // stamped
    vm_step *steps;
    uint32_t nsteps;
    uint64_t scheduled;
    VM_ARRAY(vm_goal *) batch;
} vm_scheduler;

vm_scheduler *vm_scheduler_create(const vm_machine *m);

// The newest goal of a machine that is no team's.
void vm_queue_grow(vm_queue *q);
static inline void vm_push_alone(vm_scheduler *s, vm_goal *goal)
{
    vm_queue *q = &s->queues[s->turn];
    if (__builtin_expect(q->count == q->size, 0))
        vm_queue_grow(q);
    q->ring[(q->first + q->count++) & (q->size - 1)] = goal;
}

// A goal that is ready, in a plain run: to this worker's deque.
void vm_push(vm_machine *m, vm_goal *goal);

// Plain, one worker.
vm_goal *vm_pop_newest(vm_scheduler *s); // NULL if there is none
vm_goal *vm_pop_oldest(vm_scheduler *s);

// Seeded runs: several virtual workers on one thread. At every scheduling point the seed decides
// who goes on, so that a schedule is replayed from its number: a virtual worker takes the newest of
// its own goals or, having none, the oldest of another one's.
vm_goal *vm_pop_seeded(vm_scheduler *s);
bool vm_toss(vm_scheduler *s); // heads or tails

// Stamped: at which step (> now, at most now + largest cost) the goal is tried.
void vm_schedule(vm_scheduler *s, vm_goal *goal, int64_t step, bool fresh);
// The goals of the first step after `now` that has any, older first; 0: none is left. They are
// s->batch until the next call.
int64_t vm_next_step(vm_scheduler *s, int64_t now);

#endif
