// SPDX-License-Identifier: MIT
//
// The parts of a deque that are not in the path of every goal: stealing, growing, counting.
#include "vm/schedule/deque.h"

#include "vm/memory.h"

#include <stdlib.h>

#ifndef VM_CAN_FENCE_ALL
#ifdef __linux__
#define VM_CAN_FENCE_ALL 1
#else
#define VM_CAN_FENCE_ALL 0
#endif
#endif

#if VM_CAN_FENCE_ALL
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

bool vm_thieves_fence;

#if VM_CAN_FENCE_ALL
static void fence_all(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void vm_deque_prepare(void)
{
    vm_thieves_fence = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
#else
static void fence_all(void)
{
}

void vm_deque_prepare(void)
{
}
#endif

static vm_ring *new_ring(uint64_t size)
{
    vm_ring *ring = vm_alloc(sizeof *ring + size * sizeof *ring->goals);
    ring->size = size;
    return ring;
}

void vm_deque_init(vm_deque *d)
{
    d->top = d->bottom = 0;
    d->ring = new_ring(256);
}

vm_ring *vm_deque_grow(vm_deque *d, int64_t top, int64_t bottom)
{
    vm_ring *old = vm_ring_of(d);
    vm_ring *ring = new_ring(old->size * 2);
    for (int64_t i = top; i < bottom; i++)
        vm_ring_put(ring, i, vm_ring_get(old, i));
    __atomic_store_n(&d->ring, ring, __ATOMIC_RELEASE);
    return ring;
}

vm_goal *vm_deque_steal(vm_deque *d, bool *ret_again)
{
    *ret_again = false;
    int64_t top = __atomic_load_n(&d->top, __ATOMIC_SEQ_CST);
    if (top >= __atomic_load_n(&d->bottom, __ATOMIC_RELAXED))
        return NULL; // not worth a fence
    if (vm_thieves_fence)
        fence_all();
    int64_t bottom = __atomic_load_n(&d->bottom, __ATOMIC_SEQ_CST);
    if (top >= bottom)
        return NULL;
    vm_ring *ring = __atomic_load_n(&d->ring, __ATOMIC_ACQUIRE);
    vm_goal *goal = vm_ring_get(ring, top);
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
