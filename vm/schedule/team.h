// SPDX-License-Identifier: MIT
//
// Several workers, one run (private to vm/). Each worker is a thread with a machine of its own.
//
// Life of a worker:
//
//     +--> WORKING --no goal of its own--> LOOKING --stole a goal--> WORKING
//     |                                       |
//     |                           nothing to take (under the lock: idle + 1)
//     |                                       v
//     +--- woken, or looks again ---------- IDLE --the last one to become idle--> ENDED, all leave
//
// Only a worker that is WORKING makes goals ready, and it becomes IDLE when it has none of its own.
// So when all are IDLE, no goal is ready and none will be: the run is over, exactly. Goals that are
// still suspended then are suspended for good.
//
// What a thief takes. A goal that a worker has besides the one it runs is often one that the
// running goal waits for or binds for: a consumer that was just resumed. Stealing it would move its
// data to another cache. So thieves take
//   - from a worker that has two or more goals;
//   - the only goal of a worker that has one to spare (STREAK_SPARE in quantum.h): both this goal and
//     the one that runs have had many quanta;
//   - the only goal of a worker that has ended no quantum for a while, being in a long built-in.
// A worker that has goals to take wakes a sleeper when it pushes a goal or ends a quantum. It may
// not see that another worker is about to sleep. That one then sleeps until the next quantum ends,
// or until it looks again by itself after some milliseconds. This costs time, but no goal is lost,
// and the count of idle workers stays right.
//
// One worker alone. A run begins with one worker that works while all others are idle, and it
// returns to this state when all others were idle for some quanta. A worker that is alone reduces
// as the only worker of a machine does: by the loop without atomic instructions, with a queue of
// its own. The others stay idle until it has something for them to take; it checks after each
// quantum. Both changes are made under the lock, so what a worker wrote before, the others see
// afterwards.
//
//     TOGETHER -all others idle, nothing to take, 8 quanta-> ALONE --something to take--> TOGETHER
//        |                                                     ^
//        +---together they are no faster (pace.h)---> CHOSEN --+  when all others are idle
//
// If several workers are no faster than one, the worker that finds this out at the end of a quantum
// is chosen. Each of the others hands its goals over at the end of its quantum, under the lock, and
// becomes idle. The chosen worker works on as before, and takes the goals when it has none or is
// alone. So at any time each goal belongs to a worker or is handed over, and the run is over when
// all workers are idle and no goal is handed over. A worker that is alone asks vm_pace before it
// lets others join again, unless it is going to wait for input.
#ifndef VM_TEAM_H
#define VM_TEAM_H

#include "vm/schedule/deque.h"
#include "vm/schedule/pace.h"
#include "vm/schedule/worker.h"

#include <pthread.h>

typedef struct vm_team {
    uint32_t n;
    vm_worker **workers; // whose memory the engine keeps
    vm_deque *deques;    // by number
    bool together;       // all work from the beginning on, even where this is slower
    pthread_mutex_t lock; // of idle, asleep, calls, alone, chosen, handed, pace, ended
    pthread_cond_t woken;
    uint32_t idle;     // written under the lock, read without it as a hint
    uint32_t asleep;   // idle workers that sleep and that nobody has called; likewise
    uint32_t calls;    // that no sleeper has followed yet
    vm_worker *alone;  // all others are idle and stay so; NULL: nobody
    vm_worker *chosen; // is to be alone; NULL: nobody. Read without the lock as a hint
    vm_queue handed;   // goals for the worker that is chosen
    vm_pace pace;
    bool ended;
    uint32_t outcome;  // why the run ended for all, set once; 0: it has not
    vm_worker *ended_by;
    pthread_mutex_t serial; // held by built-ins that share state
} vm_team;

// A team of n workers, which are initialised. together: see vm_team.
vm_team *vm_team_create(vm_worker **workers, uint32_t n, bool together);

// ---- A run, as the engine goes through it -------------------------------------------------------

// Before there are other threads. may_be_alone: the first worker begins alone.
void vm_team_begin(vm_team *t, bool may_be_alone);
// For n workers that got no thread: they count as idle for good.
void vm_team_miss(vm_team *t, uint32_t n);
// For all workers but the first, to begin with: waits until there may be something to take. False:
// the run is over.
bool vm_team_join(vm_worker *w);
// When a quantum is over: alone or together with others from now on?
void vm_team_quantum_over(vm_worker *w);
// Ends the run for all, for a reason other than 0; the first reason counts.
void vm_team_end(vm_worker *w, uint32_t outcome);
bool vm_team_is_over(const vm_worker *w); // some worker ended the run
// Gives back the locks that the worker holds because memory was exhausted.
void vm_team_release(vm_worker *w);

// ---- Goals -----------------------------------------------------------------------------------------

// The next goal of the worker; NULL: it has none, or the run is over.
vm_goal *vm_team_next(vm_worker *w);
// The same where no quantum is over; NULL: vm_team_next() knows.
static inline vm_goal *vm_team_pop(vm_worker *w)
{
    if (w->levels)
        return NULL;
    vm_set_streak(&w->quantum, (vm_streak){0});
    return vm_deque_pop(&w->team->deques[w->number]);
}
// For a worker that has no goal: takes one from another worker and waits for it if need be. False:
// the run is over.
bool vm_team_find(vm_worker *w);
void vm_team_push(vm_worker *w, vm_goal *goal); // to its deque
void vm_team_pushed(vm_worker *w); // it has one more goal: wakes a sleeper
// A new goal of the one that runs, with its priority.
static inline void vm_team_launch(vm_worker *w, vm_goal *goal)
{
    goal->priority = w->priority;
    if (__builtin_expect(w->levels != NULL, 0)) {
        vm_push(w, goal);
        return;
    }
    vm_deque_push(&w->team->deques[w->number], goal);
    if (__builtin_expect(VM_GET_COUNT(w->team->asleep) > 0, 0))
        vm_team_pushed(w);
}

// Of the deque of this worker; NULL: it is empty.
vm_goal *vm_team_own_newest(vm_worker *w);
vm_goal *vm_team_own_oldest(vm_worker *w);
uint32_t vm_team_own_count(const vm_worker *w);
uint64_t vm_team_ready(const vm_team *t); // ready goals, and workers that run one

// ---- Alone or together ------------------------------------------------------------------------

// A worker that works is alone from now on, if all others are idle.
void vm_team_work_alone(vm_worker *w);
void vm_team_work_together(vm_worker *w); // and no more alone
// A worker that works together with others is to be alone, unless another one is.
void vm_team_choose(vm_worker *w);
// For all others, then, at the end of a quantum: hands over all its goals.
void vm_team_hand_over(vm_worker *w);

#endif
