// SPDX-License-Identifier: MIT
//
// A growing array in the collected heap (private to fleng/).
#ifndef FLENG_ARRAY_H
#define FLENG_ARRAY_H

#include "vm/memory.h"

#include <stdint.h>
#include <string.h>

#define FL_ARRAY(T)                                                                                \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t n, capacity;                                                                      \
    }

// at with room for twice as many elements; the old ones are kept.
static inline void *fl_array_grow(const void *at, uint32_t *capacity, size_t size)
{
    uint32_t larger = *capacity ? *capacity * 2 : 8;
    void *grown = vm_alloc((size_t)larger * size);
    if (at)
        memcpy(grown, at, (size_t)*capacity * size);
    *capacity = larger;
    return grown;
}

#define FL_PUSH(array, ...)                                                                        \
    do {                                                                                           \
        if ((array).n == (array).capacity)                                                         \
            (array).at = fl_array_grow((array).at, &(array).capacity, sizeof *(array).at);         \
        (array).at[(array).n] = (__VA_ARGS__); /* may read the array's n */                        \
        (array).n++;                                                                               \
    } while (0)

// A NUL-terminated copy in the collected heap.
static inline char *fl_copy_text(const char *text, size_t length)
{
    char *copy = vm_alloc_atomic(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

#endif
