// SPDX-License-Identifier: MIT
//
// The thread that writes output in time. The collector does not know it: so a collection does not
// hold it up, and it must not allocate.
#include "vm/engine/flusher.h"

#include "vm/memory.h"
#include "vm/run.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

enum { NAP_NS = 50000000 };

struct vm_flusher {
    void (*write)(void *data);
    void *data;
    pthread_mutex_t lock; // of the buffers, and of what follows
    pthread_cond_t woken;
    pthread_t thread;
    bool started, failed; // there is a thread; there will be none
    bool pending;         // something is in a buffer
    bool stop;
};

static struct timespec end_of_nap(void)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += NAP_NS;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    return end;
}

static void *work(void *data)
{
    vm_flusher *f = data;
    pthread_mutex_lock(&f->lock);
    while (!f->stop) {
        while (!f->pending && !f->stop)
            pthread_cond_wait(&f->woken, &f->lock);
        struct timespec end = end_of_nap();
        while (!f->stop && pthread_cond_timedwait(&f->woken, &f->lock, &end) == 0)
            ;
        f->pending = false;
        if (!f->stop)
            f->write(f->data);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

vm_flusher *vm_flusher_create(void (*write)(void *data), void *data)
{
    vm_flusher *f = vm_alloc(sizeof *f);
    pthread_condattr_t attributes;
    f->write = write;
    f->data = data;
    pthread_mutex_init(&f->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&f->woken, &attributes);
    pthread_condattr_destroy(&attributes);
    return f;
}

void vm_flusher_lock(vm_flusher *f)
{
    if (f)
        pthread_mutex_lock(&f->lock);
}

void vm_flusher_unlock(vm_flusher *f)
{
    if (f)
        pthread_mutex_unlock(&f->lock);
}

// Signals are for the threads of the run.
static void start(vm_flusher *f)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGPIPE); // a write of its own raises it
    sigdelset(&all, SIGXFSZ);
    sigdelset(&all, VM_NOBODY_READS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    f->started = pthread_create(&f->thread, NULL, work, f) == 0;
    f->failed = !f->started;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void vm_flusher_wake(vm_flusher *f)
{
    if (!f || f->pending || f->stop)
        return;
    f->pending = true;
    if (!f->started && !f->failed)
        start(f);
    pthread_cond_signal(&f->woken);
}

void vm_flusher_stop(vm_flusher *f)
{
    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    bool started = f->started;
    f->stop = true;
    f->started = false;
    pthread_cond_signal(&f->woken);
    pthread_mutex_unlock(&f->lock);
    if (started)
        pthread_join(f->thread, NULL);
}
