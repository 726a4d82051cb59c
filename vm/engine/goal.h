// SPDX-License-Identifier: MIT
//
// Goal records (private to vm/). They come from slabs that live as long as the machine: a record
// is recycled, never freed, and all goals that wait can be found by walking the slabs.
#ifndef VM_GOAL_H
#define VM_GOAL_H

#include "vm/engine/machine.h"

typedef struct vm_slab {
    struct vm_slab *next;
    size_t goal_size;
    uint32_t count;
    _Alignas(16) char goals[]; // the collector sees aligned pointers only
} vm_slab;

enum { GOAL_CLASSES = 48 }; // records for 0, 2, 4, ... 32 arguments, then powers of two

typedef struct vm_slabs {
    vm_goal *free[GOAL_CLASSES];
    vm_slab *all;
} vm_slabs;

vm_goal *vm_slabs_refill(vm_slabs *s, uint32_t class);

static inline uint32_t vm_goal_class(uint32_t nargs)
{
    if (nargs <= 32)
        return (nargs + 1) / 2;
    uint32_t class = 17;
    for (uint32_t size = 64; size < nargs; size *= 2)
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
    vm_set_life(goal, vm_life_in(vm_get_life(goal), GOAL_READY));
    return goal;
}

static inline void vm_goal_free_cleared(vm_machine *m, vm_goal *goal)
{
    goal->progress = NULL;
    vm_set_life(goal, vm_life_in(vm_get_life(goal), GOAL_FREE));
    uint32_t class = vm_goal_class(goal->nargs);
    goal->next = m->slabs->free[class];
    m->slabs->free[class] = goal;
}

// A copy that is in no list and has no life: others may look at that of the record at any time.
vm_goal *vm_goal_copy(const vm_goal *goal);

// Arguments are cleared so that a free record keeps nothing alive.
static inline void vm_goal_free(vm_machine *m, vm_goal *goal)
{
    for (uint32_t i = 0; i < goal->nargs; i++)
        goal->args[i] = 0;
    vm_goal_free_cleared(m, goal);
}

// Moves the arguments to registers and frees the record. They go by two, as there is place for an
// even number; the register behind an odd number of arguments is cleared.
static inline void vm_goal_unpack(vm_machine *m, vm_goal *goal, vm_word *registers)
{
    for (uint32_t i = 0; i < goal->nargs; i += 2) {
        registers[i] = goal->args[i];
        registers[i + 1] = goal->args[i + 1];
        goal->args[i] = goal->args[i + 1] = 0;
    }
    vm_goal_free_cleared(m, goal);
}

// Calls visit for every goal record in the given state.
void vm_goals_visit(vm_slabs *s, uint32_t state, void (*visit)(void *data, vm_goal *goal),
                    void *data);

// A new goal of the reduction under way. When its arguments are filled in it is launched: from then
// on it is the scheduler's, and another worker may have it.
vm_goal *vm_goal_create(vm_machine *m, vm_predicate *p, vm_origin site);
void vm_goal_launch(vm_machine *m, vm_goal *goal, int32_t priority);

#endif
