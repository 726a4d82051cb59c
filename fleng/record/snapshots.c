// SPDX-License-Identifier: MIT
//
// The thread that writes the run so far, again and again.
#include "fleng/record/snapshots.h"

#include "fleng/record/recorder.h"
#include "vm/memory.h"
#include "vm/run.h"
#include "vm/thread.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SHORTEST_REST = 1000 }; // ms
enum { RESTS = 19 };         // times as long as it works
enum { NICENESS = 5 };       // the workers go first, where processors are few

struct fl_keeper {
    fl_recorder *recorder;
    const vm_machine *machine;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool stop;     // atomic, set under the lock
    bool versions; // there was one; the thread's until it has ended
};

static int64_t milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// False: the run is over.
static bool rest(fl_keeper *k, int64_t ms)
{
    int64_t end = milliseconds() + ms;
    struct timespec t = {.tv_sec = end / 1000, .tv_nsec = end % 1000 * 1000000};
    pthread_mutex_lock(&k->lock);
    while (!k->stop && milliseconds() < end)
        pthread_cond_timedwait(&k->woken, &k->lock, &t);
    bool goes_on = !k->stop;
    pthread_mutex_unlock(&k->lock);
    return goes_on;
}

static void write_version(fl_keeper *k)
{
    char *error = NULL;
    fl_recorder *r = fl_recorder_version(k->recorder, &error);
    if (r && fl_write_so_far(r, k->machine, &k->stop))
        tw_leave(r->writer, &error);
    else if (r)
        tw_abandon(r->writer);
    free(error); // the final trace will tell
}

static void keep(void *data)
{
    fl_keeper *k = data;
    uint64_t written = 0;
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS); // of this thread and those it begins
    for (int64_t ms = SHORTEST_REST; rest(k, ms);) {
        uint64_t reductions = vm_reductions(k->machine);
        int64_t begun = milliseconds();
        if (reductions != written) {
            k->versions = true;
            write_version(k);
        }
        written = reductions;
        int64_t longer = RESTS * (milliseconds() - begun);
        ms = longer > SHORTEST_REST ? longer : SHORTEST_REST;
    }
}

fl_keeper *fl_keeper_create(fl_recorder *r, const vm_machine *m)
{
    fl_keeper *k = vm_alloc(sizeof *k);
    *k = (fl_keeper){.recorder = r, .machine = m};
    pthread_mutex_init(&k->lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&k->woken, &clock);
    pthread_condattr_destroy(&clock);
    return vm_start_thread(&k->thread, keep, k) ? k : NULL;
}

bool fl_keeper_stop(fl_keeper *k)
{
    pthread_mutex_lock(&k->lock);
    __atomic_store_n(&k->stop, true, __ATOMIC_RELAXED);
    pthread_cond_signal(&k->woken);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
    return k->versions;
}
