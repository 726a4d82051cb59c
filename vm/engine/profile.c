// SPDX-License-Identifier: MIT
//
// The buckets of a profile, and the rows that are made of them after the run.
#include "vm/engine/profile.h"

#include "vm/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BUCKETS = 100000 }; // even: pairs of them become one

// All buckets are allocated at once, outside of the collected heap: unused ones take no memory, and
// no allocation can fail during or after the run.
vm_profile *vm_profile_create(const uint32_t *entries, uint32_t nmodules)
{
    vm_profile *p = vm_alloc(sizeof *p);
    p->nmodules = nmodules;
    p->width = 1;
    p->rows = vm_alloc((nmodules + 1) * sizeof *p->rows);
    p->state = vm_alloc(sizeof *p->state);
    p->state->entries = entries;
    p->state->counts = vm_alloc(nmodules * sizeof *p->state->counts);
    p->state->sums = calloc(4 * (size_t)MOST_BUCKETS, sizeof *p->state->sums);
    bool good = p->state->sums != NULL;
    for (uint32_t i = 0; i < nmodules; i++) {
        p->state->counts[i].buckets = calloc(MOST_BUCKETS, sizeof(vm_profile_bucket));
        good = good && p->state->counts[i].buckets;
    }
    if (!good) {
        vm_profile_destroy(p);
        return NULL;
    }
    p->state->scratch = p->state->sums + 2 * MOST_BUCKETS;
    return p;
}

void vm_profile_destroy(vm_profile *p)
{
    free(p->state->sums);
    for (uint32_t i = 0; i < p->nmodules; i++)
        free(p->state->counts[i].buckets);
}

void vm_profile_begin(vm_profile *p)
{
    struct vm_profile_state *s = p->state;
    s->counts[0].beginning += s->created;
    for (uint32_t i = 0; i < s->others.n; i++)
        s->counts[s->others.at[i]].beginning++;
    s->created = s->others.n = 0;
}

// ---- Buckets --------------------------------------------------------------------------------

// Steps count from 1.
static int64_t end_of(const struct vm_profile_state *s, uint32_t bucket)
{
    return (int64_t)(bucket + 1) << s->shift;
}

// A goal that waits after the first bucket of a pair waits through the second.
static void fold(vm_profile_count *c, int64_t width)
{
    vm_profile_bucket *b = c->buckets;
    for (uint32_t i = 0; i < MOST_BUCKETS / 2; i++) {
        vm_profile_bucket first = b[2 * i], second = b[2 * i + 1];
        b[i].waiting = first.waiting + first.balance * width + second.waiting;
        b[i].balance = first.balance + second.balance;
        b[i].reduced = first.reduced + second.reduced;
    }
    memset(b + MOST_BUCKETS / 2, 0, MOST_BUCKETS / 2 * sizeof *b);
}

void vm_profile_widen(vm_profile *p, int64_t now)
{
    struct vm_profile_state *s = p->state;
    while ((now - 1) >> s->shift >= MOST_BUCKETS) {
        for (uint32_t i = 0; i < p->nmodules; i++)
            fold(&s->counts[i], p->width);
        p->width *= 2;
        s->shift++;
    }
    s->bucket = (uint32_t)((now - 1) >> s->shift);
    s->end = end_of(s, s->bucket);
}

// ---- Results --------------------------------------------------------------------------------

// The sums of W: a goal that waits at the beginning of a bucket waits at all its steps. The last
// bucket ends with the span. The sums of W and P replace the buckets.
static void finish_row(const vm_profile *p, const vm_profile_count *c, vm_profile_row *row)
{
    int64_t standing = (int64_t)c->beginning;
    uint64_t *reduced = p->state->scratch, *waiting = reduced + p->nbuckets;
    for (uint32_t i = 0; i < p->nbuckets; i++) {
        const vm_profile_bucket *b = &c->buckets[i];
        int64_t sum = b->waiting + standing * p->width;
        standing += b->balance;
        int64_t beyond = end_of(p->state, i) - p->span;
        reduced[i] = b->reduced;
        waiting[i] = (uint64_t)(beyond > 0 ? sum - beyond * standing : sum);
    }
    memcpy(c->buckets, reduced, 2 * (size_t)p->nbuckets * sizeof *reduced);
    row->reduced = (uint64_t *)(void *)c->buckets;
    row->waiting = row->reduced + p->nbuckets;
    row->suspended = (uint64_t)standing;
    row->first = c->first;
    row->last = c->last;
    row->peak = c->step > c->peak ? c->step : c->peak;
}

static void add_up(const vm_profile *p, vm_profile_row *all)
{
    all->reduced = p->state->sums;
    all->waiting = all->reduced + p->nbuckets;
    for (uint32_t i = 0; i < p->nmodules; i++) {
        const vm_profile_row *row = &p->rows[i];
        all->suspended += row->suspended;
        if (row->last > 0 && (all->first == 0 || row->first < all->first))
            all->first = row->first;
        for (uint32_t b = 0; b < 2 * p->nbuckets; b++)
            all->reduced[b] += row->reduced[b];
    }
    all->last = p->span;
    all->peak = p->state->peak;
}

void vm_profile_finish(vm_profile *p, uint64_t reductions)
{
    struct vm_profile_state *s = p->state;
    vm_profile_step(p, s->end - s->left, reductions); // the peak of the last one
    for (uint32_t i = 0; i < p->nmodules; i++)
        p->span = s->counts[i].last > p->span ? s->counts[i].last : p->span;
    p->nbuckets = p->span > 0 ? (uint32_t)((p->span - 1) >> s->shift) + 1 : 0;
    for (uint32_t i = 0; i < p->nmodules; i++)
        finish_row(p, &s->counts[i], &p->rows[i]);
    add_up(p, &p->rows[p->nmodules]);
}
