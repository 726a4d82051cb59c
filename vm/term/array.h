// SPDX-License-Identifier: MIT
//
// Growing arrays on the collected heap. They are like those of base/array.h, but count in 32 bits:
// the machine has many, and walks over terms push to them in inner loops.
#ifndef VM_ARRAY_H
#define VM_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#define VM_ARRAY(T)                                                                                \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t n, capacity;                                                                      \
    }

// Twice the room, in memory that is scanned for pointers.
void *vm_array_grow(void *at, uint32_t *capacity, size_t size);
#define VM_PUSH(array, ...)                                                                        \
    do {                                                                                           \
        if ((array).n == (array).capacity)                                                         \
            (array).at = vm_array_grow((array).at, &(array).capacity, sizeof *(array).at);         \
        (array).at[(array).n] = (__VA_ARGS__); /* may read the array's n */                        \
        (array).n++;                                                                               \
    } while (0)

#endif
