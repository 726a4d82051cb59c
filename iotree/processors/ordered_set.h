// SPDX-License-Identifier: MIT
//
// A set of small numbers that knows its smallest: bits, and above every 64 words of bits one word
// that says which of them are not zero. Every question takes a word of each of at most six levels.
#ifndef IOTREE_PROCESSORS_ORDERED_SET_H
#define IOTREE_PROCESSORS_ORDERED_SET_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SET_LEVELS 6
#define SET_EMPTY  UINT32_MAX

typedef struct {
    uint64_t *levels[SET_LEVELS]; // the last one is a single word
    uint32_t nlevels;
} ordered_set;

// Room for 0 .. n - 1; n may be 0.
static inline void set_create(ordered_set *s, uint32_t n)
{
    uint64_t words = n;
    s->nlevels = 0;
    do {
        words = words / 64 + 1;
        s->levels[s->nlevels++] = base_allocate(words, sizeof(uint64_t));
    } while (words > 1);
}

static inline void set_destroy(ordered_set *s)
{
    for (uint32_t l = 0; l < s->nlevels; l++)
        free(s->levels[l]);
}

static inline bool set_has(const ordered_set *s, uint32_t i)
{
    return s->levels[0][i / 64] >> (i % 64) & 1;
}

static inline void set_insert(ordered_set *s, uint32_t i)
{
    for (uint32_t l = 0; l < s->nlevels; l++, i /= 64) {
        uint64_t *word = &s->levels[l][i / 64], before = *word;
        *word |= (uint64_t)1 << (i % 64);
        if (before)
            return;
    }
}

static inline void set_remove(ordered_set *s, uint32_t i)
{
    for (uint32_t l = 0; l < s->nlevels; l++, i /= 64) {
        uint64_t *word = &s->levels[l][i / 64];
        *word &= ~((uint64_t)1 << (i % 64));
        if (*word)
            return;
    }
}

// SET_EMPTY if there is none.
static inline uint32_t set_smallest(const ordered_set *s)
{
    uint32_t i = 0;
    if (!s->levels[s->nlevels - 1][0])
        return SET_EMPTY;
    for (uint32_t l = s->nlevels; l-- > 0;)
        i = i * 64 + (uint32_t)__builtin_ctzll(s->levels[l][i]);
    return i;
}

#endif
