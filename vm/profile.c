// SPDX-License-Identifier: MIT
#include "vm/profile.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BUCKETS = 100000 }; // even: pairs of them become one

// The figures are outside of the collected heap, all at once: what is not used takes no memory, and
// nothing can fail during the run.
vm_profile *vm_profile_create(const uint32_t *entries, uint32_t nmodules)
{
    vm_profile *p = vm_alloc(sizeof *p);
    p->nmodules = nmodules;
    p->width = 1;
    p->rows = vm_alloc((nmodules + 1) * sizeof *p->rows);
    p->state = vm_alloc(sizeof *p->state);
    p->state->entries = entries;
    p->state->counts = vm_alloc(nmodules * sizeof *p->state->counts);
    p->state->all = calloc(2 * (size_t)MOST_BUCKETS, sizeof *p->state->all);
    for (uint32_t i = 0; i < nmodules; i++) {
        uint64_t *figures = calloc(3 * (size_t)MOST_BUCKETS, sizeof *figures);
        p->state->counts[i].reduced = figures;
        p->state->counts[i].balance = (int64_t *)(figures + MOST_BUCKETS);
        p->state->counts[i].waiting = (int64_t *)(figures + 2 * MOST_BUCKETS);
        if (!figures || !p->state->all) {
            p->nmodules = i + 1;
            vm_profile_destroy(p);
            return NULL;
        }
    }
    return p;
}

void vm_profile_destroy(vm_profile *p)
{
    for (uint32_t i = 0; i < p->nmodules; i++)
        free(p->state->counts[i].reduced);
    free(p->state->all);
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

// What stands after the first of a pair waits through the second.
static void fold(vm_profile_count *c, int64_t width)
{
    uint32_t half = MOST_BUCKETS / 2;
    for (uint32_t i = 0; i < half; i++) {
        uint32_t a = 2 * i, b = a + 1;
        c->waiting[i] = c->waiting[a] + c->balance[a] * width + c->waiting[b];
        c->balance[i] = c->balance[a] + c->balance[b];
        c->reduced[i] = c->reduced[a] + c->reduced[b];
    }
    memset(c->reduced + half, 0, half * sizeof *c->reduced);
    memset(c->balance + half, 0, half * sizeof *c->balance);
    memset(c->waiting + half, 0, half * sizeof *c->waiting);
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

// The sums of W: what stands when a bucket begins waits at all its steps. The last bucket ends with
// the span.
static void finish_row(vm_profile *p, vm_profile_count *c, vm_profile_row *row)
{
    int64_t standing = (int64_t)c->beginning;
    for (uint32_t i = 0; i < p->nbuckets; i++) {
        c->waiting[i] += standing * p->width;
        standing += c->balance[i];
        int64_t beyond = end_of(p->state, i) - p->span;
        if (beyond > 0)
            c->waiting[i] -= beyond * standing;
    }
    row->suspended = (uint64_t)standing;
    row->first = c->first;
    row->last = c->last;
    row->peak = c->step > c->peak ? c->step : c->peak;
    row->reduced = c->reduced;
    row->waiting = (uint64_t *)c->waiting;
}

static void add_up(const vm_profile *p, vm_profile_row *all)
{
    for (uint32_t i = 0; i < p->nmodules; i++) {
        const vm_profile_row *row = &p->rows[i];
        all->suspended += row->suspended;
        if (row->last > 0 && (all->first == 0 || row->first < all->first))
            all->first = row->first;
        for (uint32_t b = 0; b < p->nbuckets; b++) {
            all->reduced[b] += row->reduced[b];
            all->waiting[b] += row->waiting[b];
        }
    }
}

void vm_profile_finish(vm_profile *p, uint64_t reductions)
{
    struct vm_profile_state *s = p->state;
    vm_profile_row *all = &p->rows[p->nmodules];
    for (uint32_t i = 0; i < p->nmodules; i++)
        p->span = s->counts[i].last > p->span ? s->counts[i].last : p->span;
    p->nbuckets = p->span > 0 ? (uint32_t)((p->span - 1) >> s->shift) + 1 : 0;
    for (uint32_t i = 0; i < p->nmodules; i++)
        finish_row(p, &s->counts[i], &p->rows[i]);
    all->reduced = s->all;
    all->waiting = s->all + MOST_BUCKETS;
    all->last = p->span;
    vm_profile_step(p, p->span, reductions);
    all->peak = s->peak;
    add_up(p, all);
}
