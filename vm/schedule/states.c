// SPDX-License-Identifier: MIT
//
// States of workers, as runs of samples. A worker notes its own changes under a lock of its own, which
// only who takes samples may hold beside it. A collection is noted when it is over, for all workers at
// once; until then no sample after its beginning is due.
#include "vm/states.h"

#include "vm/memory.h"

#include <pthread.h>
#include <time.h>

enum { NOT_COLLECTING = 0 }; // else 1 + the first sample of the collection

typedef struct {
    pthread_mutex_t lock;
    vm_state state;
    uint64_t next; // the first sample that is not in `runs`
    vm_state_runs runs;
    vm_ready_counts ready;
    uint32_t every, noted; // of the notes of ready goals each so many is kept; how many there were
    char apart[64]; // two threads do not share a cache line
} worker_states;

struct vm_states {
    uint64_t every;
    uint64_t began; // ns
    uint64_t collecting; // see NOT_COLLECTING
    uint64_t ended;      // atomic: the samples that were due when the run was over; 0: it is not
    uint32_t n;
    worker_states *workers;
};

static __thread vm_states *joined;
static __thread worker_states *own;

// ---- Samples ------------------------------------------------------------------------------------

// How many samples are of times until now.
static uint64_t passed(const vm_states *s)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    return now < s->began ? 0 : (now - s->began) / s->every + 1;
}

// The samples before `until` have this state. The lock is held.
static void fill(worker_states *w, uint64_t until, vm_state state)
{
    if (until <= w->next)
        return;
    uint64_t n = until - w->next;
    w->next = until;
    if (w->runs.n > 0 && (w->runs.at[w->runs.n - 1] & 3) == state)
        w->runs.at[w->runs.n - 1] += n << 2;
    else
        ARRAY_PUSH(w->runs, n << 2 | state);
}

vm_state vm_state_enter(vm_state state)
{
    worker_states *w = own;
    if (!w)
        return state;
    pthread_mutex_lock(&w->lock);
    vm_state before = w->state;
    if (before != state)
        fill(w, passed(joined), before);
    w->state = state;
    pthread_mutex_unlock(&w->lock);
    return before;
}

enum { MOST_COUNTS = 1 << 15 };

// Half of them go. They are of about equal distances, so those that stay are, too.
static void thin_out(worker_states *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->ready.n; i += 2)
        w->ready.at[kept++] = w->ready.at[i];
    w->ready.n = kept;
    w->every *= 2;
}

void vm_state_note_ready(uint32_t goals)
{
    worker_states *w = own;
    if (!w)
        return;
    bool same = w->ready.n > 0 && w->ready.at[w->ready.n - 1].goals == goals;
    bool rests = goals == 0 && !same; // a rest begins: it is not left out
    if (same || (w->noted++ % w->every != 0 && !rests))
        return;
    pthread_mutex_lock(&w->lock);
    if (w->ready.n >= MOST_COUNTS)
        thin_out(w);
    ARRAY_PUSH(w->ready, (vm_ready_count){passed(joined), goals});
    pthread_mutex_unlock(&w->lock);
}

void vm_states_take_ready(vm_states *s, uint32_t worker, vm_ready_counts *ret)
{
    worker_states *w = &s->workers[worker];
    pthread_mutex_lock(&w->lock);
    *ret = w->ready;
    w->ready = (vm_ready_counts){0};
    pthread_mutex_unlock(&w->lock);
}

uint64_t vm_states_began(const vm_states *s)
{
    return s->began;
}

// The collector calls it, with its lock held; the workers run.
static void note_collection(void *data, bool begins)
{
    vm_states *s = data;
    uint64_t now = passed(s);
    if (begins) {
        __atomic_store_n(&s->collecting, 1 + now, __ATOMIC_SEQ_CST);
        return;
    }
    uint64_t first = __atomic_load_n(&s->collecting, __ATOMIC_RELAXED) - 1;
    for (uint32_t i = 0; i < s->n; i++) {
        worker_states *w = &s->workers[i];
        pthread_mutex_lock(&w->lock);
        if (w->state != STATE_IDLE) {
            fill(w, first, w->state);
            fill(w, now, STATE_COLLECTING);
        }
        pthread_mutex_unlock(&w->lock);
    }
    __atomic_store_n(&s->collecting, NOT_COLLECTING, __ATOMIC_SEQ_CST);
}

// ---- A run ----------------------------------------------------------------------------------------

vm_states *vm_states_create(uint32_t workers, uint64_t every)
{
    vm_states *s = base_allocate(1, sizeof *s);
    *s = (vm_states){.every = every, .n = workers};
    s->workers = base_allocate(workers, sizeof *s->workers);
    for (uint32_t i = 0; i < workers; i++) {
        s->workers[i] = (worker_states){.state = STATE_IDLE, .every = 1};
        pthread_mutex_init(&s->workers[i].lock, NULL);
    }
    return s;
}

void vm_states_begin(vm_states *s)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    s->began = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    s->workers[0].state = STATE_BUSY; // at the first sample, too
    vm_states_join(s, 0);
    vm_memory_on_collection(note_collection, s);
}

void vm_states_end(void)
{
    vm_memory_on_collection(NULL, NULL);
    vm_state_enter(STATE_IDLE);
    __atomic_store_n(&joined->ended, passed(joined), __ATOMIC_RELEASE);
    joined = NULL;
    own = NULL;
}

void vm_states_destroy(vm_states *s)
{
    for (uint32_t i = 0; s && i < s->n; i++) {
        free(s->workers[i].runs.at);
        free(s->workers[i].ready.at);
        pthread_mutex_destroy(&s->workers[i].lock);
    }
    if (s)
        free(s->workers);
    free(s);
}

void vm_states_join(vm_states *s, uint32_t worker)
{
    joined = s;
    own = s ? &s->workers[worker] : NULL;
    vm_state_enter(STATE_BUSY);
}

uint64_t vm_states_due(vm_states *s)
{
    uint64_t ended = __atomic_load_n(&s->ended, __ATOMIC_ACQUIRE);
    uint64_t now = ended > 0 ? ended : passed(s);
    uint64_t collecting = __atomic_load_n(&s->collecting, __ATOMIC_SEQ_CST);
    return collecting != NOT_COLLECTING && collecting - 1 < now ? collecting - 1 : now;
}

// Moves the last n samples of the runs to *ret.
static void cut(vm_state_runs *runs, uint64_t n, vm_state_runs *ret)
{
    size_t kept = runs->n;
    uint64_t cut = 0;
    while (cut < n)
        cut += runs->at[--kept] >> 2;
    uint64_t left = cut - n; // of the run that is cut in two
    for (size_t i = kept; i < runs->n; i++)
        ARRAY_PUSH(*ret, runs->at[i] - (i == kept ? left << 2 : 0));
    runs->n = kept;
    if (left > 0)
        runs->at[runs->n++] = left << 2 | (ret->at[0] & 3);
}

void vm_states_take(vm_states *s, uint32_t worker, uint64_t until, vm_state_runs *ret)
{
    worker_states *w = &s->workers[worker];
    vm_state_runs later = {0};
    pthread_mutex_lock(&w->lock);
    fill(w, until, w->state);
    cut(&w->runs, w->next - until, &later);
    *ret = w->runs;
    w->runs = later;
    pthread_mutex_unlock(&w->lock);
}
