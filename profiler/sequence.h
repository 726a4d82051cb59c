// SPDX-License-Identifier: MIT
//
// A long non-decreasing sequence in about two bytes per number. Groups of 64 have their first
// number in full and the others as 16-bit distances to it; a group that spans more has its
// distances in a list of wide groups.
#ifndef PROFILER_SEQUENCE_H
#define PROFILER_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEQUENCE_GROUP 64u

typedef struct {
    uint64_t base;
    uint64_t wide; // place of its distances in `wide`, or UINT64_MAX
} sequence_group;

typedef struct {
    size_t n, capacity; // a multiple of the group
    uint16_t *narrow;
    sequence_group *groups;
    uint64_t *wide;
    size_t nwide, wide_capacity;
    uint32_t *places; // see sequence_index()
    size_t nplaces;
} sequence;

bool sequence_grow(sequence *s, uint64_t value);
void sequence_push_slowly(sequence *s, uint64_t value);
void sequence_finish(sequence *s);

// Whether `value` comes next in a group without widening it.
static inline bool sequence_fits(const sequence *s, uint64_t value)
{
    if (s->n % SEQUENCE_GROUP == 0)
        return false;
    const sequence_group *g = &s->groups[s->n / SEQUENCE_GROUP];
    return g->wide == UINT64_MAX && value - g->base <= UINT16_MAX;
}

// Makes room for one more number; false without memory. Only then it may be pushed.
static inline bool sequence_reserve(sequence *s, uint64_t value)
{
    return sequence_fits(s, value) || sequence_grow(s, value);
}

static inline void sequence_push(sequence *s, uint64_t value)
{
    if (__builtin_expect(!sequence_fits(s, value), 0)) {
        sequence_push_slowly(s, value);
        return;
    }
    s->narrow[s->n] = (uint16_t)(value - s->groups[s->n / SEQUENCE_GROUP].base);
    s->n++;
}

// Appends base + numbers[i], which must not decrease; false without memory, then nothing is told of
// what follows.
bool sequence_append(sequence *s, const uint32_t *numbers, size_t n, uint64_t base);
bool sequence_append_times(sequence *s, const int64_t *times, size_t n);

static inline uint64_t sequence_get(const sequence *s, size_t i)
{
    const sequence_group *g = &s->groups[i / SEQUENCE_GROUP];
    if (__builtin_expect(g->wide == UINT64_MAX, 1))
        return g->base + s->narrow[i];
    return g->base + s->wide[g->wide + i % SEQUENCE_GROUP];
}

// Prepares for finding, once the sequence is complete; false without memory. For every 16th value up
// to the last number, the last of the first n places whose number is at most that; place 0 must
// have one.
bool sequence_index(sequence *s, size_t n);

// The last of these n places whose number is at most `value`, which must be below the last number of
// all.
size_t sequence_find(const sequence *s, uint64_t value);

#endif
