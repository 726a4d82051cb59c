// SPDX-License-Identifier: MIT
//
// More functions in which a thread of the program may wait: those with a clock or a limit, of C11, for what
// is done once, for other processes and for signals.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "kpx-bridge/log/thread_kinds.h"
#include "kpx-bridge/recorder/recorder.h"
#include "kpx-bridge/recorder/waiting.h"

#pragma GCC visibility push(default)

#define EACH_NEXT(x)                                                                               \
    x(pthread_mutex_trylock) x(pthread_mutex_clocklock)                                            \
    x(pthread_rwlock_tryrdlock) x(pthread_rwlock_trywrlock)                                        \
    x(pthread_rwlock_timedrdlock) x(pthread_rwlock_timedwrlock)                                    \
    x(pthread_rwlock_clockrdlock) x(pthread_rwlock_clockwrlock)                                    \
    x(sem_trywait) x(sem_clockwait) x(pthread_timedjoin_np) x(pthread_clockjoin_np)                \
    x(pthread_once)                                                                                \
    x(mtx_lock) x(mtx_trylock) x(mtx_timedlock) x(mtx_unlock)                                      \
    x(cnd_wait) x(cnd_timedwait) x(cnd_signal) x(cnd_broadcast)                                    \
    x(thrd_create) x(thrd_join) x(thrd_sleep)                                                      \
    x(wait) x(waitpid) x(wait3) x(wait4) x(waitid) x(system) x(pclose)                             \
    x(pause) x(sigsuspend) x(sigwait) x(sigwaitinfo) x(sigtimedwait) x(ppoll) x(pselect) x(epoll_pwait) \
    x(flock) x(fcntl) x(lockf)

KPX_NEXT_OF(EACH_NEXT)

// ---- With a clock or a limit ----------------------------------------------------------------

#define LIMITED(name, attempt, type, parameters, arguments)                                        \
    int name parameters                                                                            \
    {                                                                                              \
        int tried = NEXT(attempt)(lock);                                                           \
        return tried != EBUSY ? tried : BLOCK(KPX_BLOCK_LOCK, (const void *)lock, NEXT(name) arguments); \
    }
LIMITED(pthread_mutex_clocklock, pthread_mutex_trylock, pthread_mutex_t,
        (pthread_mutex_t *lock, clockid_t clock, const struct timespec *until), (lock, clock, until))
LIMITED(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t,
        (pthread_rwlock_t *lock, const struct timespec *until), (lock, until))
LIMITED(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, pthread_rwlock_t,
        (pthread_rwlock_t *lock, const struct timespec *until), (lock, until))
LIMITED(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t,
        (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until), (lock, clock, until))
LIMITED(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, pthread_rwlock_t,
        (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until), (lock, clock, until))

int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
    int error = errno;
    if (NEXT(sem_trywait)(s) == 0)
        return 0;
    errno = error;
    return BLOCK(KPX_BLOCK_SEMAPHORE, s, NEXT(sem_clockwait)(s, clock, until));
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    return BLOCK(KPX_BLOCK_JOIN, (const void *)(uintptr_t)thread,
                 NEXT(pthread_timedjoin_np)(thread, result, until));
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
    return BLOCK(KPX_BLOCK_JOIN, (const void *)(uintptr_t)thread,
                 NEXT(pthread_clockjoin_np)(thread, result, clock, until));
}

// ---- Once -----------------------------------------------------------------------------------

// What the innermost pthread_once() of the thread is to do.
static __thread struct {
    void (*body)(void);
    const void *control;
    const void *address;
} once;

// The others go on when this returns.
static void do_once(void)
{
    const void *control = once.control, *address = once.address;
    once.body();
    kpx_wakes(KPX_BLOCK_FUTEX, control, address);
}

enum { IN_PROGRESS = 1, DONE = 2 }; // bits of glibc's control

int pthread_once(pthread_once_t *control, void (*body)(void))
{
    int state = __atomic_load_n((int *)control, __ATOMIC_ACQUIRE);
    if ((state & DONE) || kpx_inside)
        return NEXT(pthread_once)(control, body);
    if (state & IN_PROGRESS)
        return BLOCK(KPX_BLOCK_FUTEX, (const void *)control, NEXT(pthread_once)(control, body));
    __typeof__(once) before = once;
    once.body = body;
    once.control = control;
    once.address = HERE;
    int result = NEXT(pthread_once)(control, do_once);
    once = before;
    return result;
}

// ---- C11 ------------------------------------------------------------------------------------

int mtx_lock(mtx_t *m)
{
    int tried = NEXT(mtx_trylock)(m);
    return tried != thrd_busy ? tried : BLOCK(KPX_BLOCK_LOCK, m, NEXT(mtx_lock)(m));
}

int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
    int tried = NEXT(mtx_trylock)(m);
    return tried != thrd_busy ? tried : BLOCK(KPX_BLOCK_LOCK, m, NEXT(mtx_timedlock)(m, until));
}

int mtx_unlock(mtx_t *m)
{
    kpx_wakes(KPX_BLOCK_LOCK, m, HERE);
    return NEXT(mtx_unlock)(m);
}

int cnd_wait(cnd_t *c, mtx_t *m)
{
    kpx_wakes(KPX_BLOCK_LOCK, m, HERE);
    return BLOCK(KPX_BLOCK_CONDITION, c, NEXT(cnd_wait)(c, m));
}

int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until)
{
    kpx_wakes(KPX_BLOCK_LOCK, m, HERE);
    return BLOCK(KPX_BLOCK_CONDITION, c, NEXT(cnd_timedwait)(c, m, until));
}

int cnd_signal(cnd_t *c)
{
    kpx_wakes(KPX_BLOCK_CONDITION, c, HERE);
    return NEXT(cnd_signal)(c);
}

int cnd_broadcast(cnd_t *c)
{
    kpx_wakes(KPX_BLOCK_CONDITION, c, HERE);
    return NEXT(cnd_broadcast)(c);
}

static int begin(void *data)
{
    kpx_thread_start s = *(kpx_thread_start *)data;
    int result;
    free(data);
    kpx_thread_begins(&s);
    pthread_cleanup_push(kpx_thread_ends, NULL);
    result = s.body_of_c11(s.argument);
    pthread_cleanup_pop(1);
    return result;
}

int thrd_create(thrd_t *thread, thrd_start_t body, void *argument)
{
    const void *place = kpx_inside || !kpx_is_recording() ? NULL : kpx_place_of(HERE);
    kpx_thread_start *s = place ? kpx_make_thread(place, (uintptr_t)body, 0, argument) : NULL;
    if (!s)
        return NEXT(thrd_create)(thread, body, argument);
    s->body_of_c11 = body;
    kpx_inside++;
    int result = NEXT(thrd_create)(thread, begin, s);
    kpx_inside--;
    if (result != thrd_success)
        free(s);
    return result;
}

int thrd_join(thrd_t thread, int *status)
{
    return BLOCK(KPX_BLOCK_JOIN, (const void *)(uintptr_t)thread, NEXT(thrd_join)(thread, status));
}

int thrd_sleep(const struct timespec *time, struct timespec *rest)
{
    return BLOCK(KPX_BLOCK_SLEEP, (const void *)0, NEXT(thrd_sleep)(time, rest));
}

// ---- Other processes --------------------------------------------------------------------------

SLOW(pid_t, wait, (int *status), (status))
SLOW(pid_t, waitpid, (pid_t child, int *status, int options), (child, status, options))
SLOW(pid_t, wait3, (int *status, int options, struct rusage *used), (status, options, used))
SLOW(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *used),
     (child, status, options, used))
SLOW(int, waitid, (idtype_t kind, id_t child, siginfo_t *info, int options), (kind, child, info, options))
SLOW(int, system, (const char *command), (command))
SLOW(int, pclose, (FILE *file), (file))

// ---- Signals, and what a signal may end ---------------------------------------------------------

// timeout(1) and shells wait for their children so.
SLOW(int, pause, (void), ())
SLOW(int, sigsuspend, (const sigset_t *mask), (mask))
SLOW(int, sigwait, (const sigset_t *set, int *number), (set, number))
SLOW(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))
SLOW(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *time),
     (set, info, time))
SLOW(int, ppoll, (struct pollfd *files, nfds_t n, const struct timespec *time, const sigset_t *mask),
     (files, n, time, mask))
SLOW(int, pselect,
     (int n, fd_set *in, fd_set *out, fd_set *bad, const struct timespec *time, const sigset_t *mask),
     (n, in, out, bad, time, mask))
SLOW(int, epoll_pwait, (int file, struct epoll_event *to, int n, int time, const sigset_t *mask),
     (file, to, n, time, mask))
SLOW(int, flock, (int file, int operation), (file, operation))

// ---- Locks of parts of files ------------------------------------------------------------------

// Programs have these functions under two names, of which headers choose one.
#define NAMED(symbol) __asm__(symbol)
int lock_part(int file, int operation, off_t n) NAMED("lockf");
int lock_part_64(int file, int operation, off_t n) NAMED("lockf64");
int control(int file, int command, ...) NAMED("fcntl");
int control_64(int file, int command, ...) NAMED("fcntl64");

static int lock_slowly(int file, int operation, off_t n, const void *place)
{
    uint64_t since = kpx_now();
    int result = NEXT(lockf)(file, operation, n);
    kpx_tell_slow(since, place);
    return result;
}

int lock_part(int file, int operation, off_t n)
{
    return lock_slowly(file, operation, n, HERE);
}

int lock_part_64(int file, int operation, off_t n)
{
    return lock_slowly(file, operation, n, HERE);
}

// Of all that it does only these wait.
static bool waits(int command)
{
    return command == F_SETLKW || command == F_OFD_SETLKW;
}

static int control_slowly(int file, int command, void *argument, const void *place)
{
    if (!waits(command))
        return NEXT(fcntl)(file, command, argument);
    uint64_t since = kpx_now();
    int result = NEXT(fcntl)(file, command, argument);
    kpx_tell_slow(since, place);
    return result;
}

#define CONTROL(name)                                                                              \
    int name(int file, int command, ...)                                                           \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, command);                                                                   \
        void *argument = va_arg(list, void *);                                                     \
        va_end(list);                                                                              \
        return control_slowly(file, command, argument, HERE);                                      \
    }
CONTROL(control)
CONTROL(control_64)
