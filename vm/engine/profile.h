// SPDX-License-Identifier: MIT
//
// Counting for a profile (private to vm/). Every reduction changes two numbers of its module, which are
// of one step. When the module reduces at another step, they are added to a bucket of steps. P and W are
// computed from buckets when the run is over:
//
//   reduced   how many were reduced: the sum of P
//   balance   goals created less goals reduced: the growth of W during the bucket
//   waiting   the part of the sum of W that comes from events in the bucket: a goal created at step s
//             waits at the `left` steps after s, a goal reduced at s does not wait at s and after it
//
//   bucket      | s0   ..   s   ..   end |       left = end - s
//
// Buckets are one step wide until there are too many of them; then pairs of them become one. The buckets
// of all modules for the same steps lie together, so a run needs no more memory than its steps.
#ifndef VM_PROFILE_H
#define VM_PROFILE_H

#include "vm/engine/machine.h"

typedef struct {
    uint64_t reduced;
    int64_t balance;
    int64_t waiting;
} vm_profile_bucket;

typedef struct {
    int64_t step;        // that the next two are of; 0: there was none
    uint64_t reduced;    // goals
    int64_t balance;     // goals created less goals reduced
    int64_t first, last; // steps with reductions
    uint64_t peak;       // most at one of those that are in buckets
    uint64_t beginning;  // goals created at step 0
} vm_profile_count;

struct vm_profile_state {
    const uint32_t *entries;    // by predicate id
    vm_profile_count *counts;   // by module
    vm_profile_bucket *buckets; // by bucket, then by module
    uint32_t nmodules;
    uint32_t shift; // width is 2^shift
    int64_t end;    // the last step that has a bucket
    // The attempt under way: its goal (NULL: the beginning), how many goals of the same module it
    // creates, the modules of the others. They count when the reduction is made: one that fails
    // creates none.
    const vm_goal *goal;
    uint32_t created;
    ARRAY_OF(uint32_t) others;
    // Of all modules
    uint64_t reductions; // when the step began
    uint64_t peak;
    uint64_t *rows; // P and W of each module and of all, filled after the run
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

void vm_profile_begin(vm_profile *p); // instead of the next one: the beginning was made

// Adds the module's counts to the bucket of their step; counts of step now begin.
static inline void vm_profile_enter(struct vm_profile_state *s, uint32_t module, int64_t now)
{
    vm_profile_count *c = &s->counts[module];
    if (c->step > 0) {
        int64_t bucket = (c->step - 1) >> s->shift;
        vm_profile_bucket *b = &s->buckets[bucket * s->nmodules + module];
        b->reduced += c->reduced;
        b->balance += c->balance;
        b->waiting += c->balance * (((bucket + 1) << s->shift) - c->step) - (int64_t)c->reduced;
    }
    if (c->reduced > 0) {
        c->first = c->first ? c->first : c->step;
        c->last = c->step;
        c->peak = c->reduced > c->peak ? c->reduced : c->peak;
    }
    c->step = now;
    c->reduced = 0;
    c->balance = 0;
}

static inline vm_profile_count *vm_profile_at(struct vm_profile_state *s, uint32_t module,
                                              int64_t now)
{
    if (s->counts[module].step != now)
        vm_profile_enter(s, module, now);
    return &s->counts[module];
}

// A reduction at step now was made.
static inline void vm_profile_reduce(vm_profile *p, int64_t now)
{
    struct vm_profile_state *s = p->state;
    if (!s->goal) {
        vm_profile_begin(p);
        return;
    }
    vm_profile_count *own = vm_profile_at(s, s->goal->module, now);
    own->reduced++;
    own->balance += (int64_t)s->created - 1;
    s->created = 0;
    if (s->others.n == 0)
        return;
    for (uint32_t i = 0; i < s->others.n; i++)
        vm_profile_at(s, s->others.at[i], now)->balance++;
    s->others.n = 0;
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
}

// After the run, and its last step.
void vm_profile_finish(vm_profile *p, uint64_t reductions);

#endif
