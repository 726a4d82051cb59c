// SPDX-License-Identifier: MIT
//
// Growing arrays and memory that does not run out (private to kpx-bridge/): the bridge is a command
// that has nothing to save when the system has no more memory, so it says so and ends.
#ifndef KPX_ARRAY_H
#define KPX_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#define KPX_ARRAY(type)                                                                            \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t n, capacity;                                                                      \
    }

#define KPX_PUSH(array, ...)                                                                       \
    do {                                                                                           \
        if ((array).n == (array).capacity)                                                         \
            (array).at = kpx_grow((array).at, &(array).capacity, sizeof *(array).at);              \
        (array).at[(array).n++] = __VA_ARGS__;                                                     \
    } while (0)

void *kpx_allocate(size_t size); // zeroed
void *kpx_grow(void *at, uint32_t *capacity, size_t size);
char *kpx_copy(const char *text);
const char *kpx_base_name(const char *path); // a part of it
char *kpx_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
