// SPDX-License-Identifier: MIT
//
// Counting for a profile (private to vm/). A row has the step it was last active at and what
// happened there; when it becomes active at a later step, that step is closed: its figures go into
// the buckets, and so do those of the steps between, at which only waiting went on.
//
//   count->step         s             now
//   -------------+------+------+------+------->   W of the steps between: what stood after s
//                 created, reduced
//
// Goals count when the reduction that creates them is made: one that fails creates none.
//
// Buckets are one step wide until there are too many of them; then pairs of them become one.
#ifndef VM_PROFILE_H
#define VM_PROFILE_H

#include "vm/machine.h"

typedef struct {
    int64_t step;     // it was last active at
    uint64_t created; // at that step
    uint64_t reduced;
    uint64_t standing; // goals created before that step and not reduced before it
} vm_profile_count;

struct vm_profile_state {
    const uint32_t *entries; // by predicate id
    uint32_t current;        // module of the goal being reduced
    VM_ARRAY(uint32_t) created; // modules of the goals that the reduction under way creates
    vm_profile_count *counts;   // by row
    uint32_t shift;             // width is 2^shift
    uint32_t capacity;          // buckets there is room for in each row
};

void vm_profile_close(vm_profile *p, uint32_t row, int64_t now);

static inline vm_profile_count *vm_profile_at(vm_profile *p, uint32_t row, int64_t now)
{
    vm_profile_count *c = &p->state->counts[row];
    if (c->step != now)
        vm_profile_close(p, row, now);
    return c;
}

static inline void vm_profile_create_goal(vm_profile *p, vm_goal *goal)
{
    struct vm_profile_state *s = p->state;
    uint32_t entry = s->entries[goal->predicate->id];
    goal->module = entry != VM_NO_MODULE ? entry : s->current;
    VM_PUSH(s->created, goal->module);
}

// A reduction was made (goal NULL: the beginning).
static inline void vm_profile_reduce(vm_profile *p, const vm_goal *goal, int64_t now)
{
    struct vm_profile_state *s = p->state;
    vm_profile_count *all = vm_profile_at(p, p->nmodules, now);
    for (uint32_t i = 0; i < s->created.n; i++)
        vm_profile_at(p, s->created.at[i], now)->created++;
    all->created += s->created.n;
    s->created.n = 0;
    if (!goal)
        return;
    vm_profile_at(p, goal->module, now)->reduced++;
    all->reduced++;
}

// After the run.
void vm_profile_finish(vm_profile *p);

#endif
