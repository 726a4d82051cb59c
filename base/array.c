// SPDX-License-Identifier: MIT
//
// Growing arrays on a heap that the caller names. A call, so that the loops that push stay small.
#include "base/array.h"

void *array_grown_on(const base_heap *heap, void *at, size_t *capacity, size_t need, size_t size)
{
    size_t larger = array_larger(*capacity, need, heap ? heap->first : ARRAY_FIRST);
    char *grown = base_grow(heap, at, *capacity, larger, size);
    if (!heap || !heap->zeroed)
        memset(grown + *capacity * size, 0, (larger - *capacity) * size);
    *capacity = larger;
    return grown;
}
