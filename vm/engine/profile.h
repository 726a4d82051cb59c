// SPDX-License-Identifier: MIT
//
// Counting for a profile (private to vm/). Every reduction changes three numbers for each module and
// bucket of steps. P and W are computed from them when the run is over:
//
//   reduced   how many were reduced: the sum of P
//   balance   goals created less goals reduced: the growth of W during the bucket
//   waiting   the part of the sum of W that comes from events in the bucket: a goal created at step s
//             waits at the `left` steps after s, a goal reduced at s does not wait at s and after it
//
//   bucket      | s0   ..   s   ..   end |       left = end - s
//
// Buckets are one step wide until there are too many of them; then pairs of them become one.
#ifndef VM_PROFILE_H
#define VM_PROFILE_H

#include "vm/engine/machine.h"

typedef struct {
    uint64_t reduced;
    int64_t balance;
    int64_t waiting;
} vm_profile_bucket;

typedef struct {
    vm_profile_bucket *buckets;
    int64_t first, last; // steps with reductions
    uint64_t step;       // reductions at the last one
    uint64_t peak;       // most at those before
    uint64_t beginning;  // goals created at step 0
} vm_profile_count;

struct vm_profile_state {
    const uint32_t *entries;  // by predicate id
    vm_profile_count *counts; // by module
    uint32_t shift;           // width is 2^shift
    // The step: its bucket, the last one of that, how many there are left.
    uint32_t bucket;
    int64_t end, left;
    // The attempt under way: its goal (NULL: the beginning), how many goals of the same module it
    // creates, the modules of the others. They count when the reduction is made: one that fails
    // creates none.
    const vm_goal *goal;
    uint32_t created;
    ARRAY_OF(uint32_t) others;
    // Of all modules
    uint64_t reductions; // when the step began
    uint64_t peak;
    uint64_t *sums;    // of P and of W, filled after the run
    uint64_t *scratch; // room for as many
};

static inline uint32_t vm_profile_module(const struct vm_profile_state *s)
{
    return s->goal ? s->goal->module : 0;
}

static inline void vm_profile_create_goal(vm_profile *p, vm_goal *goal)
{
    struct vm_profile_state *s = p->state;
    uint32_t entry = s->entries[goal->predicate->id], module = vm_profile_module(s);
    if (entry == VM_NO_MODULE || entry == module) {
        goal->module = module;
        s->created++;
    } else {
        goal->module = entry;
        VM_PUSH(s->others, entry);
    }
}

// The first reduction of a module at a step.
static inline void vm_profile_enter(vm_profile_count *c, int64_t now)
{
    c->first = c->first ? c->first : now;
    c->last = now;
    c->peak = c->step > c->peak ? c->step : c->peak;
    c->step = 0;
}

void vm_profile_begin(vm_profile *p); // instead of the next one: the beginning was made

// A reduction at step now was made.
static inline void vm_profile_reduce(vm_profile *p, int64_t now)
{
    struct vm_profile_state *s = p->state;
    if (!s->goal) {
        vm_profile_begin(p);
        return;
    }
    vm_profile_count *own = &s->counts[s->goal->module];
    if (own->last != now)
        vm_profile_enter(own, now);
    int64_t more = (int64_t)s->created - 1;
    vm_profile_bucket *b = &own->buckets[s->bucket];
    own->step++;
    b->reduced++;
    b->balance += more;
    b->waiting += more * s->left - 1;
    for (uint32_t i = 0; i < s->others.n; i++) {
        b = &s->counts[s->others.at[i]].buckets[s->bucket];
        b->balance++;
        b->waiting += s->left;
    }
    s->created = s->others.n = 0;
}

void vm_profile_widen(vm_profile *p, int64_t now);

// Step now begins; so many reductions were made before.
static inline void vm_profile_step(vm_profile *p, int64_t now, uint64_t reductions)
{
    struct vm_profile_state *s = p->state;
    if (reductions - s->reductions > s->peak)
        s->peak = reductions - s->reductions;
    s->reductions = reductions;
    if (now > s->end)
        vm_profile_widen(p, now);
    s->left = s->end - now;
}

// After the run, and its last step.
void vm_profile_finish(vm_profile *p, uint64_t reductions);

#endif
