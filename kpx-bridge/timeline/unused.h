// SPDX-License-Identifier: MIT
//
// Arrays whose places are used again (private to timeline/): what is over is forgotten, so that what is kept
// does not grow with the length of a run.
#ifndef KPX_UNUSED_H
#define KPX_UNUSED_H

#include <stdint.h>

#include "base/array.h"

typedef ARRAY_OF(uint32_t) kpx_unused; // places that nobody uses

// A place for a new thing in an array of n: one that nobody uses, or the one behind its end.
static inline uint32_t kpx_place_for(kpx_unused *unused, size_t n)
{
    return unused->n > 0 ? unused->at[--unused->n] : (uint32_t)n;
}

// Puts a new thing at such a place.
#define KPX_PUT_AT(array, place, ...)                                                              \
    do {                                                                                           \
        if ((place) == (array).n)                                                                  \
            ARRAY_PUSH(array, __VA_ARGS__);                                                        \
        else                                                                                       \
            (array).at[place] = (__VA_ARGS__);                                                     \
    } while (0)

#endif
