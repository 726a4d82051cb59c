// SPDX-License-Identifier: MIT
//
// Growing arrays on a heap of a library's own. A call, so that the loops that push stay small.
#include "base/array.h"

void *array_grown_on(const base_heap *heap, void *at, size_t *capacity, size_t need, size_t size)
{
    size_t larger = array_larger(*capacity, need, heap->first);
    char *grown = heap->allocate(larger * size);
    if (*capacity)
        memcpy(grown, at, *capacity * size);
    if (!heap->zeroed)
        memset(grown + *capacity * size, 0, (larger - *capacity) * size);
    if (heap->release)
        heap->release(at);
    *capacity = larger;
    return grown;
}
