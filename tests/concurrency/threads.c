// SPDX-License-Identifier: MIT
//
// The threads of a scenario, as coroutines, and what they share: store buffers, mutexes, memory.
#include "threads.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 256 * 1024, ARENA = 256 << 20, BUFFER = 256 };

typedef struct {
    uintptr_t place;
    unsigned size;
    uint64_t value;
    vector_clock clock;
    unsigned step; // at which it was issued
    uintptr_t from;
} held_store;

typedef struct {
    jmp_buf context;
    char *stack;
    bool started; // its coroutine runs or ran
    bool exists, ended;
    const void *asleep; // on this condition
    uint64_t slept;     // since, to wake in order
    unsigned naps;      // waits with an end
    operation op;       // it stops at
    void (*function)(void *data);
    void *(*posix)(void *data);
    void *data;
    held_store held[BUFFER];
    unsigned first, n; // of held
    const volatile void *seen_place; // last loaded, for waiting in a loop
    unsigned seen_size;
    uint64_t seen;
} thread;

static thread threads[THREADS];
static unsigned current; // meaningful while running
static bool running;
static jmp_buf checker;
static bool with_buffers;
static unsigned step; // of the execution
static uint64_t slept;
static char message[400];
static bool failed;

// ---- Memory -------------------------------------------------------------------------------------

static char *arena;
static size_t arena_used, arena_kept;

void *model_alloc(size_t bytes)
{
    if (!arena) {
        arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                     -1, 0);
        if (arena == MAP_FAILED)
            abort();
    }
    void *at = arena + arena_used;
    arena_used += (bytes + 15) / 16 * 16;
    if (arena_used > ARENA) {
        fputs("the scenario uses too much memory\n", stderr);
        abort();
    }
    return at;
}

static void reset_arena(void)
{
    memset(arena + arena_kept, 0, arena_used - arena_kept);
    arena_used = arena_kept;
}

// ---- Coroutines ---------------------------------------------------------------------------------

bool model_is_running(void)
{
    return running;
}

unsigned model_thread(void)
{
    return current;
}

void model_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    failed = true;
    if (!running) {
        fprintf(stderr, "%s\n", message);
        abort();
    }
    _longjmp(checker, 1);
}

const char *threads_failed(void)
{
    return failed ? message : NULL;
}

void model_stop_at(operation op)
{
    thread *t = &threads[current];
    t->op = op;
    if (_setjmp(t->context) == 0)
        _longjmp(checker, 1);
}

static void run_thread(void)
{
    thread *t = &threads[current];
    if (t->posix)
        t->posix(t->data);
    else
        t->function(t->data);
    model_stop_at((operation){.kind = AT_END, .place = (uintptr_t)t});
    t->ended = true;
    _longjmp(checker, 1);
}

static void enter(thread *t)
{
    static ucontext_t unused;
    ucontext_t context;
    t->started = true;
    getcontext(&context);
    context.uc_stack.ss_sp = t->stack;
    context.uc_stack.ss_size = STACK;
    context.uc_link = NULL;
    makecontext(&context, run_thread, 0);
    swapcontext(&unused, &context);
}

// Lets a thread go on to its next stop.
static void resume(unsigned number)
{
    current = number;
    model_switch_to(number);
    running = true;
    if (_setjmp(checker) == 0) {
        if (threads[number].started)
            _longjmp(threads[number].context, 1);
        enter(&threads[number]);
    }
    running = false;
    model_switch_from(number);
}

static unsigned create(void (*function)(void *data), void *(*posix)(void *data), void *data)
{
    unsigned number = 0;
    while (number < THREADS && threads[number].exists)
        number++;
    if (number == THREADS)
        model_fail("the scenario has too many threads");
    thread *t = &threads[number];
    char *stack = t->stack ? t->stack : malloc(STACK);
    if (!stack)
        abort();
    memset(t, 0, sizeof *t);
    *t = (thread){.stack = stack, .exists = true, .function = function, .posix = posix, .data = data};
    t->op = (operation){.kind = AT_START, .place = (uintptr_t)t};
    return number;
}

void threads_begin(void (*scenario)(void *data), void *data, bool buffers)
{
    for (unsigned i = 0; i < THREADS; i++)
        threads[i].exists = false;
    failed = false;
    with_buffers = buffers;
    step = 0;
    reset_arena();
    race_reset();
    model_forget_locals();
    create(scenario, NULL, data);
}

void threads_keep_memory(void)
{
    arena_kept = arena_used;
}

// ---- What can go on -----------------------------------------------------------------------------

// Locked mutexes hold the number of their thread plus 1.
static uint32_t *owner(uintptr_t mutex)
{
    return (uint32_t *)mutex;
}

static bool needs_empty_buffer(op_kind kind)
{
    return kind != AT_LOAD;
}

static uint64_t value_at(const volatile void *place, unsigned size)
{
    return size == 8   ? *(const volatile uint64_t *)place
           : size == 4 ? *(const volatile uint32_t *)place
                       : *(const volatile uint8_t *)place;
}

static bool thread_can_go_on(const thread *t)
{
    if (!t->exists || t->ended || t->asleep || (needs_empty_buffer(t->op.kind) && t->n > 0))
        return false;
    switch (t->op.kind) {
    case AT_LOCK:
        return *owner(t->op.place) == 0;
    case AT_JOIN:
        return ((const thread *)t->op.place)->ended;
    case AT_LOAD:
        return !t->op.second || value_at(t->seen_place, t->seen_size) != t->seen;
    default:
        return true;
    }
}

bool threads_can_go_on(unsigned process)
{
    return process < THREADS ? thread_can_go_on(&threads[process])
                             : threads[process - THREADS].exists && threads[process - THREADS].n > 0;
}

bool threads_pending(unsigned process, operation *ret)
{
    const thread *t = &threads[process % THREADS];
    if (!t->exists)
        return false;
    if (process < THREADS) {
        *ret = t->op;
        ret->second = t->op.kind == AT_WAIT ? t->op.second : 0;
        return !t->ended;
    }
    if (t->n == 0)
        return false;
    const held_store *s = &t->held[t->first];
    *ret = (operation){.kind = AT_FLUSH, .place = s->place, .from = s->from};
    return true;
}

unsigned threads_issued(unsigned process)
{
    const thread *t = &threads[process % THREADS];
    return t->held[t->first].step;
}

bool threads_all_ended(void)
{
    for (unsigned i = 0; i < THREADS; i++)
        if (threads[i].exists && !threads[i].ended)
            return false;
    return true;
}

// ---- Store buffers ------------------------------------------------------------------------------

bool model_buffer(const memory_access *a, uint64_t value)
{
    thread *t = &threads[current];
    if (!with_buffers)
        return false;
    if (t->n == BUFFER)
        model_fail("a store buffer is full");
    t->held[(t->first + t->n++) % BUFFER] = (held_store){
        a->place, a->size, value, race_issue(current, a), step, a->from,
    };
    return true;
}

bool model_buffered(uintptr_t place, uint64_t *ret)
{
    const thread *t = &threads[current];
    for (unsigned i = t->n; i > 0; i--) {
        const held_store *s = &t->held[(t->first + i - 1) % BUFFER];
        if (s->place == place) {
            *ret = s->value;
            return true;
        }
    }
    return false;
}

static void flush(thread *t)
{
    const held_store *s = &t->held[t->first];
    if (s->size == 8)
        *(uint64_t *)s->place = s->value;
    else if (s->size == 4)
        *(uint32_t *)s->place = (uint32_t)s->value;
    else
        *(uint8_t *)s->place = (uint8_t)s->value;
    race_seen(s->place, &s->clock);
    t->first = (t->first + 1) % BUFFER;
    t->n--;
}

void threads_step(unsigned process, unsigned number)
{
    step = number;
    if (process < THREADS)
        resume(process);
    else
        flush(&threads[process - THREADS]);
}

// ---- Waiting in a loop --------------------------------------------------------------------------

void model_saw(const volatile void *place, unsigned size, uint64_t value)
{
    thread *t = &threads[current];
    t->seen_place = place;
    t->seen_size = size;
    t->seen = value;
}

// As nothing else makes a difference to the loop, the thread goes on when what it saw last changed.
int model_yield(void)
{
    if (running)
        model_stop_at((operation){.kind = AT_LOAD,
                                  .place = (uintptr_t)threads[current].seen_place,
                                  .second = 1});
    return 0;
}

// ---- Threads, mutexes, conditions ---------------------------------------------------------------

static void stop(op_kind kind, const void *place, uintptr_t from)
{
    model_stop_at((operation){.kind = kind, .place = (uintptr_t)place, .from = from});
}

#define HERE model_code(__builtin_return_address(0))

int model_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *unused)
{
    (void)unused;
    *owner((uintptr_t)mutex) = 0;
    return 0;
}

static void take(pthread_mutex_t *mutex)
{
    *owner((uintptr_t)mutex) = current + 1;
    race_acquire(current, (uintptr_t)mutex);
}

static void give(pthread_mutex_t *mutex)
{
    if (*owner((uintptr_t)mutex) != current + 1)
        model_fail("thread %u unlocks a mutex that it has not", current);
    *owner((uintptr_t)mutex) = 0;
    race_release(current, (uintptr_t)mutex);
}

int model_mutex_lock(pthread_mutex_t *mutex)
{
    if (!running)
        return 0;
    stop(AT_LOCK, mutex, HERE);
    take(mutex);
    return 0;
}

// It never waits, so it is a step like an unlocking.
int model_mutex_trylock(pthread_mutex_t *mutex)
{
    if (!running)
        return 0;
    stop(AT_UNLOCK, mutex, HERE);
    if (*owner((uintptr_t)mutex) != 0)
        return EBUSY;
    take(mutex);
    return 0;
}

int model_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!running)
        return 0;
    stop(AT_UNLOCK, mutex, HERE);
    give(mutex);
    return 0;
}

int model_cond_init(pthread_cond_t *cond, const pthread_condattr_t *unused)
{
    (void)cond;
    (void)unused;
    return 0;
}

int model_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    model_stop_at((operation){AT_WAIT, (uintptr_t)cond, (uintptr_t)mutex, HERE});
    give(mutex);
    threads[current].asleep = cond;
    threads[current].slept = ++slept;
    stop(AT_LOCK, mutex, HERE);
    take(mutex);
    return 0;
}

int model_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                         const struct timespec *unused)
{
    (void)unused;
    if (threads[current].naps++ > 0)
        return model_cond_wait(cond, mutex);
    model_mutex_unlock(mutex);
    model_mutex_lock(mutex);
    return ETIMEDOUT;
}

// The thread that has slept longest on the condition; NULL: none.
static thread *sleeper(const pthread_cond_t *cond)
{
    thread *first = NULL;
    for (unsigned i = 0; i < THREADS; i++)
        if (threads[i].exists && threads[i].asleep == cond &&
            (!first || threads[i].slept < first->slept))
            first = &threads[i];
    return first;
}

static void wake(thread *t)
{
    t->asleep = NULL;
    model_woke((unsigned)(t - threads));
}

int model_cond_signal(pthread_cond_t *cond)
{
    stop(AT_SIGNAL, cond, HERE);
    thread *t = sleeper(cond);
    if (t)
        wake(t);
    return 0;
}

int model_cond_broadcast(pthread_cond_t *cond)
{
    stop(AT_SIGNAL, cond, HERE);
    for (thread *t; (t = sleeper(cond));)
        wake(t);
    return 0;
}

static unsigned start(void (*function)(void *data), void *(*posix)(void *data), void *data)
{
    stop(AT_START, &threads[current], HERE); // what it stored is seen by the child
    unsigned child = create(function, posix, data);
    race_start(current, child);
    model_woke(child);
    return child;
}

void model_start(void (*function)(void *data), void *data)
{
    start(function, NULL, data);
}

static void wait_for(unsigned child)
{
    stop(AT_JOIN, &threads[child], HERE);
    race_join(current, child);
}

void model_wait_for_all(void)
{
    for (unsigned i = 1; i < THREADS && threads[i].exists; i++)
        wait_for(i);
}

int model_thread_create(pthread_t *ret, const pthread_attr_t *unused, void *(*function)(void *),
                        void *data)
{
    (void)unused;
    *ret = start(NULL, function, data);
    return 0;
}

int model_thread_join(pthread_t child, void **ret)
{
    (void)ret;
    wait_for((unsigned)child);
    return 0;
}
