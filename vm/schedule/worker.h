// SPDX-License-Identifier: MIT
//
// A worker and its ready goals: which one runs next, and for how long (private to vm/).
//
// Where the ready goals of a worker are:
//
//     usually                     order: a stack, a queue of woken goals, held goals (order.h)
//     under a seed                queues[]: one ring for each virtual worker
//     a program with priorities   levels[]: instead of these (priority_queue.h)
//
// A worker alone uses its queues, also one of a team (team.h). The newest goal that was created runs
// first: it finds its data in the cache and keeps the number of goals small. A goal with a higher priority
// than the one that runs makes that one give way at once, that is, where its clause ends. All other goals
// share the worker by quanta (quantum.h).
#ifndef VM_WORKER_H
#define VM_WORKER_H

#include "vm/schedule/fixed.h"
#include "vm/schedule/mailbox.h"
#include "vm/schedule/priority_queue.h"
#include "vm/schedule/quantum.h"
#include "vm/schedule/queue.h"

#include <pthread.h>

// Counters of one worker that others look at: only their worker writes them.
#define VM_SET_COUNT(counter, n) __atomic_store_n(&(counter), (n), __ATOMIC_RELAXED)
#define VM_GET_COUNT(counter)    __atomic_load_n(&(counter), __ATOMIC_RELAXED)

typedef struct {
    uint64_t reductions, letters;
} vm_exchange;

typedef enum { TRIAL_NONE, TRIAL_RUNS, TRIAL_PASSED } vm_trial_state;

typedef struct vm_worker {
    struct vm_team *team; // NULL: the only worker
    uint32_t number;      // in the team

    // Its ready goals. `queues` or `levels` has nqueues elements, `current` is the one in use.
    vm_order order;
    vm_order_kind kind;
    vm_queue *queues;
    vm_priority_queue *levels;
    uint32_t nqueues, current;
    bool seeded;      // current: the virtual worker that runs
    bool in_steps;    // after every reduction the next goal is chosen
    uint64_t random;  // state of the generator
    int32_t priority; // of the goal that runs

    vm_quantum quantum;

    // Counters, see VM_SET_COUNT.
    uint64_t reductions; // brought up to date now and then
    int64_t suspended;   // goals this worker suspended less those it resumed
    uint32_t in_builtin; // plain: 1 while a built-in reduces, else 0

    uint32_t ready;      // its goals that were ready when its quantum was over
    uint64_t letters;    // that it sent or got

    // For the team (team.c).
    bool in_serial;     // it holds team->serial
    uint32_t patience;  // quanta between two gifts
    uint32_t vain;      // more quanta, while no goal is found that could be given
    bool soon;          // the look for one is to go on soon
    uint32_t dry;       // more quanta, while it has nothing left soon after it gave
    uint64_t gave_at;   // reductions when it gave last; 0: none since it was hungry
    uint32_t next_gift; // not before this quantum
    uint32_t size;      // goals of a gift
    vm_trial_state trial; // of a goal that would make a thread begin
    uint32_t trust;     // gifts that may be of goals that were just made, as the last ones were long
    uint32_t partner;   // of those with lower numbers, whom it wrote to last
    vm_exchange begun;  // when it got the last gift
    vm_exchange counted; // when it last looked how much it exchanges
    void **free_lists;  // of its thread (heap.h)
    // Others look at these.
    vm_exchange worth;   // of its last gift
    uint32_t away;       // 1: it retreated to the partner, which gets the goals that it has or gets
    uint32_t gifts;      // it got
    uint32_t judged;     // gifts when a giver last learned from them
    uint32_t retreats;   // since a gift was good
    uint32_t hungry;     // it has no goal and wants a gift; who swaps it to 0 ends that
    uint32_t asleep;
    uint32_t absent;      // it has no thread yet
    bool has_thread;      // with the lock of the team
    bool threadless;      // likewise: the system has no thread for it
    pthread_t thread;
    pthread_cond_t woken; // with the lock of the team
    vm_mailbox mail;
} vm_worker;

typedef struct {
    uint32_t queues; // virtual workers, if seeded; else 1
    bool seeded;
    uint64_t seed;
    vm_order_kind order;
    bool has_priorities; // the program has
} vm_worker_options;

// w is all zero.
void vm_worker_init(vm_worker *w, const vm_worker_options *options);

// A goal becomes ready: it is this worker's newest.
void vm_push(vm_worker *w, vm_goal *goal);
// The same for a goal that was suspended.
void vm_wake(vm_worker *w, vm_goal *goal);
// As vm_push(), but all others go first; of a program with priorities, those of its priority.
void vm_push_oldest(vm_worker *w, vm_goal *goal);
// As vm_push(), for the running goal when its quantum is over or it has to give way.
void vm_give_way(vm_worker *w, vm_goal *goal);
// As vm_push(), in a program without priorities.
static inline void vm_push_alone(vm_worker *w, vm_goal *goal)
{
    vm_order_push(&w->order, goal);
}

// The newest goal of such a worker; NULL: vm_next_goal() knows.
static inline vm_goal *vm_pop_alone(vm_worker *w)
{
    w->quantum.streak = (vm_streak){0};
    return vm_order_pop(&w->order, VM_GET_COUNT(w->suspended));
}

// The priority that the instruction PRIORITY means; the parent's if `value` is not a bound integer.
int32_t vm_priority(const vm_worker *w, vm_priority_kind kind, vm_word value);
// The priority for a goal that is made anew and lets others run before it: `highest`, or that of
// the highest level at or below it with goals for which is_such is false; where there are only
// goals for which it is true, that of the lowest of them.
int32_t vm_priority_behind(vm_worker *w, int32_t highest, bool (*is_such)(const vm_goal *));

// Have many goals been suspended lately, so that another goal is to run? (order.h)
static inline bool vm_is_crowded(const vm_worker *w)
{
    return VM_GET_COUNT(w->suspended) >= w->order.crowd;
}

// The next of this worker's own goals; NULL: it has none.
vm_goal *vm_next_goal(vm_worker *w);
uint32_t vm_own_count(const vm_worker *w); // ready goals of this worker
uint64_t vm_own_count_of_all(const vm_worker *w); // under a seed, of all virtual workers
vm_goal *vm_own_newest(vm_worker *w);
vm_goal *vm_own_oldest(vm_worker *w);
// Takes at most n goals that fit for another worker, the oldest first; and all goals.
void vm_take_gift(vm_worker *w, uint32_t n, vm_fits fits, vm_goals *goals);
void vm_take_all(vm_worker *w, vm_goals *goals);
// When a run has stopped: takes out the goal whose quantum it was or would be; NULL: there is none.
vm_goal *vm_take_running(vm_worker *w);
// Defers the goals that the running built-in has created: at the end of the clause or built-in the
// oldest goal runs next.
void vm_run_oldest_next(vm_worker *w);

// Seeded runs: several virtual workers on one thread. At every scheduling point the seed decides
// which virtual worker runs, so that a schedule is replayed from its number. A virtual worker takes
// the newest of its own goals, now and then the oldest; if it has none, the oldest of another
// one's.
bool vm_toss(vm_worker *w); // heads or tails

#endif
