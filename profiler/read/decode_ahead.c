// SPDX-License-Identifier: MIT
//
// Chunk i is decoded in slot i modulo the number of slots, so a thread waits for a slot whose chunk
// was used. The thread that takes chunks decodes one itself when the next is not there yet.
#include "profiler/read/decode_ahead.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 7
#define SMALL       4 // so few tasks are not worth a thread

typedef enum { FREE, TAKEN, DONE } slot_state;

typedef struct {
    steps s;
    input in;
    slot_state state;
} slot;

// Task i goes to slot i modulo their number, so at most so many are decoded and not yet used.
struct pool {
    const pool_task *tasks;
    size_t n;
    bool trusting;
    unsigned nslots, nthreads;
    slot slots[2 * MAX_THREADS + 2];
    pthread_t threads[MAX_THREADS];
    pthread_mutex_t lock; // of all below, and of the states
    pthread_cond_t changed;
    size_t started; // tasks
    size_t used;    // those that were given, the last one included
    bool ended;
};

static void decode(pool *p, slot *x, const pool_task *task)
{
    chunk c;
    x->in.at = task->offset;
    const char *reason = trace_next_chunk(&x->in, p->trusting, &c);
    if (reason)
        trace_steps_refuse(&x->s, reason);
    else
        trace_steps_decode(&x->s, &c, task->tables);
}

// Starts the next task, if there is one whose slot is free. The caller holds the lock.
static bool start_task(pool *p)
{
    if (p->started == p->n)
        return false;
    size_t number = p->started;
    slot *x = &p->slots[number % p->nslots];
    if (x->state != FREE)
        return false;
    x->state = TAKEN;
    p->started++;
    pthread_mutex_unlock(&p->lock);
    decode(p, x, &p->tasks[number]);
    pthread_mutex_lock(&p->lock);
    x->state = DONE;
    pthread_cond_broadcast(&p->changed);
    return true;
}

static void *run(void *data)
{
    pool *p = data;
    pthread_mutex_lock(&p->lock);
    while (!p->ended && p->started < p->n)
        if (!start_task(p))
            pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

steps *trace_pool_next(pool *p)
{
    pthread_mutex_lock(&p->lock);
    if (p->used > 0) {
        p->slots[(p->used - 1) % p->nslots].state = FREE;
        pthread_cond_broadcast(&p->changed);
    }
    slot *x = &p->slots[p->used++ % p->nslots];
    while (x->state != DONE)
        if (!start_task(p))
            pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return &x->s;
}

static unsigned threads_wanted(size_t ntasks)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (ntasks < SMALL || processors < 2)
        return 0;
    return processors - 1 < MAX_THREADS ? (unsigned)processors - 1 : MAX_THREADS;
}

static void start_threads(pool *p, unsigned wanted)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (p->nthreads < wanted &&
           pthread_create(&p->threads[p->nthreads], NULL, run, p) == 0)
        p->nthreads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

pool *trace_pool_create(const trace *t, bool summing, const input *in, bool trusting,
                        const pool_task *tasks, size_t n)
{
    pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->tasks = tasks;
    p->n = n;
    p->trusting = trusting;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    unsigned wanted = threads_wanted(n);
    p->nslots = 2 * wanted + (wanted > 0 ? 2 : 1);
    bool good = true;
    for (unsigned i = 0; i < p->nslots; i++) {
        p->slots[i].in = trace_input_again(in);
        good = trace_steps_init(&p->slots[i].s, t, summing) && good;
    }
    if (!good) {
        trace_pool_destroy(p);
        return NULL;
    }
    start_threads(p, wanted);
    return p;
}

void trace_pool_destroy(pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->nthreads; i++)
        pthread_join(p->threads[i], NULL);
    for (unsigned i = 0; i < p->nslots; i++) {
        trace_steps_finish(&p->slots[i].s);
        trace_input_forget(&p->slots[i].in);
    }
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
