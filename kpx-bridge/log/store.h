// SPDX-License-Identifier: MIT
//
// Arrays that may be larger than the memory that a conversion is to take (private to kpx-bridge/). All of
// them together have memory up to a limit; one that grows beyond it moves to a mapped file without a name.
// Who goes through an array gives the pages of these files back now and then, if many are resident; the
// system keeps them as long as it has room, and reads them again where they are used. So an array costs
// memory where it is used at the time.
//
//     STORE_OF(kpx_arrow) arrows = {0};
//     STORE_PUSH(arrows, (kpx_arrow){...});
//     STORE_FREE(arrows);
//
// Without disk space an array stays in memory. One thread uses stores.
#ifndef KPX_STORE_H
#define KPX_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kpx_store kpx_store;

#define STORE_OF(T)                                                                                \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t n, capacity;                                                                        \
        kpx_store *store;                                                                          \
    }

#define STORE_PUSH(array, ...)                                                                     \
    do {                                                                                           \
        if ((array).n == (array).capacity)                                                         \
            (array).at = kpx_store_grow(&(array).store, &(array).capacity, sizeof *(array).at);    \
        (array).at[(array).n] = (__VA_ARGS__);                                                     \
        (array).n++;                                                                               \
    } while (0)

// Room for `count` elements, all zero. The array must be empty.
#define STORE_ALLOCATE(array, count)                                                               \
    do {                                                                                           \
        (array).capacity = (array).n = (count);                                                    \
        (array).at = kpx_store_take(&(array).store, (array).n, sizeof *(array).at);                \
    } while (0)

#define STORE_FREE(array)                                                                          \
    do {                                                                                           \
        kpx_store_free((array).store);                                                             \
        (array).store = NULL;                                                                      \
        (array).at = NULL;                                                                         \
        (array).n = (array).capacity = 0;                                                          \
    } while (0)

// Gives pages back if many are resident.
void kpx_store_look(void);

// Things between two looks; of those that lie anywhere each may have pages of its own.
enum { KPX_STORE_LOOK = 1 << 15, KPX_STORE_LOOK_OFTEN = 1 << 9 };

// Who goes through many things is at the i-th.
static inline void kpx_store_at(uint64_t i)
{
    if (i % KPX_STORE_LOOK == 0)
        kpx_store_look();
}

static inline void kpx_store_at_any(uint64_t i)
{
    if (i % KPX_STORE_LOOK_OFTEN == 0)
        kpx_store_look();
}

// Files are made in the folder of this file: that of the trace. NULL: there are none.
void kpx_store_beside(const char *path);
// Bytes that are free there.
uint64_t kpx_store_disk(void);
// Bytes of memory that all stores together take, and of pages that are not given back at once.
#define KPX_STORE_MEMORY ((uint64_t)352 << 20)

// More elements than *capacity, which is set.
void *kpx_store_grow(kpx_store **store, size_t *capacity, size_t size);
void *kpx_store_take(kpx_store **store, size_t n, size_t size); // all zero
void kpx_store_free(kpx_store *store);

// The bytes of an open file from `offset` on, a multiple of the size of a page, and behind them those of
// `tail`, copied; `length` is such a multiple, too. They must not be changed. NULL: it cannot be mapped.
const void *kpx_store_map(kpx_store **store, int file, uint64_t offset, size_t length, const void *tail,
                          size_t tail_length);

typedef int kpx_compare(const void *a, const void *b);
// Sorts n elements, of which no two may compare equal unless they are the same, in place.
void kpx_store_sort(void *at, size_t n, size_t size, kpx_compare *compare);

#endif
