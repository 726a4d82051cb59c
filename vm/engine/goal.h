// SPDX-License-Identifier: MIT
//
// Goal records and the states of a goal (private to vm/).
//
//   created --> READY --a clause commits--> FREE (the record goes to the free list)
//                 ^ |
//                 | +--no clause commits, some clause waits--> SUSPENDED
//                 |                                                |
//                 +-------- the first variable is bound -----------+
//
// Records live in slabs as long as the machine. A record is recycled and never freed, so a stale
// suspension record (bind.h) may always look at the goal record it names, and the goals that are
// suspended at the end are found by a walk over the slabs.
//
// State and generation counter are one word, because several workers may try to resume one goal:
//
//      63                                     2 1        0
//     +----------------------------------------+----------+
//     | generation: how often it was resumed   | state    |
//     +----------------------------------------+----------+
//
//   READY, FREE   only the worker that has the goal changes the record.
//   SUSPENDED     a worker that changes the word from the value in a suspension record to READY with
//                 the next generation (compare-and-swap) has the goal from then on.
#ifndef VM_GOAL_H
#define VM_GOAL_H

#include "vm/engine/machine.h"

typedef enum { GOAL_FREE, GOAL_READY, GOAL_SUSPENDED, GOAL_STATES = 4 } vm_goal_states;

static inline uint64_t vm_get_generation(const vm_goal *goal)
{
    return __atomic_load_n(&goal->generation, __ATOMIC_RELAXED);
}

static inline uint32_t vm_goal_state(const vm_goal *goal)
{
    return (uint32_t)(vm_get_generation(goal) % GOAL_STATES);
}

// The same generation in another state.
static inline uint64_t vm_generation_in(uint64_t generation, vm_goal_states state)
{
    return generation - generation % GOAL_STATES + state;
}

// The next generation, which is READY.
static inline uint64_t vm_next_generation(uint64_t generation)
{
    return vm_generation_in(generation, GOAL_READY) + GOAL_STATES;
}

// By the worker that has the goal. Another worker may look at the same moment, by a stale suspension
// record: hence atomic, which on the usual processors is a plain load or store.
static inline void vm_set_generation(vm_goal *goal, uint64_t generation)
{
    __atomic_store_n(&goal->generation, generation, __ATOMIC_RELAXED);
}

typedef struct vm_slab {
    struct vm_slab *next;
    size_t goal_size;
    uint32_t count;
    _Alignas(16) char goals[]; // the collector sees aligned pointers only
} vm_slab;

enum { GOAL_CLASSES = 48 }; // records for 1, 3, 5, ... 33 arguments, then powers of two and one

typedef struct vm_slabs {
    vm_goal *free[GOAL_CLASSES];
    size_t made[GOAL_CLASSES]; // bytes of slabs for such records
    vm_slab *all;
} vm_slabs;

vm_goal *vm_slabs_refill(vm_slabs *s, uint32_t class);

static inline uint32_t vm_goal_class(uint32_t nargs)
{
    if (nargs <= 33)
        return nargs / 2;
    uint32_t class = 17;
    for (uint32_t size = 64; size + 1 < nargs; size *= 2)
        class++;
    return class;
}

// A record in no list, its arguments zero, to be set.
static inline vm_goal *vm_goal_take(vm_machine *m, vm_predicate *p)
{
    uint32_t class = vm_goal_class(p->arity);
    vm_goal *goal = m->slabs->free[class];
    if (!goal)
        goal = vm_slabs_refill(m->slabs, class);
    m->slabs->free[class] = goal->next;
    goal->predicate = p;
    goal->nargs = p->arity;
    vm_set_generation(goal, vm_generation_in(vm_get_generation(goal), GOAL_READY));
    return goal;
}

static inline void vm_goal_free_cleared(vm_machine *m, vm_goal *goal)
{
    goal->progress = NULL;
    vm_set_generation(goal, vm_generation_in(vm_get_generation(goal), GOAL_FREE));
    uint32_t class = vm_goal_class(goal->nargs);
    goal->next = m->slabs->free[class];
    m->slabs->free[class] = goal;
}

// A copy that is in no list. Its generation is 0: the one of the record belongs to the
// protocol above, and other workers may look at it at any time.
vm_goal *vm_goal_copy(const vm_goal *goal);

// Arguments are cleared so that a free record keeps nothing alive.
static inline void vm_goal_free(vm_machine *m, vm_goal *goal)
{
    for (uint32_t i = 0; i < goal->nargs; i++)
        goal->args[i] = 0;
    vm_goal_free_cleared(m, goal);
}

// Moves the arguments to registers and frees the record. Behind the first two go at a time, as a record
// has room for an odd number; the register behind an even number of arguments is cleared.
static inline void vm_goal_unpack(vm_machine *m, vm_goal *goal, vm_word *registers)
{
    for (uint32_t i = 0, n = goal->nargs; i < n; i++) {
        registers[i] = goal->args[i];
        goal->args[i] = 0;
    }
    vm_goal_free_cleared(m, goal);
}

// Calls visit for every goal record in the given state.
void vm_goals_visit(vm_slabs *s, uint32_t state, void (*visit)(void *data, vm_goal *goal),
                    void *data);

// A new goal of the reduction under way. When its arguments are filled in it is launched: from then
// on it belongs to vm/schedule, and another worker may have it.
vm_goal *vm_goal_create(vm_machine *m, vm_predicate *p, vm_origin site);
void vm_goal_launch(vm_machine *m, vm_goal *goal, int32_t priority);

#endif
