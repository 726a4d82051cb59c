// SPDX-License-Identifier: MIT
//
// The thread that writes the run so far, again and again, and once more when the process is about to crash.
#include "fleng/record/snapshots.h"

#include "base/output.h"
#include "fleng/record/recorder.h"
#include "vm/memory.h"
#include "vm/run.h"
#include "vm/thread.h"

#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SHORTEST_REST = 1000 }; // ms
enum { RESTS = 19 };         // times as long as it works
enum { NICENESS = 5 };       // the workers go first, where processors are few
enum { LONGEST_RESCUE = 20000, LOOK = 10 }; // ms

struct fl_keeper {
    fl_recorder *recorder;
    const vm_machine *machine;
    pthread_t thread;
    sem_t woken;
    bool stop;             // atomic
    bool crashed, rescued; // atomic: a thread of the process is lost; the last version is written
    bool versions;         // there was one; the thread's until it has ended
};

static int64_t milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

// False: the run is over.
static bool rest(fl_keeper *k, int64_t ms)
{
    int64_t end = milliseconds() + ms;
    struct timespec t = {.tv_sec = end / 1000, .tv_nsec = end % 1000 * 1000000};
    while (!is_set(&k->stop) && !is_set(&k->crashed) && milliseconds() < end)
        sem_clockwait(&k->woken, CLOCK_MONOTONIC, &t);
    return !is_set(&k->stop);
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
        bool last = is_set(&k->crashed);
        uint64_t reductions = vm_reductions(k->machine);
        int64_t begun = milliseconds();
        if (reductions != written) {
            k->versions = true;
            write_version(k);
        }
        if (last) {
            set(&k->rescued);
            return;
        }
        written = reductions;
        int64_t longer = RESTS * (milliseconds() - begun);
        ms = longer > SHORTEST_REST ? longer : SHORTEST_REST;
    }
}

// ---- Crashes ------------------------------------------------------------------------------------

static fl_keeper *saviour; // atomic

// The thread that crashes waits until the keeper has written what there is. The keeper may need something
// that this thread had locked, or crash itself: then the version before is the last one. Threads that crash
// meanwhile wait for the same version.
static void rescue(fl_keeper *k, int number)
{
    int64_t end = milliseconds() + LONGEST_RESCUE;
    vm_interrupt(number);
    set(&k->crashed);
    sem_post(&k->woken);
    while (!is_set(&k->rescued) && milliseconds() < end)
        nanosleep(&(struct timespec){.tv_nsec = LOOK * 1000000}, NULL);
    base_output_remove_parts();
}

// What somebody sends for the first time is no crash: the run can end in good order.
static void on_crash(int number, siginfo_t *info, void *unused)
{
    static sig_atomic_t sent;
    (void)unused;
    if (info->si_code == SI_USER && !__atomic_exchange_n(&sent, 1, __ATOMIC_RELAXED)) {
        vm_interrupt(number);
        return;
    }
    fl_keeper *k = __atomic_load_n(&saviour, __ATOMIC_ACQUIRE);
    if (k && !pthread_equal(pthread_self(), k->thread))
        rescue(k, number);
    signal(number, SIG_DFL);
    raise(number);
}

// Sanitizers have handlers of their own.
static void mind_crashes(fl_keeper *k)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    __atomic_store_n(&saviour, k, __ATOMIC_RELEASE);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now, action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO};
        sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}

fl_keeper *fl_keeper_create(fl_recorder *r, const vm_machine *m)
{
    fl_keeper *k = vm_alloc(sizeof *k);
    *k = (fl_keeper){.recorder = r, .machine = m};
    sem_init(&k->woken, 0, 0);
    if (!vm_start_thread(&k->thread, keep, k))
        return NULL;
    mind_crashes(k);
    return k;
}

bool fl_keeper_stop(fl_keeper *k)
{
    __atomic_store_n(&saviour, NULL, __ATOMIC_RELEASE);
    set(&k->stop);
    sem_post(&k->woken);
    pthread_join(k->thread, NULL);
    return k->versions;
}
