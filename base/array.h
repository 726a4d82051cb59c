// SPDX-License-Identifier: MIT
//
// Growing arrays: at[0] .. at[n - 1]. All zero is an empty array; its owner frees `at`.
//
//     ARRAY_OF(uint32_t) lines = {0};
//     ARRAY_PUSH(lines, 7);                     ends the process without memory (memory.h)
//     if (!ARRAY_RESERVE(lines, 2))             false without memory, the array as before
//         return false;
//     lines.at[lines.n++] = 8;
//
// A library with a heap of its own names a macro like ARRAY_PUSH for it, by ARRAY_PUSH_ON.
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define ARRAY_OF(T)                                                                                \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t n, capacity;                                                                        \
    }

enum { ARRAY_FIRST = 16 }; // places of a new array on the C heap

// The capacity that an array grows to if `need` elements are to have room; `first` if it was empty.
static inline size_t array_larger(size_t capacity, size_t need, size_t first)
{
    size_t larger = capacity ? 2 * capacity : first;
    return larger < need ? need : larger;
}

// `at` with room for `need` elements and *capacity set; NULL, and nothing changed, without memory.
// On the C heap.
static inline void *array_grown(void *at, size_t *capacity, size_t need, size_t size)
{
    size_t larger = array_larger(*capacity, need, ARRAY_FIRST);
    void *grown = reallocarray(at, larger, size);
    if (grown)
        *capacity = larger;
    return grown;
}

// The same on a heap that the caller names (NULL: the C heap); it does not return NULL.
void *array_grown_on(const base_heap *heap, void *at, size_t *capacity, size_t need, size_t size);

// Sets *at, a pointer of any type, to what array_grown() returns, unless that is NULL.
static inline bool array_grow_at(void *at, size_t *capacity, size_t need, size_t size)
{
    void *old, *grown;
    memcpy(&old, at, sizeof old);
    grown = array_grown(old, capacity, need, size);
    if (grown)
        memcpy(at, &grown, sizeof grown);
    return grown != NULL;
}

// True if there is room for `extra` more elements now. At least one has room afterwards, so `at` is
// not NULL.
#define ARRAY_RESERVE(array, extra)                                                                \
    (((array).at && (array).capacity - (array).n >= (size_t)(extra)) ||                            \
     array_grow_at(&(array).at, &(array).capacity, (array).n + (size_t)(extra), sizeof *(array).at))

// Appends a value, which may mention the array's n. Ends the process without memory.
#define ARRAY_PUSH(array, ...)                                                                     \
    do {                                                                                           \
        if ((array).n == (array).capacity && !ARRAY_RESERVE(array, 1))                             \
            base_out_of_memory(array_larger((array).n, 1, ARRAY_FIRST) * sizeof *(array).at,       \
                                __FILE__, __LINE__);                                               \
        (array).at[(array).n] = (__VA_ARGS__);                                                     \
        (array).n++;                                                                               \
    } while (0)

// The same on a heap that the caller names (const base_heap *; NULL: the C heap).
#define ARRAY_PUSH_ON(heap, array, ...)                                                            \
    do {                                                                                           \
        if (__builtin_expect((array).n == (array).capacity, 0))                                    \
            (array).at = array_grown_on(heap, (array).at, &(array).capacity, (array).n + 1,        \
                                        sizeof *(array).at);                                       \
        (array).at[(array).n] = (__VA_ARGS__);                                                     \
        (array).n++;                                                                               \
    } while (0)

#endif
