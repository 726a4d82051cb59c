// SPDX-License-Identifier: MIT
//
// The order in which one worker runs its ready goals (private to vm/). ARCHITECTURE.md explains it.
//
//     stack    goals that were created: the newest first, down to the floor
//     woken    goals that were suspended: the oldest first
//     held     goals that were stopped at the end of a turn. Each one has a place in the stack: all
//              goals above it run before it goes on
//
//              floor of held[0]     floor of held[1]
//                    v                    v
//     stack  [ a ][ b ][ c ][ d ][ e ][ f ][ g ][ h ]     next: h, g, then woken goals, held[1], f, ...
#ifndef VM_ORDER_H
#define VM_ORDER_H

#include "vm/schedule/queue.h"
#include "vm/term/heap.h"

typedef struct {
    vm_goal *goal;
    uint32_t floor;
    bool lifted; // what is above the floor was the oldest of the stack
} vm_held;

enum { VM_SAMPLES = 9 };

// Some goals of the stack at a look for a gift, and where the queue of woken goals ended. A goal that is
// still there some quanta later is old.
typedef struct {
    uint32_t number;        // of the quantum
    uint32_t n;             // samples
    uint32_t at[VM_SAMPLES]; // positions in the stack
    uint64_t key[VM_SAMPLES];
    uint32_t woken_end;
} vm_noted;

// A goal that runs for a trial, while the one that ran is held.
typedef struct {
    uint32_t at, floor; // of the place in `held`
    vm_goal *held;
} vm_trial;

typedef struct {
    vm_queue stack, woken;
    ARRAY_OF(vm_held) held;
    uint32_t places;     // of `held` that have no goal
    uint32_t base;       // end of the stack when the turn began
    uint32_t last_end;   // when the last quantum ended
    uint32_t last_woken; // likewise, end of the queue of woken goals
    uint64_t oldest;     // likewise, key of the oldest goal of the stack
    uint32_t visit;      // quanta of the next visit
    uint32_t turn;       // quanta
    uint32_t since;      // number of the quantum in which a goal was last held or went on
    uint32_t patience;   // quanta until the next boost
    uint32_t boosted;    // number of the quantum with the last boost
    uint32_t boosts;     // how many there were
    uint32_t guest_from; // index in `held` of the goal that has a boost or a visit
    uint32_t guest_floor;
    uint32_t visits; // how many there were
    uint32_t few;        // ready and suspended goals when few were woken last
    uint32_t woke;       // number of the quantum in which a goal was woken last
    int64_t crowd;       // so many suspended goals are a crowd
    vm_noted noted;
    vm_trial trial;
} vm_order;

static inline void vm_order_push(vm_order *o, vm_goal *goal)
{
    vm_queue_push(&o->stack, goal);
}

enum { VM_WOKEN_MANY = 128 };
vm_goal *vm_order_pop_woken(vm_order *o, int64_t suspended);

// suspended: how many goals are. NULL: vm_order_next() knows.
static inline vm_goal *vm_order_pop(vm_order *o, int64_t suspended)
{
    vm_goal *goal = vm_queue_newest(&o->stack);
    if (goal)
        return goal;
    return vm_queue_count(&o->woken) < VM_WOKEN_MANY ? vm_queue_oldest(&o->woken)
                                                     : vm_order_pop_woken(o, suspended);
}

struct vm_worker;
void vm_order_init(vm_order *o);
// A goal that was suspended is ready.
void vm_order_wake(struct vm_worker *w, vm_goal *goal);
// The next goal where a goal is done or suspended; NULL: there is none.
vm_goal *vm_order_next(struct vm_worker *w);
// The next goal when a quantum is over; `goal` was running, or NULL.
vm_goal *vm_order_after_quantum(struct vm_worker *w, vm_goal *goal);
uint32_t vm_order_count(const vm_order *o);
// All others run before it.
void vm_order_push_last(vm_order *o, vm_goal *goal);
// Goals for another worker, at most n that are old and fit, the oldest first: of the stack, else one that
// is held, else of those that were woken.
void vm_order_take_gift(struct vm_worker *w, uint32_t n, vm_fits fits, vm_goals *goals);
// When a quantum is over: the newest of the old goals that fit runs next; the goal whose quantum it was is
// held. False: no goal fits. Later: is the one that runs so, or what it made, still not done?
bool vm_order_try(struct vm_worker *w, vm_fits fits);
bool vm_order_still_tries(const vm_order *o);

#endif
