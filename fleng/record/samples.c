// SPDX-License-Identifier: MIT
//
// The engine notes what its workers do (vm/states.h); a thread writes the samples that are due, again
// and again, so that a run that is killed leaves those until shortly before. The thread uses no collected
// memory, and the collector does not stop it.
#include "fleng/record/samples.h"

#include "fleng/record/record.h"
#include "profiler/samples.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { REST = 200 }; // ms

struct fl_sampler {
    tw *writer;
    vm_states *states;
    uint32_t workers;
    uint64_t every;
    uint64_t written; // samples of each worker
    vm_state_runs *runs;     // of each worker, while they are written
    trace_sampled *sampled;  // likewise
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool stop; // under the lock
};

_Static_assert((int)STATE_BUSY == TRACE_BUSY && (int)STATE_LOOKING == TRACE_LOOKING &&
                   (int)STATE_IDLE == TRACE_IDLE && (int)STATE_COLLECTING == TRACE_COLLECTING,
               "the engine's states are those of the file");

static void write_due(fl_sampler *f)
{
    uint64_t due = vm_states_due(f->states);
    if (due <= f->written)
        return;
    for (uint32_t i = 0; i < f->workers; i++) {
        vm_states_take(f->states, i, due, &f->runs[i]);
        f->sampled[i] = (trace_sampled){(uint32_t)f->runs[i].n, f->runs[i].at};
    }
    tw_samples(f->writer, &(trace_samples){.every = f->every, .n = due - f->written,
                                           .nworkers = f->workers, .workers = f->sampled});
    for (uint32_t i = 0; i < f->workers; i++) {
        free(f->runs[i].at);
        f->runs[i] = (vm_state_runs){0};
    }
    f->written = due;
}

// False: the run is over.
static bool rest(fl_sampler *f)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += REST * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    pthread_mutex_lock(&f->lock);
    while (!f->stop && pthread_cond_timedwait(&f->woken, &f->lock, &t) == 0)
        ;
    bool goes_on = !f->stop;
    pthread_mutex_unlock(&f->lock);
    return goes_on;
}

static void *keep_writing(void *data)
{
    while (rest(data))
        write_due(data);
    return NULL;
}

static void make_lock(fl_sampler *f)
{
    pthread_condattr_t clock;
    pthread_mutex_init(&f->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&f->woken, &clock);
    pthread_condattr_destroy(&clock);
}

static void destroy(fl_sampler *f)
{
    vm_states_destroy(f->states);
    pthread_cond_destroy(&f->woken);
    pthread_mutex_destroy(&f->lock);
    free(f->runs);
    free(f->sampled);
    free(f);
}

fl_sampler *fl_sampler_create(const char *path, const fl_program *p, uint32_t workers, uint64_t every,
                              char **ret_error)
{
    fl_sampler *f = base_allocate(1, sizeof *f);
    *f = (fl_sampler){.workers = workers, .every = every};
    f->runs = base_allocate(workers, sizeof *f->runs);
    f->sampled = base_allocate(workers, sizeof *f->sampled);
    f->states = vm_states_create(workers, every);
    make_lock(f);
    trace_run run = {.clock = TRACE_REAL, .places = workers};
    f->writer = tw_create_as(path, BASE_OUTPUT_GROWS, &run,
                             p->nsources > 0 ? p->sources[0].name : "", ret_error);
    if (!f->writer) {
        destroy(f);
        return NULL;
    }
    fl_write_sources(f->writer, p);
    return f;
}

vm_states *fl_sampler_states(fl_sampler *f)
{
    return f->states;
}

// Signals are for the run. Without a thread all samples are written at the end.
void fl_sampler_begin(fl_sampler *f)
{
    sigset_t all, before;
    vm_states_begin(f->states);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    f->threaded = pthread_create(&f->thread, NULL, keep_writing, f) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void fl_sampler_end(fl_sampler *f)
{
    vm_states_end();
    pthread_mutex_lock(&f->lock);
    f->stop = true;
    pthread_cond_signal(&f->woken);
    pthread_mutex_unlock(&f->lock);
    if (f->threaded)
        pthread_join(f->thread, NULL);
    write_due(f);
}

bool fl_sampler_finish(fl_sampler *f, vm_ending ending, int status, const char *message,
                       char **ret_error)
{
    bool good = tw_finish(f->writer, fl_trace_ending(ending), status, TRACE_NONE,
                          message ? message : "", ret_error);
    destroy(f);
    return good;
}
