// SPDX-License-Identifier: MIT
#include "vm/profile.h"

#include <string.h>

enum { MOST_BUCKETS = 100000, FIRST_BUCKETS = 1024 };

vm_profile *vm_profile_create(const uint32_t *entries, uint32_t nmodules)
{
    vm_profile *p = vm_alloc(sizeof *p);
    p->nmodules = nmodules;
    p->width = 1;
    p->rows = vm_alloc((nmodules + 1) * sizeof *p->rows);
    p->state = vm_alloc(sizeof *p->state);
    p->state->entries = entries;
    p->state->counts = vm_alloc((nmodules + 1) * sizeof *p->state->counts);
    return p;
}

// ---- Buckets --------------------------------------------------------------------------------

static uint64_t *longer(const uint64_t *old, uint32_t n, uint32_t wanted)
{
    uint64_t *array = vm_alloc_atomic(wanted * sizeof *array);
    if (n > 0)
        memcpy(array, old, n * sizeof *array);
    memset(array + n, 0, (wanted - n) * sizeof *array);
    return array;
}

static void reserve(vm_profile *p, uint32_t bucket)
{
    uint32_t n = p->state->capacity, wanted = n ? n : FIRST_BUCKETS;
    while (wanted <= bucket)
        wanted = 2 * wanted < MOST_BUCKETS ? 2 * wanted : MOST_BUCKETS;
    for (uint32_t i = 0; i <= p->nmodules; i++) {
        vm_profile_row *row = &p->rows[i];
        row->reduced = longer(row->reduced, n, wanted);
        row->reduced_peaks = longer(row->reduced_peaks, n, wanted);
        row->waiting = longer(row->waiting, n, wanted);
        row->waiting_peaks = longer(row->waiting_peaks, n, wanted);
    }
    p->state->capacity = wanted;
}

// n is even.
static void fold(uint64_t *sums, uint64_t *peaks, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        sums[i] = sums[2 * i] + sums[2 * i + 1];
        peaks[i] = peaks[2 * i] > peaks[2 * i + 1] ? peaks[2 * i] : peaks[2 * i + 1];
    }
    memset(sums + n / 2, 0, n / 2 * sizeof *sums);
    memset(peaks + n / 2, 0, n / 2 * sizeof *peaks);
}

static void widen(vm_profile *p)
{
    for (uint32_t i = 0; i <= p->nmodules; i++) {
        vm_profile_row *row = &p->rows[i];
        fold(row->reduced, row->reduced_peaks, p->state->capacity);
        fold(row->waiting, row->waiting_peaks, p->state->capacity);
    }
    p->width *= 2;
    p->state->shift++;
}

// Of a step, which counts from 1.
static uint32_t bucket_of(const vm_profile *p, int64_t step)
{
    return (uint32_t)((step - 1) >> p->state->shift);
}

// Room for the step, and for all before it.
static void reach(vm_profile *p, int64_t step)
{
    while ((step - 1) >> p->state->shift >= MOST_BUCKETS)
        widen(p);
    if (bucket_of(p, step) >= p->state->capacity)
        reserve(p, bucket_of(p, step));
}

static void add(uint64_t *sum, uint64_t *peak, uint64_t steps, uint64_t value)
{
    *sum += steps * value;
    if (*peak < value)
        *peak = value;
}

// W of the steps [from, to), which are in reach.
static void add_standing(vm_profile *p, vm_profile_row *row, int64_t from, int64_t to,
                         uint64_t standing)
{
    while (standing > 0 && from < to) {
        uint32_t bucket = bucket_of(p, from);
        int64_t end = 1 + ((int64_t)(bucket + 1) << p->state->shift);
        end = end < to ? end : to;
        add(&row->waiting[bucket], &row->waiting_peaks[bucket], (uint64_t)(end - from), standing);
        from = end;
    }
}

// ---- Steps ----------------------------------------------------------------------------------

// The step the row was last active at. At 0 nothing is reduced and nothing waits yet.
static void add_step(vm_profile *p, vm_profile_row *row, const vm_profile_count *c)
{
    if (c->step == 0)
        return;
    uint32_t bucket = bucket_of(p, c->step);
    if (c->reduced > 0) {
        row->first = row->first ? row->first : c->step;
        row->last = c->step;
        add(&row->reduced[bucket], &row->reduced_peaks[bucket], 1, c->reduced);
    }
    add(&row->waiting[bucket], &row->waiting_peaks[bucket], 1, c->standing - c->reduced);
}

static void settle(vm_profile *p, uint32_t row, int64_t now)
{
    vm_profile_count *c = &p->state->counts[row];
    add_step(p, &p->rows[row], c);
    c->standing += c->created - c->reduced;
    add_standing(p, &p->rows[row], c->step + 1, now, c->standing);
    c->step = now;
    c->created = c->reduced = 0;
}

void vm_profile_close(vm_profile *p, uint32_t row, int64_t now)
{
    reach(p, now);
    settle(p, row, now);
}

void vm_profile_finish(vm_profile *p)
{
    vm_profile_row *all = &p->rows[p->nmodules];
    const vm_profile_count *last = &p->state->counts[p->nmodules];
    p->span = last->reduced > 0 ? last->step : all->last;
    for (uint32_t i = 0; i <= p->nmodules; i++) {
        settle(p, i, p->span + 1);
        p->rows[i].suspended = p->state->counts[i].standing;
    }
    p->nbuckets = p->span > 0 ? bucket_of(p, p->span) + 1 : 0;
}
