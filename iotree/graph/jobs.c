// SPDX-License-Identifier: MIT
//
// A few threads that take one job after the other. Each job may need as much memory as the run is
// long, so there are few of them, however many processors there are.
#include "iotree/graph/jobs.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { MOST_THREADS = 4 };

typedef struct {
    uint32_t n;
    void (*run)(void *data, uint32_t job);
    void *data;
    uint32_t next; // job
    bool stopped;
} job_list;

// The next job; n: there are no more.
static uint32_t take_job(job_list *l)
{
    if (__atomic_load_n(&l->stopped, __ATOMIC_RELAXED))
        return l->n;
    uint32_t job = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);
    return job < l->n ? job : l->n;
}

static void *take_jobs(void *list)
{
    job_list *l = list;
    for (uint32_t job; (job = take_job(l)) < l->n;)
        l->run(l->data, job);
    return NULL;
}

static uint32_t jobs_at_once(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors < MOST_THREADS ? (uint32_t)processors : MOST_THREADS;
}

// Without signals, which are the program's. A thread that cannot be had is done without.
static uint32_t start_threads(job_list *l, pthread_t *threads, uint32_t wanted)
{
    sigset_t all, before;
    uint32_t n = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n < wanted && pthread_create(&threads[n], NULL, take_jobs, l) == 0)
        n++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

bool iot_run_jobs(uint32_t n, void (*run)(void *data, uint32_t job),
                  bool (*tell)(void *data, uint32_t begun), void *data)
{
    job_list l = {.n = n, .run = run, .data = data, .next = 1};
    pthread_t threads[MOST_THREADS];
    uint32_t at_once = jobs_at_once();
    uint32_t nthreads = n < 2 ? 0 : start_threads(&l, threads, (n < at_once ? n : at_once) - 1);
    for (uint32_t job = 0; job < n; job = take_job(&l)) {
        if (tell && !tell(data, job)) {
            __atomic_store_n(&l.stopped, true, __ATOMIC_RELAXED);
            break;
        }
        run(data, job);
    }
    for (uint32_t i = 0; i < nthreads; i++)
        pthread_join(threads[i], NULL);
    return !l.stopped;
}
