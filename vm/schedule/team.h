// SPDX-License-Identifier: MIT
//
// Several workers (private to vm/): a thread and a machine each, one run.
//
// Life of a worker:
//
//     +--> WORKING --no goal of its own--> LOOKING --stole a goal--> WORKING
//     |                                       |
//     |                           nothing to take (under the lock: idle + 1)
//     |                                       v
//     +--- woken, or looks again ---------- IDLE --the last one to become idle--> ENDED, all leave
//
// Only a worker that is WORKING makes goals ready, and it becomes IDLE when it has none of its own:
// so when all are IDLE no goal is ready and none will be. The run is over, exactly; goals that are
// left wait for good.
//
// What is taken from others. A goal that a worker has besides the one it runs is often what that
// one waits for or binds to - a consumer that was just woken - and would take its data along to
// another cache. So thieves take
//   - from a worker that has two or more;
//   - the only one of a worker that says it is to spare (streak, scheduler.h): it and the one that
//     runs have both had many turns;
//   - the only one of a worker that had no turn for a while, being in a long built-in.
// A worker that has goals to take wakes a sleeper when it pushes one or a turn is over. If it does
// not see that somebody is about to sleep, that one sleeps until its next turn, or until it looks
// again by itself after some milliseconds: that costs time, but no goal is lost, and the count of
// the idle stays right.
// One alone. A run begins with one worker that works and all others idle; and so it is again when
// all others were idle for some turns. Then that worker reduces as the only worker of a machine
// does: by the loop without atomic instructions, with a queue of its own. The others stay idle
// until it has something to take, which it sees after each turn. Both changes are made under the
// lock; what one wrote before, the others see afterwards.
//
//     TOGETHER --all others idle, nothing to take, 8 turns--> ALONE --something to take--> TOGETHER
//        |                                                      ^
//        +---together they are no faster (pace.h)---> CHOSEN ---+  when all others are idle
//
// Where it does not pay to be several, the worker that finds this out at the end of a turn is
// chosen. Each of the others hands its goals over when its turn is over, under the lock, and
// becomes idle; the chosen one, which meanwhile works as before, takes them when it has none or is
// alone. So at any time each goal is some worker's or is handed over, and the run is over when all
// are idle and no goal is handed over. The one that is alone asks vm_pace before it has company
// again, unless it is going to wait for input.
//
#ifndef VM_TEAM_H
#define VM_TEAM_H

#include "vm/schedule/deque.h"
#include "vm/schedule/scheduler.h"
#include "vm/engine/loop_entry.h"
#include "vm/schedule/pace.h"
#include "vm/schedule/queue.h"

#include <pthread.h>

typedef struct vm_team {
    uint32_t n;
    vm_machine **workers;
    vm_deque *deques;
    pthread_mutex_t lock; // of idle, asleep, calls, alone, chosen, handed, pace, ended
    pthread_cond_t woken;
    uint32_t idle;       // written under lock, read without it as a hint
    uint32_t asleep;     // of these, those that sleep and nobody has called; likewise
    uint32_t calls;      // that no sleeper has followed yet
    vm_machine *alone;   // all others are idle and stay so; NULL: nobody
    vm_machine *chosen;  // is to be alone; NULL: nobody. Read without the lock as a hint
    vm_queue handed;     // to the one that is chosen
    vm_pace pace;
    bool ended;
    uint32_t stop;       // set once: an outcome that ends the run for all
    vm_machine *stopped_by;
    pthread_mutex_t serial; // held by built-ins that share state
} vm_team;

vm_team *vm_team_create(vm_machine *first);
// Runs all workers, the first on this thread, until the run is over. The worker whose failure or
// halt ended it is *ret_by.
vm_outcome vm_team_run(vm_team *t, vm_machine **ret_by);

// For the loop of a worker: its next goal. NULL: it has none, or the run is over.
vm_goal *vm_team_next(vm_machine *m);
// The same where no turn is over; NULL: vm_team_next() knows.
static inline vm_goal *vm_team_pop(vm_machine *m)
{
    if (m->scheduler->pools)
        return NULL;
    VM_SET_COUNT(m->quantum.streak, 0);
    return vm_deque_pop(&m->worker.team->deques[m->worker.number]);
}
// When it has none: takes one from another worker, waiting for it if need be. False: the run is
// over.
bool vm_team_find(vm_machine *m);
// For a worker that works: from now on alone, if all others are idle.
void vm_team_work_alone(vm_machine *m);
void vm_team_work_together(vm_machine *m); // and no more alone
// For a worker that works together with others: it is to be alone, unless another one is.
void vm_team_choose(vm_machine *m);
// For all others, then, at the end of a turn: hands over all goals of its own.
void vm_team_hand_over(vm_machine *m);
void vm_team_push(vm_machine *m, vm_goal *goal); // to its deque
void vm_team_pushed(vm_machine *m); // there is one more goal of its own
// A new goal of the one that runs, with its priority.
static inline void vm_team_launch(vm_machine *m, vm_goal *goal)
{
    goal->priority = m->worker.priority;
    if (__builtin_expect(m->scheduler->pools != NULL, 0)) {
        vm_push(m, goal);
        return;
    }
    vm_deque_push(&m->worker.team->deques[m->worker.number], goal);
    if (__builtin_expect(VM_GET_COUNT(m->worker.team->asleep) > 0, 0))
        vm_team_pushed(m);
}

// Of the deque of this worker; NULL: it is empty.
vm_goal *vm_team_own_newest(vm_machine *m);
vm_goal *vm_team_own_oldest(vm_machine *m);
uint32_t vm_team_own_count(const vm_machine *m);
uint64_t vm_team_ready(const vm_team *t); // goals that are, and workers that run one
bool vm_team_is_over(const vm_machine *m); // somebody ended the run

#endif
