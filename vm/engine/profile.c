// SPDX-License-Identifier: MIT
//
// The buckets of a profile, and the rows that are made of them after the run.
#include "vm/engine/profile.h"

#include "vm/memory.h"

#include <string.h>
#include <sys/mman.h>

enum { MOST_BUCKETS = 100000 }; // even: pairs of them become one

static size_t buckets_size(const vm_profile *p)
{
    return (size_t)MOST_BUCKETS * p->nmodules * sizeof(vm_profile_bucket);
}

static size_t rows_size(const vm_profile *p)
{
    return 2 * (size_t)MOST_BUCKETS * (p->nmodules + 1) * sizeof(uint64_t);
}

// Zeroed memory. Its pages are large where the system has such: most of what a profile costs would be
// their first use.
static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

// All memory is allocated at once, outside of the collected heap: what is unused takes none, and
// no allocation can fail during or after the run.
vm_profile *vm_profile_create(const uint32_t *entries, uint32_t nmodules)
{
    vm_profile *p = vm_alloc(sizeof *p);
    p->nmodules = nmodules;
    p->width = 1;
    p->rows = vm_alloc((nmodules + 1) * sizeof *p->rows);
    p->state = vm_alloc(sizeof *p->state);
    p->state->entries = entries;
    p->state->nmodules = nmodules;
    p->state->end = MOST_BUCKETS;
    p->state->counts = vm_alloc(nmodules * sizeof *p->state->counts);
    p->state->buckets = map(buckets_size(p));
    p->state->rows = map(rows_size(p));
    if (!p->state->buckets || !p->state->rows) {
        vm_profile_destroy(p);
        return NULL;
    }
    return p;
}

void vm_profile_destroy(vm_profile *p)
{
    if (p->state->buckets)
        munmap(p->state->buckets, buckets_size(p));
    if (p->state->rows)
        munmap(p->state->rows, rows_size(p));
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

// A goal that waits after the first bucket of a pair waits through the second.
static void fold(struct vm_profile_state *s, int64_t width)
{
    size_t n = s->nmodules, half = MOST_BUCKETS / 2 * n;
    for (size_t i = 0; i < half; i++) {
        const vm_profile_bucket *pair = &s->buckets[i / n * 2 * n + i % n];
        vm_profile_bucket first = pair[0], second = pair[n];
        s->buckets[i].waiting = first.waiting + first.balance * width + second.waiting;
        s->buckets[i].balance = first.balance + second.balance;
        s->buckets[i].reduced = first.reduced + second.reduced;
    }
    memset(s->buckets + half, 0, half * sizeof *s->buckets);
}

// Counts that are not yet in a bucket will be added to the wider one.
void vm_profile_widen(vm_profile *p, int64_t now)
{
    struct vm_profile_state *s = p->state;
    while (now > s->end) {
        fold(s, p->width);
        p->width *= 2;
        s->shift++;
        s->end *= 2;
    }
}

// ---- Results --------------------------------------------------------------------------------

static void find_span(vm_profile *p)
{
    struct vm_profile_state *s = p->state;
    for (uint32_t i = 0; i < p->nmodules; i++) {
        vm_profile_enter(s, i, 0);
        p->span = s->counts[i].last > p->span ? s->counts[i].last : p->span;
    }
    p->nbuckets = p->span > 0 ? (uint32_t)((p->span - 1) >> s->shift) + 1 : 0;
}

// Where the figures of a row (nmodules: of all) will be.
static void place_row(const vm_profile *p, uint32_t row)
{
    p->rows[row].reduced = p->state->rows + 2 * (size_t)row * p->nbuckets;
    p->rows[row].waiting = p->rows[row].reduced + p->nbuckets;
}

// The sums of W: a goal that waits at the beginning of a bucket waits at all its steps. The last
// bucket ends with the span.
static void finish_row(const vm_profile *p, uint32_t module)
{
    const struct vm_profile_state *s = p->state;
    const vm_profile_count *c = &s->counts[module];
    vm_profile_row *row = &p->rows[module], *all = &p->rows[p->nmodules];
    int64_t standing = (int64_t)c->beginning;
    for (uint32_t i = 0; i < p->nbuckets; i++) {
        const vm_profile_bucket *b = &s->buckets[(size_t)i * s->nmodules + module];
        int64_t sum = b->waiting + standing * p->width;
        standing += b->balance;
        int64_t beyond = ((int64_t)(i + 1) << s->shift) - p->span;
        row->reduced[i] = b->reduced;
        row->waiting[i] = (uint64_t)(beyond > 0 ? sum - beyond * standing : sum);
        all->reduced[i] += row->reduced[i];
        all->waiting[i] += row->waiting[i];
    }
    row->suspended = (uint64_t)standing;
    row->first = c->first;
    row->last = c->last;
    row->peak = c->peak;
    all->suspended += row->suspended;
    if (row->last > 0 && (all->first == 0 || row->first < all->first))
        all->first = row->first;
}

void vm_profile_finish(vm_profile *p, uint64_t reductions)
{
    vm_profile_step(p, 0, reductions); // the peak of the last one
    find_span(p);
    for (uint32_t i = 0; i <= p->nmodules; i++)
        place_row(p, i);
    for (uint32_t i = 0; i < p->nmodules; i++)
        finish_row(p, i);
    p->rows[p->nmodules].last = p->span;
    p->rows[p->nmodules].peak = p->state->peak;
}
