// SPDX-License-Identifier: MIT
//
// What the engine has of the system, for the checker: vm/term/memory.c without a collector, its memory
// taken back after each execution; what is written. What it keeps for each system thread is kept
// for each coroutine. Output is written by who prints it.
#include "model_system.h"
#include "threads.h"

#include "vm/engine/flusher.h"
#include "vm/memory.h"
#include "vm/states.h"
#include "vm/term/big.h"
#include "vm/term/heap.h"

#include <stdlib.h>

bool vm_threads;
static void *lists[VM_SMALL_GRANULES + 1]; // always empty: every allocation comes by here
__thread void **vm_free_lists = lists;
__thread uint32_t *vm_lock_held;
__thread vm_memory_way *vm_memory_exit;

typedef struct {
    uint32_t *lock_held;
    vm_memory_way *memory_exit;
} local;

static local locals[THREADS];
static char written[4096];
static size_t written_bytes;

void model_switch_to(unsigned thread)
{
    vm_lock_held = locals[thread].lock_held;
    vm_memory_exit = locals[thread].memory_exit;
}

void model_switch_from(unsigned thread)
{
    locals[thread] = (local){vm_lock_held, vm_memory_exit};
}

void model_forget_locals(void)
{
    memset(locals, 0, sizeof locals);
    written_bytes = 0;
}

bool model_is_local(uintptr_t place)
{
    return place == (uintptr_t)&vm_lock_held || place == (uintptr_t)&vm_memory_exit ||
           place == (uintptr_t)&vm_free_lists;
}

ssize_t model_write(int fd, const void *bytes, size_t n)
{
    if (fd != STDOUT_FILENO)
        return (ssize_t)n;
    if (n > sizeof written - written_bytes)
        model_fail("the program writes too much for the checker");
    memcpy(written + written_bytes, bytes, n);
    written_bytes += n;
    return (ssize_t)n;
}

const char *model_written(size_t *ret_n)
{
    *ret_n = written_bytes;
    return written;
}

void *model_do_blocking(void *(*function)(void *data), void *data)
{
    return function(data);
}

void vm_heap_use_lists(void **unused)
{
    (void)unused;
}

static void *allocate(size_t bytes)
{
    return model_alloc(bytes);
}

static void *reallocate(void *old, size_t old_bytes, size_t bytes)
{
    return memcpy(model_alloc(bytes), old, old_bytes < bytes ? old_bytes : bytes);
}

static void release(void *p, size_t bytes)
{
    (void)p;
    (void)bytes;
}

void vm_free(void *p)
{
    (void)p;
}

void vm_memory_for_worker(unsigned number)
{
    (void)number;
}

void vm_memory_init(void)
{
    mp_set_memory_functions(allocate, reallocate, release);
}

void *vm_heap_refill(size_t granules)
{
    return model_alloc(granules * VM_GRANULE);
}

void *vm_heap_large(size_t bytes)
{
    return model_alloc(bytes);
}

void *vm_alloc(size_t bytes)
{
    return model_alloc(bytes ? bytes : 1);
}

void *vm_alloc_atomic(size_t bytes)
{
    return model_alloc(bytes ? bytes : 1);
}

const base_heap vm_scanned = {.allocate = vm_alloc, .zeroed = true, .first = 16};
const base_heap vm_unscanned = {.allocate = vm_alloc_atomic, .first = 16};

void vm_memory_limit(size_t bytes)
{
    (void)bytes;
}

void vm_memory_admit(size_t bytes)
{
    (void)bytes;
}

// Samples are a thread's own business.
vm_state vm_state_enter(vm_state state)
{
    return state;
}

void vm_state_note_ready(uint32_t goals)
{
    (void)goals;
}

void vm_states_join(vm_states *s, uint32_t worker)
{
    (void)s;
    (void)worker;
}

vm_memory_pauses vm_memory_get_pauses(void)
{
    return (vm_memory_pauses){0};
}

size_t vm_memory_used(void)
{
    return 0;
}

void vm_gc_stress(unsigned every)
{
    (void)every;
}

vm_flusher *vm_flusher_create(void (*write)(void *data), void *data)
{
    (void)write;
    (void)data;
    return NULL;
}

void vm_flusher_lock(vm_flusher *f)
{
    (void)f;
}

void vm_flusher_unlock(vm_flusher *f)
{
    (void)f;
}

void vm_flusher_wake(vm_flusher *f)
{
    (void)f;
}

void vm_flusher_stop(vm_flusher *f)
{
    (void)f;
}
