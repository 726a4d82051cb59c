// SPDX-License-Identifier: MIT
//
// The recorder for threads is preloaded. It interposes the functions in which a thread of the program may
// wait: locks, condition variables, semaphores, barriers, joins, sleeps, input and output. Only waiting is
// recorded: a lock that is free costs a call more. Whoever ends the waiting of others records that only
// if somebody waits at an object with the same hash.
//
// Calls by the runtimes of OpenMP and MPI, by the C library and by recorders are none of the program.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "kpx-bridge/log/thread_kinds.h"
#include "kpx-bridge/recorder/recorder.h"
#include "kpx-bridge/recorder/waiting.h"

#pragma GCC visibility push(default)

// The function behind this one. Condition variables have two versions; programs use the newer one.
void *kpx_find_next(const char *name)
{
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return found ? found : dlsym(RTLD_NEXT, name);
}

// The functions of the C library behind those of this file.
#define EACH_NEXT(x)                                                                               \
    x(pthread_mutex_lock) x(pthread_mutex_trylock) x(pthread_mutex_timedlock) x(pthread_mutex_unlock) \
    x(pthread_rwlock_rdlock) x(pthread_rwlock_tryrdlock) x(pthread_rwlock_wrlock)                  \
    x(pthread_rwlock_trywrlock) x(pthread_rwlock_unlock)                                           \
    x(pthread_spin_lock) x(pthread_spin_trylock) x(pthread_spin_unlock)                            \
    x(pthread_cond_wait) x(pthread_cond_timedwait) x(pthread_cond_clockwait)                       \
    x(pthread_cond_signal) x(pthread_cond_broadcast)                                               \
    x(sem_wait) x(sem_trywait) x(sem_timedwait) x(sem_post) x(pthread_barrier_wait)                \
    x(pthread_create) x(pthread_join) x(nanosleep) x(clock_nanosleep) x(sleep) x(usleep)           \
    x(read) x(write) x(pread) x(pwrite) x(recv) x(send) x(poll) x(select) x(epoll_wait) x(fsync)   \
    x(accept) x(connect) x(fread) x(fwrite) x(fgets) x(fflush) x(syscall)

KPX_NEXT_OF(EACH_NEXT)

// ---- Whose calls count ----------------------------------------------------------------------

// A call of the C++ library that calls the functions below: its place is the program's.
static __thread const void *outer_call;
__thread int kpx_inside;

typedef enum { OTHERS = 0, PROGRAM = 1, CPP_LIBRARY = 2 } caller_kind;

enum { CALLERS = 1024 };
static uintptr_t callers[CALLERS]; // return addresses << 2 | caller_kind

// The path of the library with this address; empty for the program. Takes no lock.
static const char *path_of(const void *address)
{
    struct dl_find_object found;
    return _dl_find_object((void *)(uintptr_t)address, &found) == 0 ? found.dlfo_link_map->l_name : "";
}

static caller_kind kind_of_caller(const void *address)
{
    const char *path = path_of(address);
    // A function of the C++ library may end in a jump: that returns to the one of this file around it.
    if (strstr(path, "/libstdc++") || strstr(path, "/libkpx-threads"))
        return CPP_LIBRARY;
    bool of_system = strncmp(path, "/usr/lib", 8) == 0 || strncmp(path, "/lib", 4) == 0;
    return of_system || strstr(path, "/libkpx-") || strstr(path, "/libomp") || strstr(path, "/libgomp") ||
                   strstr(path, "/libmpi")
               ? OTHERS
               : PROGRAM;
}

static caller_kind caller(const void *address)
{
    uintptr_t *slot = &callers[((uintptr_t)address ^ (uintptr_t)address >> 10) % CALLERS];
    uintptr_t known = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (known >> 2 != (uintptr_t)address) {
        known = (uintptr_t)address << 2 | kind_of_caller(address);
        __atomic_store_n(slot, known, __ATOMIC_RELAXED);
    }
    return (caller_kind)(known & 3);
}

// The place of the call if it is the program's, else NULL.
const void *kpx_place_of(const void *address)
{
    caller_kind kind = caller(address);
    if (kind == CPP_LIBRARY)
        return outer_call && caller(outer_call) == PROGRAM ? outer_call : NULL;
    return kind == PROGRAM ? address : NULL;
}

// ---- Waiting and waking ---------------------------------------------------------------------

enum { SLOTS = 1024 };
static uint32_t waiting[SLOTS]; // threads that wait at objects of each hash

static uint32_t *slot_of(const void *object)
{
    return &waiting[((uintptr_t)object >> 3 ^ (uintptr_t)object >> 12) % SLOTS];
}

bool kpx_wait_begins(uint16_t kind, const void *object, const void *address)
{
    const void *place = kpx_inside || !kpx_is_recording() ? NULL : kpx_place_of(address);
    if (!place)
        return false;
    kpx_inside++;
    __atomic_add_fetch(slot_of(object), 1, __ATOMIC_SEQ_CST);
    kpx_put(KPX_BLOCK_BEGIN, kind, 0, (uintptr_t)object, (uintptr_t)place);
    kpx_inside--;
    return true;
}

// Locks that the thread waited for and has now. That it gives one back is recorded in any case.
enum { HELD = 8 };
static __thread struct {
    const void *at[HELD];
    uint32_t n;
} held;

// False: there are too many.
static bool holds(const void *lock)
{
    if (held.n == HELD)
        return false;
    held.at[held.n++] = lock;
    return true;
}

void kpx_wait_ends(bool begun, uint16_t kind, const void *object, bool in_vain)
{
    if (!begun)
        return;
    int error = errno;
    kpx_inside++;
    bool is_held = kind == KPX_BLOCK_LOCK && !in_vain && holds(object);
    kpx_put(KPX_BLOCK_END, kind, is_held, (uintptr_t)object, 0);
    __atomic_sub_fetch(slot_of(object), 1, __ATOMIC_RELAXED);
    kpx_inside--;
    errno = error;
}

static bool gives_back(const void *object)
{
    for (uint32_t i = 0; i < held.n; i++)
        if (held.at[i] == object) {
            held.at[i] = held.at[--held.n];
            return true;
        }
    return false;
}

void kpx_wakes(uint16_t kind, const void *object, const void *address)
{
    bool waits = __atomic_load_n(slot_of(object), __ATOMIC_RELAXED) != 0;
    if (__builtin_expect(!waits && held.n == 0, 1) || kpx_inside || (!gives_back(object) && !waits))
        return;
    kpx_inside++;
    kpx_put(KPX_WAKE, kind, 0, (uintptr_t)object, (uintptr_t)address);
    kpx_inside--;
}

// ---- Locks ----------------------------------------------------------------------------------

// A lock that is free is taken by the attempt.
#define LOCK(name, attempt, type)                                                                  \
    int name(type *lock)                                                                           \
    {                                                                                              \
        int tried = NEXT(attempt)(lock);                                                           \
        return tried != EBUSY ? tried : BLOCK(KPX_BLOCK_LOCK, (const void *)lock, NEXT(name)(lock)); \
    }
LOCK(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)
LOCK(pthread_spin_lock, pthread_spin_trylock, pthread_spinlock_t)

#define UNLOCK(name, type)                                                                         \
    int name(type *lock)                                                                           \
    {                                                                                              \
        kpx_wakes(KPX_BLOCK_LOCK, (const void *)lock, HERE);                                           \
        return NEXT(name)(lock);                                                                   \
    }
UNLOCK(pthread_mutex_unlock, pthread_mutex_t)
UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t)
UNLOCK(pthread_spin_unlock, pthread_spinlock_t)

int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    int tried = NEXT(pthread_mutex_trylock)(m);
    return tried != EBUSY ? tried : BLOCK(KPX_BLOCK_LOCK, m, NEXT(pthread_mutex_timedlock)(m, until));
}

// ---- Condition variables, semaphores, barriers ----------------------------------------------

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    kpx_wakes(KPX_BLOCK_LOCK, m, HERE);
    return BLOCK(KPX_BLOCK_CONDITION, c, NEXT(pthread_cond_wait)(c, m));
}

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    kpx_wakes(KPX_BLOCK_LOCK, m, HERE);
    return BLOCK(KPX_BLOCK_CONDITION, c, NEXT(pthread_cond_timedwait)(c, m, until));
}

int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                           const struct timespec *until)
{
    kpx_wakes(KPX_BLOCK_LOCK, m, HERE);
    return BLOCK(KPX_BLOCK_CONDITION, c, NEXT(pthread_cond_clockwait)(c, m, clock, until));
}

int pthread_cond_signal(pthread_cond_t *c)
{
    kpx_wakes(KPX_BLOCK_CONDITION, c, HERE);
    return NEXT(pthread_cond_signal)(c);
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
    kpx_wakes(KPX_BLOCK_CONDITION, c, HERE);
    return NEXT(pthread_cond_broadcast)(c);
}

int sem_wait(sem_t *s)
{
    int error = errno;
    if (NEXT(sem_trywait)(s) == 0)
        return 0;
    errno = error;
    return BLOCK(KPX_BLOCK_SEMAPHORE, s, NEXT(sem_wait)(s));
}

int sem_timedwait(sem_t *s, const struct timespec *until)
{
    int error = errno;
    if (NEXT(sem_trywait)(s) == 0)
        return 0;
    errno = error;
    return BLOCK(KPX_BLOCK_SEMAPHORE, s, NEXT(sem_timedwait)(s, until));
}

int sem_post(sem_t *s)
{
    kpx_wakes(KPX_BLOCK_SEMAPHORE, s, HERE);
    return NEXT(sem_post)(s);
}

int pthread_barrier_wait(pthread_barrier_t *b)
{
    return BLOCK(KPX_BLOCK_BARRIER, b, NEXT(pthread_barrier_wait)(b));
}

// ---- Threads --------------------------------------------------------------------------------

static uint64_t made;

typedef struct {
    uintptr_t address;
    bool found;
} code_search;

static int is_in_object(struct dl_phdr_info *object, size_t size, void *data)
{
    code_search *s = data;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum && !s->found; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + part->p_vaddr;
        s->found = part->p_type == PT_LOAD && (part->p_flags & PF_X) && s->address >= from &&
                   s->address - from < part->p_memsz;
    }
    return s->found;
}

enum { WORDS = 8 }; // of a state of std::thread that are looked at

// std::thread keeps what the thread runs behind the table of virtual functions: arguments, from the last one
// to the first, and the function, if it is one. The first word that is an address of code; whether it is a
// function, and whether the state has any, the converter knows. Nobody tells how large the state is, so the
// kernel copies.
static uintptr_t function_in_state(const void *state)
{
    uintptr_t words[WORDS] = {0};
    struct iovec from = {(void *)((uintptr_t)state + sizeof *words), sizeof words};
    struct iovec to = {words, sizeof words};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) < (ssize_t)sizeof *words)
        return 0;
    for (int i = 0; i < WORDS; i++) {
        code_search s = {.address = words[i]};
        if (words[i] != 0)
            dl_iterate_phdr(is_in_object, &s);
        if (s.found)
            return words[i];
    }
    return 0;
}

kpx_thread_start *kpx_make_thread(const void *place, uintptr_t place_of_body, uintptr_t function,
                                  void *argument)
{
    kpx_thread_start *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (kpx_thread_start){.argument = argument, .place = place_of_body,
                            .number = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED)};
    kpx_inside++;
    kpx_put_always(KPX_THREAD_MADE, 0, (uint32_t)s->number, function, (uintptr_t)place);
    kpx_inside--;
    return s;
}

void kpx_thread_ends(void *nothing)
{
    (void)nothing;
    kpx_inside++;
    kpx_put_always(KPX_THREAD_ENDS, 0, 0, (uintptr_t)pthread_self(), 0);
    kpx_inside--;
}

void kpx_thread_begins(const kpx_thread_start *s)
{
    kpx_inside++;
    kpx_put_always(KPX_THREAD_STARTS, 0, (uint32_t)s->number, (uintptr_t)pthread_self(), s->place + 1);
    kpx_inside--;
}

static void *begin(void *data)
{
    kpx_thread_start s = *(kpx_thread_start *)data;
    void *result;
    free(data);
    kpx_thread_begins(&s);
    pthread_cleanup_push(kpx_thread_ends, NULL);
    result = s.body(s.argument);
    pthread_cleanup_pop(1);
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    const void *place = kpx_inside || !kpx_is_recording() ? NULL : kpx_place_of(HERE);
    // std::thread: its third virtual function runs the program's.
    void *const *const *state = argument;
    bool cpp = place && state && strstr(path_of((const char *)body), "/libstdc++");
    uintptr_t place_of_body = cpp ? (uintptr_t)(*state)[2] : (uintptr_t)body;
    uintptr_t function = cpp ? function_in_state(argument) : 0;
    kpx_thread_start *s = place ? kpx_make_thread(place, place_of_body, function, argument) : NULL;
    if (!s)
        return NEXT(pthread_create)(thread, attributes, body, argument);
    s->body = body;
    kpx_inside++;
    int result = NEXT(pthread_create)(thread, attributes, begin, s);
    kpx_inside--;
    if (result != 0)
        free(s);
    return result;
}

int pthread_join(pthread_t thread, void **result)
{
    return BLOCK(KPX_BLOCK_JOIN, (const void *)(uintptr_t)thread, NEXT(pthread_join)(thread, result));
}

// ---- Sleep ----------------------------------------------------------------------------------

#define NOTHING ((const void *)0)

int nanosleep(const struct timespec *time, struct timespec *rest)
{
    return BLOCK(KPX_BLOCK_SLEEP, NOTHING, NEXT(nanosleep)(time, rest));
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
    return BLOCK(KPX_BLOCK_SLEEP, NOTHING, NEXT(clock_nanosleep)(clock, flags, time, rest));
}

unsigned sleep(unsigned seconds)
{
    return BLOCK(KPX_BLOCK_SLEEP, NOTHING, NEXT(sleep)(seconds));
}

int usleep(useconds_t time)
{
    return BLOCK(KPX_BLOCK_SLEEP, NOTHING, NEXT(usleep)(time));
}

// ---- Input and output -----------------------------------------------------------------------

#define SHORT 20000u // nanoseconds: what takes less has not waited

void kpx_tell_slow(uint64_t since, const void *address)
{
    uint64_t now = kpx_now();
    bool slow = now - since >= SHORT && !kpx_inside && kpx_is_recording();
    const void *place = slow ? kpx_place_of(address) : NULL;
    if (!place || !__atomic_load_n(&kpx_active, __ATOMIC_RELAXED))
        return;
    int error = errno;
    kpx_inside++;
    kpx_put_at(since, KPX_BLOCK_BEGIN, KPX_BLOCK_IO, 0, 0, (uintptr_t)place);
    kpx_put_at(now, KPX_BLOCK_END, KPX_BLOCK_IO, 0, 0, 0);
    kpx_inside--;
    errno = error;
}

SLOW(ssize_t, read, (int file, void *to, size_t n), (file, to, n))
SLOW(ssize_t, write, (int file, const void *from, size_t n), (file, from, n))
SLOW(ssize_t, pread, (int file, void *to, size_t n, off_t at), (file, to, n, at))
SLOW(ssize_t, pwrite, (int file, const void *from, size_t n, off_t at), (file, from, n, at))
SLOW(ssize_t, recv, (int file, void *to, size_t n, int flags), (file, to, n, flags))
SLOW(ssize_t, send, (int file, const void *from, size_t n, int flags), (file, from, n, flags))
SLOW(int, poll, (struct pollfd *files, nfds_t n, int time), (files, n, time))
SLOW(int, select, (int n, fd_set *in, fd_set *out, fd_set *bad, struct timeval *time),
     (n, in, out, bad, time))
SLOW(int, epoll_wait, (int file, struct epoll_event *to, int n, int time), (file, to, n, time))
SLOW(int, fsync, (int file), (file))
SLOW(int, accept, (int file, __SOCKADDR_ARG address, socklen_t *n), (file, address, n))
SLOW(int, connect, (int file, __CONST_SOCKADDR_ARG address, socklen_t n), (file, address, n))
SLOW(size_t, fread, (void *to, size_t size, size_t n, FILE *file), (to, size, n, file))
SLOW(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file))
SLOW(char *, fgets, (char *to, int n, FILE *file), (to, n, file))
SLOW(int, fflush, (FILE *file), (file))

// ---- Futexes of the program -----------------------------------------------------------------

long syscall(long number, ...)
{
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    int operation = number == SYS_futex ? (int)a[1] & FUTEX_CMD_MASK : -1;
    const void *word = (const void *)a[0];
    if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)
        kpx_wakes(KPX_BLOCK_FUTEX, word, HERE);
    if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
        return BLOCK(KPX_BLOCK_FUTEX, word, NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]));
    return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// ---- The C++ library, which calls the functions above ---------------------------------------

// Of futures: __atomic_futex_unsigned_base::NAME(unsigned *, unsigned, bool, seconds, nanoseconds).
#define FUTURE "_ZNSt28__atomic_futex_unsigned_base"
#define TIMES "EPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"

#define EACH_OUTER(x)                                                                              \
    x(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE)                                   \
    x(_ZNSt18condition_variable10notify_oneEv) x(_ZNSt18condition_variable10notify_allEv)          \
    x(_ZNSt6thread4joinEv)                                                                         \
    x(_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj)                                 \
    x(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE)

#define OUTER_MEMBER(name) void *name;
static struct {
    EACH_OUTER(OUTER_MEMBER)
    void *wait_for_future, *wait_for_future_steady;
} outer;

// A library that the program loads may bring the C++ library along for itself only, or contain it. The
// handles stay open, so that the functions stay.
static void *find_outer(const char *name, const char *path_of_caller)
{
    void *found = dlsym(RTLD_NEXT, name);
    const char *paths[] = {"libstdc++.so.6", path_of_caller};
    for (int i = 0; i < 2 && !found; i++) {
        void *library = *paths[i] ? dlopen(paths[i], RTLD_LAZY | RTLD_NOLOAD) : NULL;
        found = library ? dlsym(library, name) : NULL;
        if (library && !found)
            dlclose(library);
    }
    return found;
}

#define FIND_OUTER(name) __atomic_store_n(&outer.name, find_outer(#name, path), __ATOMIC_RELAXED);

// All at once: the one that makes a thread comes first, and the thread needs no search then.
static void find_all_outer(const char *path)
{
    int error = errno;
    EACH_OUTER(FIND_OUTER)
    __atomic_store_n(&outer.wait_for_future, find_outer(FUTURE "19_M_futex_wait_until" TIMES, path),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&outer.wait_for_future_steady,
                     find_outer(FUTURE "26_M_futex_wait_until_steady" TIMES, path), __ATOMIC_RELAXED);
    errno = error;
}

__attribute__((constructor)) static void find_outer_early(void)
{
    find_all_outer("");
}

// In a pointer to a member of a class an odd address means a virtual function.
#define MEMBER __attribute__((aligned(16)))

// Without a function behind it there is nothing to call.
#define OUTER(type, name, parameters, arguments)                                                   \
    MEMBER type name parameters;                                                                   \
    type name parameters                                                                           \
    {                                                                                              \
        type(*real) parameters;                                                                    \
        const void *before = outer_call;                                                           \
        if (!__atomic_load_n(&outer.name, __ATOMIC_RELAXED))                                       \
            find_all_outer(path_of(HERE));                                                         \
        *(void **)&real = __atomic_load_n(&outer.name, __ATOMIC_RELAXED);                          \
        if (!real)                                                                                 \
            return;                                                                                \
        outer_call = HERE;                                                                         \
        real arguments;                                                                            \
        outer_call = before;                                                                       \
    }
OUTER(void, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, (void *c, void *lock), (c, lock))
OUTER(void, _ZNSt18condition_variable10notify_oneEv, (void *c), (c))
OUTER(void, _ZNSt18condition_variable10notify_allEv, (void *c), (c))
OUTER(void, _ZNSt6thread4joinEv, (void *thread), (thread))
OUTER(void, _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
      (void *thread, void *state, void *depend), (thread, state, depend))

// Without the function behind it the caller of a future looks, and asks again.
#define FUTURE_WAIT(name, symbol)                                                                  \
    MEMBER bool name(void *base, unsigned *word, unsigned value, bool limited, long seconds, long more) \
        __asm__(symbol);                                                                           \
    bool name(void *base, unsigned *word, unsigned value, bool limited, long seconds, long more)   \
    {                                                                                              \
        bool (*real)(void *, unsigned *, unsigned, bool, long, long);                              \
        const void *before = outer_call;                                                           \
        if (!__atomic_load_n(&outer.name, __ATOMIC_RELAXED))                                       \
            find_all_outer(path_of(HERE));                                                         \
        *(void **)&real = __atomic_load_n(&outer.name, __ATOMIC_RELAXED);                          \
        if (!real)                                                                                 \
            return true;                                                                           \
        outer_call = HERE;                                                                         \
        bool woken = real(base, word, value, limited, seconds, more);                              \
        outer_call = before;                                                                       \
        return woken;                                                                              \
    }
FUTURE_WAIT(wait_for_future, FUTURE "19_M_futex_wait_until" TIMES)
FUTURE_WAIT(wait_for_future_steady, FUTURE "26_M_futex_wait_until_steady" TIMES)
OUTER(void, _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj, (void *word), (word))
