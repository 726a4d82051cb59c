// SPDX-License-Identifier: MIT
#include "vm/deque.h"

#include <stdlib.h>

static vm_ring *new_ring(uint64_t size)
{
    vm_ring *ring = vm_alloc(sizeof *ring + size * sizeof *ring->goals);
    ring->size = size;
    return ring;
}

static vm_goal **place(vm_ring *ring, int64_t at)
{
    return &ring->goals[(uint64_t)at & (ring->size - 1)];
}

static vm_goal *get(vm_ring *ring, int64_t at)
{
    return __atomic_load_n(place(ring, at), __ATOMIC_RELAXED);
}

static void put(vm_ring *ring, int64_t at, vm_goal *goal)
{
    __atomic_store_n(place(ring, at), goal, __ATOMIC_RELAXED);
}

void vm_deque_init(vm_deque *d)
{
    d->top = d->bottom = 0;
    d->ring = new_ring(256);
}

// Only the owner replaces it.
static vm_ring *own_ring(vm_deque *d)
{
    return __atomic_load_n(&d->ring, __ATOMIC_RELAXED);
}

static vm_ring *grow(vm_deque *d, int64_t top, int64_t bottom)
{
    vm_ring *old = own_ring(d);
    vm_ring *ring = new_ring(old->size * 2);
    for (int64_t i = top; i < bottom; i++)
        put(ring, i, get(old, i));
    __atomic_store_n(&d->ring, ring, __ATOMIC_RELEASE);
    return ring;
}

void vm_deque_push(vm_deque *d, vm_goal *goal)
{
    int64_t bottom = __atomic_load_n(&d->bottom, __ATOMIC_RELAXED);
    int64_t top = __atomic_load_n(&d->top, __ATOMIC_ACQUIRE);
    vm_ring *ring = own_ring(d);
    if (bottom - top >= (int64_t)ring->size)
        ring = grow(d, top, bottom);
    put(ring, bottom, goal);
    __atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELEASE);
}

vm_goal *vm_deque_pop(vm_deque *d)
{
    int64_t bottom = __atomic_load_n(&d->bottom, __ATOMIC_RELAXED) - 1;
    vm_ring *ring = own_ring(d);
    // Thieves must see the lower bottom before this worker looks at top.
    __atomic_store_n(&d->bottom, bottom, __ATOMIC_SEQ_CST);
    int64_t top = __atomic_load_n(&d->top, __ATOMIC_SEQ_CST);
    if (top > bottom) {
        __atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
        return NULL;
    }
    vm_goal *goal = get(ring, bottom);
    if (top < bottom)
        return goal;
    // The last one: thieves want it too.
    if (!__atomic_compare_exchange_n(&d->top, &top, top + 1, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED))
        goal = NULL;
    __atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
    return goal;
}

vm_goal *vm_deque_steal(vm_deque *d, bool *ret_again)
{
    *ret_again = false;
    int64_t top = __atomic_load_n(&d->top, __ATOMIC_SEQ_CST);
    int64_t bottom = __atomic_load_n(&d->bottom, __ATOMIC_SEQ_CST);
    if (top >= bottom)
        return NULL;
    vm_ring *ring = __atomic_load_n(&d->ring, __ATOMIC_ACQUIRE);
    vm_goal *goal = get(ring, top);
    if (__atomic_compare_exchange_n(&d->top, &top, top + 1, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED))
        return goal;
    *ret_again = true;
    return NULL;
}

uint32_t vm_deque_count(const vm_deque *d)
{
    int64_t n = __atomic_load_n(&d->bottom, __ATOMIC_RELAXED) -
                __atomic_load_n(&d->top, __ATOMIC_RELAXED);
    return n > 0 ? (uint32_t)n : 0;
}
