// SPDX-License-Identifier: MIT
//
// Which goal runs next (private to vm/).
//
// Plain runs: a queue (queue.h), for a worker of a team a deque (deque.h), where the program has
// priorities a pool (pool.h). The newest goal runs first: it finds its data in the cache and keeps
// the number of goals small. But for priorities all goals share: reductions are counted in turns.
//
//     a turn is over --+-- the goal had not all of it --> it goes on
//                      +-- others are in the queue --> it is set aside, the newest goes on:
//                      |                               consumers follow their producers
//                      +-- it had many in a row --> it is set aside, the next that was goes on
//                      +-- others had none for 64 turns --> one of them has one, every 16th time
//                      +-- else it goes on
//
// Goals set aside run when there are no others, too, the newest first: consumers with much to do
// are newer than their producers. They are those that take much time, so
// thieves take them first.
//
// A goal with a higher priority than the one that runs has it give way at once, that is, where
// its clause ends.
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

#include "vm/engine/machine.h"
#include "vm/schedule/priority_queue.h"
#include "vm/schedule/queue.h"

typedef struct {
    ARRAY_OF(vm_goal *) fresh; // in order of creation where costs are equal
    ARRAY_OF(vm_goal *) woken; // in any order
} vm_step;

typedef struct vm_scheduler {
    // plain: one queue; seeded: one for each virtual worker, `turn` the one whose turn it is
    vm_queue *queues;
    vm_pool *pools; // instead of queues, where there are priorities
    vm_pool aside;  // goals that used up their turns, where there are none
    uint32_t nqueues, turn;
    uint64_t random;
    // stamped
    vm_step *steps;
    uint32_t nsteps;
    uint64_t scheduled;
    ARRAY_OF(vm_goal *) batch;
} vm_scheduler;

vm_scheduler *vm_scheduler_create(const vm_machine *m);

// A goal that is ready, in a plain run: it is this worker's newest.
void vm_push(vm_machine *m, vm_goal *goal);
// The same for the goal that runs, whose turn is over or that has to give way.
void vm_give_way(vm_machine *m, vm_goal *goal);
// The same for a machine that is no team's, in a program without priorities.
static inline void vm_push_alone(vm_scheduler *s, vm_goal *goal)
{
    vm_queue_push(&s->queues[s->turn], goal);
}

// Its newest; NULL: vm_next_goal() knows.
static inline vm_goal *vm_pop_alone(vm_machine *m)
{
    m->quantum.streak = 0;
    return vm_queue_newest(&m->scheduler->queues[m->scheduler->turn]);
}

// A priority as PRIORITY (code.def) says. Where value is no integer that is known, the parent's.
int32_t vm_priority(const vm_machine *m, vm_priority_kind kind, vm_word value);

// The next of this worker's own goals in a plain run; NULL if there is none.
vm_goal *vm_next_goal(vm_machine *m);
// Ready goals of this worker: any worker may ask.
uint32_t vm_own_count(const vm_machine *m);
// The same, and under a seed of all virtual workers; on the ideal machine those of all steps.
uint64_t vm_ready_count(const vm_machine *m);
vm_goal *vm_own_oldest(vm_machine *m); // that are not set aside
// When a run has stopped: whose turn it was or would be; taken out. NULL: there is no such goal.
vm_goal *vm_next_of_turn(vm_machine *m);
// What the built-in that runs creates is put off: where the clause or built-in ends the oldest goes
// on.
void vm_put_off(vm_machine *m);

// Seeded runs: several virtual workers on one thread. At every scheduling point the seed decides
// who goes on, so that a schedule is replayed from its number: a virtual worker takes the newest of
// its own goals, now and then the oldest or, having none, the oldest of another one's.
bool vm_toss(vm_scheduler *s); // heads or tails

// Stamped: at which step (> now, at most now + largest cost) the goal is tried.
void vm_schedule(vm_scheduler *s, vm_goal *goal, int64_t step, bool fresh);
// The goals of the first step after `now` that has any, older first; 0: none is left. They are
// s->batch until the next call.
int64_t vm_next_step(vm_scheduler *s, int64_t now);
void vm_scheduler_clear(vm_scheduler *s); // no goal is scheduled any more
// Room for the costs of a program that was added to; no goal is scheduled.
void vm_scheduler_reserve(vm_scheduler *s, const vm_program *p);

#endif
