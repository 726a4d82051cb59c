// SPDX-License-Identifier: MIT
#include "profiler/sequence.h"

#include <stdlib.h>

static bool reserve_numbers(sequence *s)
{
    if (s->n < s->capacity)
        return true;
    size_t capacity = s->capacity ? 2 * s->capacity : 16 * SEQUENCE_GROUP;
    uint16_t *narrow = realloc(s->narrow, capacity * sizeof *narrow);
    if (!narrow)
        return false;
    s->narrow = narrow;
    sequence_group *groups = realloc(s->groups, capacity / SEQUENCE_GROUP * sizeof *groups);
    if (!groups)
        return false;
    s->groups = groups;
    s->capacity = capacity;
    return true;
}

static bool reserve_wide(sequence *s)
{
    if (s->nwide + SEQUENCE_GROUP <= s->wide_capacity)
        return true;
    size_t capacity = s->wide_capacity ? 2 * s->wide_capacity : 16 * SEQUENCE_GROUP;
    uint64_t *wide = realloc(s->wide, capacity * sizeof *wide);
    if (!wide)
        return false;
    s->wide = wide;
    s->wide_capacity = capacity;
    return true;
}

// Whether `value`, next in the last group, is too far from the group's first number.
static bool widens(const sequence *s, uint64_t value)
{
    if (s->n % SEQUENCE_GROUP == 0)
        return false;
    const sequence_group *g = &s->groups[s->n / SEQUENCE_GROUP];
    return g->wide == UINT64_MAX && value - g->base > UINT16_MAX;
}

bool sequence_grow(sequence *s, uint64_t value)
{
    return reserve_numbers(s) && (!widens(s, value) || reserve_wide(s));
}

static void widen(sequence *s, sequence_group *g)
{
    size_t first = s->n - s->n % SEQUENCE_GROUP;
    for (size_t i = 0; i < s->n % SEQUENCE_GROUP; i++)
        s->wide[s->nwide + i] = s->narrow[first + i];
    g->wide = s->nwide;
    s->nwide += SEQUENCE_GROUP;
}

void sequence_push_slowly(sequence *s, uint64_t value)
{
    sequence_group *g = &s->groups[s->n / SEQUENCE_GROUP];
    if (s->n % SEQUENCE_GROUP == 0)
        *g = (sequence_group){.base = value, .wide = UINT64_MAX};
    if (widens(s, value))
        widen(s, g);
    if (g->wide == UINT64_MAX)
        s->narrow[s->n] = (uint16_t)(value - g->base);
    else
        s->wide[g->wide + s->n % SEQUENCE_GROUP] = value - g->base;
    s->n++;
}

bool sequence_append(sequence *s, const uint32_t *numbers, size_t n, uint64_t base)
{
    for (size_t i = 0; i < n; i++) {
        if (!sequence_reserve(s, base + numbers[i]))
            return false;
        sequence_push(s, base + numbers[i]);
    }
    return true;
}

bool sequence_append_times(sequence *s, const int64_t *times, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!sequence_reserve(s, (uint64_t)times[i]))
            return false;
        sequence_push(s, (uint64_t)times[i]);
    }
    return true;
}

void sequence_finish(sequence *s)
{
    free(s->narrow);
    free(s->groups);
    free(s->wide);
    free(s->places);
    *s = (sequence){0};
}

#define INDEX_SHIFT 4

bool sequence_index(sequence *s, size_t n)
{
    size_t nplaces = (size_t)(sequence_get(s, s->n - 1) >> INDEX_SHIFT) + 2, place = 0;
    uint32_t *places = malloc(nplaces * sizeof *places);
    if (!places)
        return false;
    for (size_t i = 0; i < nplaces; i++) {
        while (place + 1 < n && sequence_get(s, place + 1) <= (uint64_t)i << INDEX_SHIFT)
            place++;
        places[i] = (uint32_t)place;
    }
    s->places = places;
    s->nplaces = nplaces;
    return true;
}

size_t sequence_find(const sequence *s, uint64_t value)
{
    size_t i = (size_t)(value >> INDEX_SHIFT), first = s->places[i], last = s->places[i + 1];
    while (first < last) {
        size_t middle = (first + last + 1) / 2;
        if (sequence_get(s, middle) <= value)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}
