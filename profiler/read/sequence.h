// SPDX-License-Identifier: MIT
//
// A long non-decreasing sequence in about one byte for a number. A group of 64 numbers stores the
// first in full, and of the others the distances to it, with as many bytes each as the last one
// needs. A group of equal numbers stores no distances.
#ifndef PROFILER_SEQUENCE_H
#define PROFILER_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"

#define SEQUENCE_GROUP 64u

// Bytes of a distance.
typedef enum { WIDTH_0, WIDTH_1, WIDTH_2, WIDTH_4, WIDTH_8 } sequence_width;

typedef struct {
    uint64_t base;
    uint64_t place; // of its distances in `bytes`, times 8, and their sequence_width
} sequence_group;

typedef struct {
    size_t n;
    ARRAY_OF(sequence_group) groups; // the full ones
    ARRAY_OF(uint8_t) bytes;         // distances
    uint64_t rest[SEQUENCE_GROUP]; // the numbers of the last group, until it is full
} sequence;

void trace_sequence_finish(sequence *s);

// Appends base + numbers[i], which must not decrease. False without memory; the sequence must then
// not be used any more.
bool trace_sequence_append(sequence *s, const uint32_t *numbers, size_t n, uint64_t base);
bool trace_sequence_append_times(sequence *s, const int64_t *times, size_t n);

static inline uint64_t sequence_get(const sequence *s, size_t i)
{
    size_t k = i % SEQUENCE_GROUP;
    if (__builtin_expect(i / SEQUENCE_GROUP == s->groups.n, 0))
        return s->rest[k];
    const sequence_group *g = &s->groups.at[i / SEQUENCE_GROUP];
    const uint8_t *bytes = s->bytes.at + (g->place >> 3);
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch ((sequence_width)(g->place & 7)) {
    case WIDTH_0:
        return g->base;
    case WIDTH_1:
        return g->base + bytes[k];
    case WIDTH_2:
        memcpy(&two, bytes + 2 * k, sizeof two);
        return g->base + two;
    case WIDTH_4:
        memcpy(&four, bytes + 4 * k, sizeof four);
        return g->base + four;
    default:
        memcpy(&eight, bytes + 8 * k, sizeof eight);
        return g->base + eight;
    }
}

// Of a sequence that is complete, by value: the last of its first n places whose number is at most the
// value, for all values below the last number of all. Place 0 must have such a number. False without
// memory; `ret` must then be released and not used any more.
bool trace_sequence_invert(const sequence *s, size_t n, sequence *ret);

#endif
