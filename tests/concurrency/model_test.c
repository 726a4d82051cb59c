// SPDX-License-Identifier: MIT
//
// The checker itself: known programs must show all that they can show, and known faults be found.
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t *x, *y;
static pthread_mutex_t *mutex;
static pthread_cond_t *cond;
static uint64_t got[4];
static unsigned results; // a bit for each that was seen
static int order;

void model_switch_to(unsigned thread)
{
    (void)thread;
}

void model_switch_from(unsigned thread)
{
    (void)thread;
}

void model_forget_locals(void)
{
}

bool model_is_local(uintptr_t place)
{
    (void)place;
    return false;
}

static void begin(void)
{
    x = model_alloc(sizeof *x);
    y = model_alloc(sizeof *y);
    mutex = model_alloc(sizeof *mutex);
    cond = model_alloc(sizeof *cond);
}

// ---- Scenarios ----------------------------------------------------------------------------------

// Both may read 0 if stores are held back.
static void store_x_load_y(void *data)
{
    (void)data;
    if (order == __ATOMIC_SEQ_CST)
        __atomic_store_n(x, 1, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(x, 1, __ATOMIC_RELEASE);
    got[0] = __atomic_load_n(y, __ATOMIC_SEQ_CST);
}

static void store_y_load_x(void *data)
{
    (void)data;
    if (order == __ATOMIC_SEQ_CST)
        __atomic_store_n(y, 1, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(y, 1, __ATOMIC_RELEASE);
    got[1] = __atomic_load_n(x, __ATOMIC_SEQ_CST);
}

static void store_and_load(void)
{
    begin();
    model_start(store_x_load_y, NULL);
    model_start(store_y_load_x, NULL);
    model_wait_for_all();
    results |= 1u << (got[0] * 2 + got[1]);
}

// Of three counts, one or two may be lost.
static void count(void *data)
{
    (void)data;
    uint64_t n = __atomic_load_n(x, __ATOMIC_RELAXED);
    __atomic_store_n(x, n + 1, __ATOMIC_RELAXED);
}

static void lost_counts(void)
{
    begin();
    for (int i = 0; i < 3; i++)
        model_start(count, NULL);
    model_wait_for_all();
    results |= 1u << *x;
}

// Two reads among two writes of one place: the schedules are 4 over 2.
static void load_twice(void *data)
{
    (void)data;
    got[0] = __atomic_load_n(x, __ATOMIC_RELAXED);
    got[1] = __atomic_load_n(x, __ATOMIC_RELAXED);
}

static void store_twice(void *data)
{
    (void)data;
    __atomic_store_n(x, 1, __ATOMIC_RELAXED);
    __atomic_store_n(x, 2, __ATOMIC_RELAXED);
}

static void reads_among_writes(void)
{
    begin();
    model_start(load_twice, NULL);
    model_start(store_twice, NULL);
    model_wait_for_all();
    results |= 1u << (got[0] * 3 + got[1]);
}

// What is published by a store must be made before, and the store release it.
static void publish(void *data)
{
    (void)data;
    *y = 5;
    if (order == __ATOMIC_RELEASE)
        __atomic_store_n(x, 1, __ATOMIC_RELEASE);
    else
        __atomic_store_n(x, 1, __ATOMIC_RELAXED);
}

static void look(void *data)
{
    (void)data;
    if (__atomic_load_n(x, __ATOMIC_ACQUIRE))
        got[0] = *y;
}

static void published(void)
{
    begin();
    model_start(publish, NULL);
    model_start(look, NULL);
    model_wait_for_all();
}

// One signal for two who wait.
static void wait_for_y(void *data)
{
    (void)data;
    model_mutex_lock(mutex);
    while (!*y)
        model_cond_wait(cond, mutex);
    model_mutex_unlock(mutex);
}

static void set_y(void *data)
{
    (void)data;
    model_mutex_lock(mutex);
    *y = 1;
    if (order)
        model_cond_broadcast(cond);
    else
        model_cond_signal(cond);
    model_mutex_unlock(mutex);
}

static void signalled(void)
{
    begin();
    model_start(wait_for_y, NULL);
    model_start(set_y, NULL);
    model_start(wait_for_y, NULL);
    model_wait_for_all();
}

static void spin(void *data)
{
    (void)data;
    while (!__atomic_load_n(x, __ATOMIC_ACQUIRE))
        model_yield();
}

static void set_x(void *data)
{
    (void)data;
    if (order)
        __atomic_store_n(x, 1, __ATOMIC_RELEASE);
}

static void spins(void)
{
    begin();
    model_start(spin, NULL);
    model_start(set_x, NULL);
    model_wait_for_all();
}

// ---- The table ----------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*run)(void);
    int order;
    bool buffers, fault;
    unsigned results;
    uint64_t executions; // 0: any number
} cases[] = {
    {"stores at once", store_and_load, __ATOMIC_RELEASE, false, false, 0xe, 3},
    {"stores held back", store_and_load, __ATOMIC_RELEASE, true, false, 0xf, 4},
    {"strict stores", store_and_load, __ATOMIC_SEQ_CST, true, false, 0xe, 3},
    {"lost counts", lost_counts, 0, false, false, 0xe, 0},
    {"lost counts, held back", lost_counts, 0, true, false, 0xe, 0},
    {"reads among writes", reads_among_writes, 0, false, false, 0x137, 6},
    {"reads among late writes", reads_among_writes, 0, true, false, 0x137, 6},
    {"published", published, __ATOMIC_RELEASE, true, false, 0, 2},
    {"published without release", published, __ATOMIC_RELAXED, true, true, 0, 0},
    {"one is woken", signalled, 0, false, true, 0, 0},
    {"all are woken", signalled, 1, false, false, 0, 0},
    {"waits in a loop", spins, 1, true, false, 0, 0},
    {"waits for nothing", spins, 0, true, true, 0, 0},
};

int main(void)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_options options = {.scenario = cases[i].run, .buffers = cases[i].buffers, .quiet = true};
        model_result r;
        order = cases[i].order;
        results = 0;
        model_explore(&options, &r);
        bool right = r.fault == cases[i].fault && results == cases[i].results &&
                     (!cases[i].executions || r.executions == cases[i].executions);
        printf("%s: %llu schedules, results %#x%s%s%s\n", cases[i].name,
               (unsigned long long)r.executions, results, r.fault ? ", " : "", r.message,
               right ? "" : "  <-- WRONG");
        wrong += !right;
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
