// SPDX-License-Identifier: MIT
//
// Objects on the collected heap, and the locks of what several workers share.
//
// Small objects come from free lists by size in granules of 16 bytes. The collector refills a list
// with many objects at a time. Objects on a list are zero, except for the link in their first word.
#ifndef VM_HEAP_H
#define VM_HEAP_H

#include "vm/term.h"

#include <sched.h>
#include <setjmp.h>
#include <string.h>

// What a run does when memory is exhausted. A plain one that reduces takes what it needs
// and goes on to the end of its turn: then it is known what reduces, and nothing is left half done.
typedef struct {
    jmp_buf exit;         // it goes on here
    const uint32_t *busy; // unless this is 0; NULL: in any case
    bool is_short;        // it had to take more than there is
} vm_memory_way;

enum { VM_GRANULE = 16, VM_SMALL_GRANULES = 32 };

// Of this thread, by size in granules. They lie where the collector looks (it does not look into
// thread-local storage): static for the first thread, in the worker for the others.
extern __thread void **vm_free_lists;
void vm_heap_use_lists(void **lists); // for the thread that calls

extern __thread vm_memory_way *vm_memory_exit; // of this thread; NULL: the process is aborted

// Is there more than one worker?  Then what all share is locked.
extern bool vm_threads;

// The lock that this thread has: one at a time. Where memory is exhausted its holder leaves by
// vm_memory_exit, and gives it back then; what it guards must be whole at every allocation.
extern __thread uint32_t *vm_lock_held;

// A lock for a few instructions. Nothing is done where there is one worker.
static inline void vm_spin_lock(uint32_t *lock)
{
    if (!vm_threads)
        return;
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(lock, __ATOMIC_RELAXED))
            sched_yield();
    vm_lock_held = lock;
}

// Gives back the lock that this thread has, if any.
static inline void vm_spin_unlock(void)
{
    if (!vm_lock_held)
        return;
    __atomic_store_n(vm_lock_held, 0, __ATOMIC_RELEASE);
    vm_lock_held = NULL;
}

// The first object of a new list of objects of that size.
void *vm_heap_refill(size_t granules);
void *vm_heap_large(size_t bytes);

// A zeroed object of memory that is scanned for pointers.
static inline void *vm_heap_object(size_t bytes)
{
    size_t granules = (bytes + VM_GRANULE - 1) / VM_GRANULE;
    if (__builtin_expect(granules > VM_SMALL_GRANULES, 0))
        return vm_heap_large(bytes);
    void **object = vm_free_lists[granules];
    if (__builtin_expect(!object, 0))
        return vm_heap_refill(granules);
    vm_free_lists[granules] = *object;
    *object = NULL;
    return object;
}

// Two words, both to be set at once, from this thread's lists.
static inline vm_word *vm_heap_pair(void **lists)
{
    void **object = lists[2 * sizeof(vm_word) / VM_GRANULE];
    if (__builtin_expect(!object, 0))
        return vm_heap_refill(2 * sizeof(vm_word) / VM_GRANULE);
    lists[2 * sizeof(vm_word) / VM_GRANULE] = *object;
    return (vm_word *)object;
}

static inline vm_word vm_heap_box(void *box)
{
    return (vm_word)box | TAG_BOX;
}

vm_word vm_heap_float(double d);
// A string of length bytes whose text the caller fills in at once.
vm_string *vm_heap_string(size_t length);
// A vector of n elements that has none yet.
vm_vector *vm_heap_empty_vector(size_t n);
// The version of v with element `index` replaced, without a cell number.
vm_vector *vm_heap_updated_vector(vm_vector *v, size_t index, vm_word element);

#endif
