// SPDX-License-Identifier: MIT
//
// A checker of concurrent code: runs it under every schedule that makes a difference.
//
// The code under test is compiled with -fsanitize=thread, but not linked with that sanitizer:
// model_hooks.c stands for it. So every atomic operation of the real source, and every call of
// pthread_mutex and pthread_cond (renamed by the build), stops here, and the next thread to go on
// is chosen. Threads are coroutines of one system thread.
//
// What is explored (model.c): all schedules but for the order of operations that do not touch the
// same place (dynamic partial-order reduction after Flanagan and Godefroid, POPL 2005, with sleep
// sets). Stores other than sequentially consistent ones may be delayed in a store buffer, as x86
// does; such a buffer is scheduled like a thread.
//
// What is found: what the scenario itself checks (model_fail), deadlocks, runs without end, and
// data races in the sense of C11 (race.c): an access that is not atomic, beside another one that
// neither happens before nor after it. What is not: the effects of processors that reorder more
// than x86 does, but where they come down to such a race.
//
//     scenario() -- thread 0: makes the state, starts threads, waits for them, checks
#ifndef MODEL_H
#define MODEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    void (*scenario)(void);
    bool buffers;   // with store buffers
    bool quiet;     // does not show the schedule of a fault
    uint64_t limit; // executions at most; 0: all
    uint64_t seed;  // not 0: schedules at random, `limit` of them, instead of all
} model_options;

typedef struct {
    uint64_t executions; // that came to their end
    uint64_t pruned;     // broken off: the same as an earlier one from some point on
    uint64_t longest;    // steps of the longest
    bool complete;       // all that are different were run
    bool fault;
    char message[400];
} model_result;

void model_explore(const model_options *o, model_result *ret);

// ---- For the scenario -------------------------------------------------------------------------

void model_start(void (*function)(void *data), void *data); // a thread
void model_wait_for_all(void);                              // until all others ended
void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
// Zeroed memory; that of an execution is taken back at its end. Before model_explore(): kept.
void *model_alloc(size_t bytes);

// ---- For the code under test ------------------------------------------------------------------

int model_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *unused);
int model_mutex_lock(pthread_mutex_t *mutex);
int model_mutex_trylock(pthread_mutex_t *mutex);
int model_mutex_unlock(pthread_mutex_t *mutex);
int model_cond_init(pthread_cond_t *cond, const pthread_condattr_t *unused);
int model_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
// The first one of a thread times out at once, the others never do.
int model_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                         const struct timespec *unused);
int model_cond_signal(pthread_cond_t *cond);
int model_cond_broadcast(pthread_cond_t *cond);
int model_thread_create(pthread_t *ret, const pthread_attr_t *unused, void *(*function)(void *),
                        void *data);
int model_thread_join(pthread_t thread, void **ret);

#endif
