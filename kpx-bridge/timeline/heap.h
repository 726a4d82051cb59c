// SPDX-License-Identifier: MIT
//
// A binary heap of numbers, the least one first (private to timeline/). What the numbers stand for
// and which comes before which is the caller's: `before` gets `data` and must be a strict order.
#ifndef KPX_HEAP_H
#define KPX_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

typedef ARRAY_OF(uint32_t) kpx_heap; // at[0] is the least; its owner frees `at`
typedef bool kpx_before(const void *data, uint32_t a, uint32_t b);

// The number at this place now comes later than before: it sinks to where it belongs.
static inline void kpx_heap_sink(kpx_heap *h, size_t at, kpx_before *before, const void *data)
{
    uint32_t moved = h->at[at];
    for (size_t child; (child = 2 * at + 1) < h->n; at = child) {
        if (child + 1 < h->n && before(data, h->at[child + 1], h->at[child]))
            child++;
        if (!before(data, h->at[child], moved))
            break;
        h->at[at] = h->at[child];
    }
    h->at[at] = moved;
}

static inline void kpx_heap_put(kpx_heap *h, uint32_t number, kpx_before *before, const void *data)
{
    size_t at = h->n;
    ARRAY_PUSH(*h, number);
    for (; at > 0 && before(data, number, h->at[(at - 1) / 2]); at = (at - 1) / 2)
        h->at[at] = h->at[(at - 1) / 2];
    h->at[at] = number;
}

// Removes the least number, which must be there.
static inline uint32_t kpx_heap_take(kpx_heap *h, kpx_before *before, const void *data)
{
    uint32_t least = h->at[0];
    h->at[0] = h->at[--h->n];
    if (h->n > 0)
        kpx_heap_sink(h, 0, before, data);
    return least;
}

#endif
