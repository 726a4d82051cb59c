// SPDX-License-Identifier: MIT
//
// Making terms on the collected heap. The reducing loop and the built-in predicates use this.
//
// Every maker takes the machine. In a stamped run it writes the longer form: a cell number, taken
// from vm_cells.next, in a compound's extra word or in the variable. Without a machine (constants
// of a program) it makes the longer form with cell number 0, so that either kind of run may use it.
//
// Small objects come from free lists by size in granules of 16 bytes. The collector refills a list
// with many objects at a time. Objects on a list are zero, except for the link in their first word.
#ifndef VM_HEAP_H
#define VM_HEAP_H

#include "base/array.h"
#include "vm/recorder.h"

#include <sched.h>
#include <setjmp.h>
#include <string.h>

enum { VM_GRANULE = 16, VM_SMALL_GRANULES = 32 };

// Of this thread, by size in granules. They lie where the collector looks (it does not look into
// thread-local storage): static for the first thread, in the worker for the others.
// No object has 0 granules: the first place is a number, of the lists that this thread got from the
// collector while there were several threads.
extern __thread void **vm_free_lists;
static inline uint64_t vm_lists_made(void *const *lists)
{
    return lists ? (uint64_t)(uintptr_t)__atomic_load_n(&lists[0], __ATOMIC_RELAXED) : 0;
}

void vm_heap_use_lists(void **lists); // for the thread that calls

// What a run does when memory is exhausted. A plain run within a reduction exceeds the limit and
// continues to the end of its quantum: there the running goal is known, and no reduction is
// incomplete.
typedef struct {
    jmp_buf exit;         // the run leaves here,
    const uint32_t *busy; // unless *busy is 0; NULL: in any case
    bool is_short;        // it took more than the limit
} vm_memory_way;

extern __thread vm_memory_way *vm_memory_exit; // of this thread; NULL: the process is aborted

// True while more than one thread uses the heap. Then everything that they share is locked.
extern bool vm_threads;

// The lock that this thread holds, at most one. If memory is exhausted the holder leaves by
// vm_memory_exit and releases the lock, so the guarded data must be consistent at every allocation.
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

// Collected memory for growing things: zeroed and scanned for pointers, and neither.
extern const base_heap vm_scanned, vm_unscanned;
#define VM_PUSH(array, ...) ARRAY_PUSH_ON(&vm_scanned, array, __VA_ARGS__)

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

// The numbered objects that a machine makes in a stamped run. A machine begins with this, so that
// the makers find it and need not know what else a machine is.
typedef struct {
    bool is_long;   // stamped run: objects have their longer form
    bool has_maker; // real stamped run: variables have room for their maker
    bool listing;   // a built-in reduces: each object is also put down in `list`
    vm_word unbound; // a new variable; plain runs: of this worker
    uint64_t made;  // by the reductions before; an attempt counts on in `next`
    uint64_t next;
    ARRAY_OF(vm_cell) list; // in order of creation
} vm_cells;

static inline vm_cells *vm_cells_of(vm_machine *m)
{
    return (vm_cells *)m;
}

// Does a new object have its longer form?
static inline bool vm_heap_long(vm_machine *m)
{
    return !m || vm_cells_of(m)->is_long;
}

static inline uint64_t vm_heap_cell(vm_machine *m)
{
    return m && vm_cells_of(m)->is_long ? vm_cells_of(m)->next++ : 0;
}

static inline vm_word vm_heap_listed(vm_machine *m, vm_word object)
{
    if (m && vm_cells_of(m)->listing)
        VM_PUSH(vm_cells_of(m)->list, (vm_cell){.object = object});
    return object;
}

static inline vm_word vm_heap_cons(vm_machine *m, vm_word head, vm_word tail)
{
    bool is_long = vm_heap_long(m);
    vm_word *words = vm_heap_object((is_long ? 3 : 2) * sizeof *words);
    words[0] = head;
    words[1] = tail;
    if (is_long)
        words[2] = vm_heap_cell(m);
    return vm_heap_listed(m, (vm_word)words | TAG_CONS);
}

// Plain runs: a cons whose tail is a variable that lives there. The origin is never freed.
static inline vm_word vm_heap_open_cons(vm_machine *m, vm_word head, const vm_origin *origin,
                                        vm_word *ret_tail)
{
    vm_word *words = vm_heap_object(2 * sizeof *words);
    words[0] = head;
    words[1] = vm_unbound_place(origin, vm_cells_of(m)->unbound);
    *ret_tail = (vm_word)(words + 1);
    return (vm_word)words | TAG_CONS;
}

// A structure whose arguments (vm_words(result)[1..arity]) the caller fills in at once.
static inline vm_word vm_heap_struct(vm_machine *m, vm_word functor)
{
    size_t arity = vm_functor_arity(functor);
    bool is_long = vm_heap_long(m);
    vm_word *words = vm_heap_object((arity + (is_long ? 2 : 1)) * sizeof *words);
    words[0] = functor;
    if (is_long)
        words[arity + 1] = vm_heap_cell(m);
    return vm_heap_listed(m, (vm_word)words | TAG_STRUCT);
}

static inline vm_word vm_heap_variable(vm_machine *m, vm_origin origin)
{
    bool is_long = vm_heap_long(m);
    bool is_real = m && vm_cells_of(m)->has_maker;
    vm_var *v = vm_heap_object(is_real ? sizeof *v : is_long ? VM_IDEAL_VAR_SIZE : VM_PLAIN_VAR_SIZE);
    v->value = m ? vm_cells_of(m)->unbound : VM_UNBOUND;
    v->origin = origin;
    if (is_real)
        v->number = vm_heap_cell(m);
    else if (is_long)
        v->cell = (uint32_t)vm_heap_cell(m);
    return vm_heap_listed(m, vm_ref(v));
}

vm_word vm_new_variable(vm_machine *m, const char *name); // made by a built-in
vm_word vm_update_vector(vm_machine *m, vm_vector *v, size_t index, vm_word element); // O(1) newest
vm_word vm_make_vector_of(vm_machine *m, size_t length, vm_word element);
// A vector whose elements (n zero words, at *ret_elements) the caller fills in at once.
vm_word vm_heap_vector(vm_machine *m, size_t n, vm_word **ret_elements);

vm_word vm_heap_float(double d);

// A string of length bytes whose text the caller fills in at once.
vm_string *vm_heap_string(size_t length);
static inline vm_word vm_heap_box(void *box)
{
    return (vm_word)box | TAG_BOX;
}

#endif
