// SPDX-License-Identifier: MIT
//
// The deque of a worker's ready goals (private to vm/), after Chase and Lev, "Dynamic circular
// work-stealing deque" (SPAA 2005), with the memory orders of Lê, Pop, Cohen and Zappella Nardelli,
// "Correct and efficient work-stealing for weak memory models" (PPoPP 2013).
//
//      top                       bottom
//       v                          v
//   ... [ oldest ][    ] ... [newest][free] ...
//    thieves -->                <-- owner
//
//   bottom   Only the owner writes it.
//   top      It only grows, by compare-and-swap. A worker that takes the oldest goal does this: a
//            thief, or the owner when it takes the last goal or asks for the oldest.
//   ring     Only the owner replaces it. Old rings stay valid as long as a thief may look at them.
//
// Fences. The owner needs a fence between lowering bottom and reading top, for every goal it takes.
// A thief needs one between reading top and reading bottom, for every steal, which is rare. Where the
// system offers membarrier (Linux), the thief makes both fences: it forces a fence on every processor
// that runs a thread of this process. If the owner's fence comes after its write of bottom, the thief
// sees the lower bottom. If it comes before, then the owner reads top after it, too, and sees the top
// that the thief has read.
#ifndef VM_DEQUE_H
#define VM_DEQUE_H

#include "vm/goal.h"

typedef struct {
    uint64_t size; // a power of two
    vm_goal *goals[];
} vm_ring;

typedef struct {
    int64_t top;
    char apart[64 - sizeof(int64_t)]; // thieves and owner do not share a cache line
    int64_t bottom;
    vm_ring *ring;
    char apart2[64 - 2 * sizeof(int64_t)];
} vm_deque;

// Do thieves make the fence that the owner needs between `bottom` and `top`?
extern bool vm_thieves_fence;
void vm_deque_prepare(void); // finds out, before there are several threads

static inline vm_goal **vm_ring_place(vm_ring *ring, int64_t at)
{
    return &ring->goals[(uint64_t)at & (ring->size - 1)];
}

static inline vm_goal *vm_ring_get(vm_ring *ring, int64_t at)
{
    return __atomic_load_n(vm_ring_place(ring, at), __ATOMIC_RELAXED);
}

static inline void vm_ring_put(vm_ring *ring, int64_t at, vm_goal *goal)
{
    __atomic_store_n(vm_ring_place(ring, at), goal, __ATOMIC_RELAXED);
}

// For the owner, which alone replaces the ring.
static inline vm_ring *vm_ring_of(const vm_deque *d)
{
    return __atomic_load_n(&d->ring, __ATOMIC_RELAXED);
}

void vm_deque_init(vm_deque *d);
vm_ring *vm_deque_grow(vm_deque *d, int64_t top, int64_t bottom); // owner

static inline void vm_deque_push(vm_deque *d, vm_goal *goal) // owner
{
    int64_t bottom = __atomic_load_n(&d->bottom, __ATOMIC_RELAXED);
    int64_t top = __atomic_load_n(&d->top, __ATOMIC_ACQUIRE);
    vm_ring *ring = vm_ring_of(d);
    if (__builtin_expect(bottom - top >= (int64_t)ring->size, 0))
        ring = vm_deque_grow(d, top, bottom);
    vm_ring_put(ring, bottom, goal);
    __atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELEASE);
}

static inline vm_goal *vm_deque_pop(vm_deque *d) // owner: the newest; NULL if there is none
{
    int64_t bottom = __atomic_load_n(&d->bottom, __ATOMIC_RELAXED) - 1;
    vm_ring *ring = vm_ring_of(d);
    // Thieves must see the lower bottom before this worker looks at top.
    if (vm_thieves_fence) {
        __atomic_store_n(&d->bottom, bottom, __ATOMIC_RELEASE);
        __asm__ volatile("" ::: "memory"); // the compiler keeps the order, too
    } else {
        __atomic_store_n(&d->bottom, bottom, __ATOMIC_SEQ_CST);
    }
    int64_t top = __atomic_load_n(&d->top, __ATOMIC_SEQ_CST);
    if (top > bottom) {
        __atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
        return NULL;
    }
    vm_goal *goal = vm_ring_get(ring, bottom);
    if (top < bottom)
        return goal;
    // The last one: thieves want it too.
    if (!__atomic_compare_exchange_n(&d->top, &top, top + 1, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED))
        goal = NULL;
    __atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
    return goal;
}

// For any worker: the oldest. NULL and *ret_again: another worker was faster, try again. NULL
// otherwise: the deque is empty.
vm_goal *vm_deque_steal(vm_deque *d, bool *ret_again);
uint32_t vm_deque_count(const vm_deque *d); // others may take some meanwhile

#endif
