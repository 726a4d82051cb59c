// SPDX-License-Identifier: MIT
//
// The one allocation seam: Boehm's collector. Tagged words point 0..7 bytes into an object, so only
// these displacements (and those of a second word) count as pointers from within the heap.
#include "vm/term/heap.h"

#include "vm/memory.h"
#include "vm/thread.h"

#define GC_THREADS
#include <gc.h>
#include <gc/gc_typed.h>
#include <gmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

bool vm_threads;
static void *first_lists[VM_SMALL_GRANULES + 1];
__thread void **vm_free_lists = first_lists;
__thread uint32_t *vm_lock_held;

void vm_heap_use_lists(void **lists)
{
    vm_free_lists = lists;
}

static bool initialised;
static unsigned stress_every;
static unsigned stress_count; // of allocations, by all threads

// Memory of GMP. GMP keeps its temporary blocks in a linked list whose link is the first word, so
// the collector must scan that word. It scans small blocks in full.
static GC_descr first_word;

static void *big_allocate(size_t bytes)
{
    enum { SMALL = 512 };
    return bytes <= SMALL ? GC_MALLOC(bytes) : GC_MALLOC_EXPLICITLY_TYPED(bytes, first_word);
}

static void *big_reallocate(void *old, size_t old_bytes, size_t bytes)
{
    void *made = big_allocate(bytes);
    memcpy(made, old, old_bytes < bytes ? old_bytes : bytes);
    GC_FREE(old);
    return made;
}

static void big_free(void *p, size_t bytes)
{
    (void)bytes;
    GC_FREE(p);
}

__thread vm_memory_way *vm_memory_exit;

enum { LARGE = 1 << 20 }; // bytes that no run takes beyond its limit at once

// The collector found nothing to free within the limit. The run ends; its report may use all memory
// of the computer.
static void *exhausted(size_t bytes)
{
    vm_memory_way *way = vm_memory_exit;
    GC_set_max_heap_size(0);
    if (way && way->busy && *way->busy == 0 && !way->is_short && bytes < LARGE) {
        way->is_short = true;
        return GC_MALLOC(bytes);
    }
    vm_spin_unlock();
    if (way)
        longjmp(way->exit, 1);
    base_out_of_memory(bytes, __FILE__, __LINE__);
}

static size_t limit;

void vm_memory_limit(size_t bytes)
{
    limit = bytes;
    GC_set_max_heap_size(bytes);
}

enum { SMALL_NEED = 1 << 20 }; // bytes for which nobody asks

void vm_memory_admit(size_t bytes)
{
    if (bytes < SMALL_NEED || limit == 0 || vm_memory_used() + bytes <= limit)
        return;
    GC_gcollect();
    if (vm_memory_used() + bytes > limit)
        exhausted(bytes);
}

size_t vm_memory_used(void)
{
    size_t heap = GC_get_heap_size(), free_bytes = GC_get_free_bytes(); // neither locks
    return heap > free_bytes ? heap - free_bytes : 0;
}

// ---- When to collect ------------------------------------------------------------------------
//
// A collection takes time by what lives. How often there is one is for this policy to say: after each,
// it allows as many bytes as the run makes, at its speed so far, in four times the pause, so that
// collections take about a fifth of the time. That costs memory, and so has bounds: what lives, of a large
// heap, which is not marked in the cache, twice that, and of a small one an eighth less, so that twice what
// lives is enough; and half of what the limit leaves. The collector's own rule, a third of the heap, is the
// least.

enum { BUSY_PER_PAUSE = 4, SMALL_HEAP = 4 << 20, LARGE_HEAP = 64 << 20 };

static struct {
    vm_memory_pauses pauses;
    uint64_t begun, ended; // ns: the last collection
    size_t made;           // bytes, between the one before and this one
    void (*told)(void *data, bool begins); // see vm_memory_on_collection()
    void *data;
} collections;

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static size_t least_before_next(uint64_t pause, uint64_t busy)
{
    size_t live = vm_memory_used();
    size_t most = live < SMALL_HEAP   ? live - live / 8
                  : live < LARGE_HEAP ? live + live * live / LARGE_HEAP
                                      : 2 * live;
    double wanted = (double)collections.made * BUSY_PER_PAUSE * (double)pause / (double)(busy + 1);
    if (limit > 0 && most > (limit - live) / 2)
        most = live < limit ? (limit - live) / 2 : 0;
    return 1 + (wanted < (double)most ? (size_t)wanted : most);
}

// The collector calls it, with its lock held.
static void note_collection(GC_EventType event)
{
    if (event == GC_EVENT_START) {
        collections.begun = nanoseconds();
        collections.made = GC_get_bytes_since_gc();
        if (collections.told)
            collections.told(collections.data, true);
    } else if (event == GC_EVENT_END) {
        uint64_t now = nanoseconds(), pause = now - collections.begun;
        vm_memory_pauses *p = &collections.pauses;
        p->count++;
        p->total += pause;
        p->longest = pause > p->longest ? pause : p->longest;
        if (collections.ended > 0)
            GC_set_min_bytes_allocd(
                least_before_next(pause, collections.begun - collections.ended));
        collections.ended = now;
        if (collections.told)
            collections.told(collections.data, false);
    }
}

// No other thread runs that could begin a collection meanwhile.
void vm_memory_on_collection(void (*told)(void *data, bool begins), void *data)
{
    collections.data = data;
    collections.told = told;
}

vm_memory_pauses vm_memory_get_pauses(void)
{
    return collections.pauses;
}

// Below this there is no collection. Much more would not stay in the cache.
enum { FIRST_HEAP = 2 << 20 }; // bytes

// Those besides the first are started with the first thread of the run. Then lists, too, are made and
// swept outside the collector's lock. More of them wait for each other longer than they mark.
static unsigned markers(void)
{
    enum { MOST = 4 };
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n < MOST ? (unsigned)n : MOST;
}

// Sets the collector up; must precede any other use of it. May be called again.
void vm_memory_init(void)
{
    if (initialised)
        return;
    initialised = true;
    GC_set_all_interior_pointers(0);
    GC_set_thr_restart_signal(SIGRTMIN + 6); // not SIGXCPU, which means what it says
    GC_set_markers_count(markers());
    GC_INIT();
    GC_expand_hp(FIRST_HEAP);
    GC_set_on_collection_event(note_collection);
    for (size_t displacement = 0; displacement < 16; displacement++)
        GC_REGISTER_DISPLACEMENT(displacement);
    for (size_t place = 2; place < 32; place++) // variables that live in structures
        GC_REGISTER_DISPLACEMENT(place * sizeof(vm_word));
    GC_set_oom_fn(exhausted);
    GC_set_warn_proc(GC_ignore_warn_proc); // the run itself reports exhausted memory
    GC_word bitmap = 1;
    first_word = GC_make_descriptor(&bitmap, 1);
    mp_set_memory_functions(big_allocate, big_reallocate, big_free);
}

void vm_memory_for_worker(unsigned number)
{
    enum { MOST = 4 };
    if (number < MOST)
        GC_expand_hp(FIRST_HEAP);
}

static void stress(void)
{
    if (stress_every && __atomic_add_fetch(&stress_count, 1, __ATOMIC_RELAXED) % stress_every == 0)
        GC_gcollect();
}

void *vm_heap_refill(size_t granules)
{
    if (stress_every) { // no lists: every allocation comes by here
        stress();
        return GC_MALLOC(granules * VM_GRANULE);
    }
    if (vm_threads)
        __atomic_store_n(&vm_free_lists[0], (void *)(uintptr_t)(vm_lists_made(vm_free_lists) + 1),
                         __ATOMIC_RELAXED);
    void **first = GC_malloc_many(granules * VM_GRANULE);
    if (!first)
        return GC_MALLOC(granules *
                         VM_GRANULE); // has the collector's out-of-memory function called
    vm_free_lists[granules] = *first;
    *first = NULL;
    return first;
}

void *vm_heap_large(size_t bytes)
{
    stress();
    return GC_MALLOC(bytes);
}

void *vm_alloc(size_t bytes)
{
    return vm_heap_object(bytes ? bytes : 1);
}

void *vm_alloc_atomic(size_t bytes)
{
    stress();
    return GC_MALLOC_ATOMIC(bytes ? bytes : 1);
}

void vm_free(void *p)
{
    if (p)
        GC_FREE(p);
}

void vm_gc_stress(unsigned every)
{
    stress_every = every;
    stress_count = 0;
    memset(first_lists, 0, sizeof first_lists);
}

const base_heap vm_scanned = {.allocate = vm_alloc, .zeroed = true, .first = 16};
const base_heap vm_unscanned = {.allocate = vm_alloc_atomic, .first = 16};

// ---- Threads --------------------------------------------------------------------------------

typedef struct {
    void (*work)(void *data);
    void *data;
    void **lists;
} thread_start;

static void *begin_thread(void *data)
{
    thread_start *start = data;
    vm_memory_way way = {.busy = NULL};
    vm_heap_use_lists(start->lists);
    vm_memory_exit = &way;
    if (setjmp(way.exit) == 0)
        start->work(start->data);
    else
        GC_set_max_heap_size(limit); // it holds for the others
    return NULL;
}

bool vm_start_thread(pthread_t *ret, void (*work)(void *data), void *data)
{
    thread_start *start = vm_alloc(sizeof *start);
    start->work = work;
    start->data = data;
    start->lists = vm_alloc((VM_SMALL_GRANULES + 1) * sizeof *start->lists);
    vm_threads = true;
    return pthread_create(ret, NULL, begin_thread, start) == 0;
}
