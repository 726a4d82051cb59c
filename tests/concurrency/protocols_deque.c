// SPDX-License-Identifier: MIT
//
// The deque: every goal that was pushed is taken once.
#include "protocols.h"

#include "vm/schedule/deque.h"
#include "vm/memory.h"

enum { GOALS = 5 };

static vm_deque *deque;
static unsigned *taken; // how often, by goal
static bool small;

static vm_goal *goal(unsigned i)
{
    return (vm_goal *)(0x1000 + (uintptr_t)i * 0x100);
}

static void take(const vm_goal *g)
{
    if (g)
        __atomic_add_fetch(&taken[((uintptr_t)g - 0x1000) / 0x100], 1, __ATOMIC_RELAXED);
}

static void begin(void)
{
    deque = vm_alloc(sizeof *deque);
    taken = vm_alloc(GOALS * sizeof *taken);
    vm_deque_init(deque);
    if (small) {
        vm_ring *ring = vm_alloc(sizeof *ring + 2 * sizeof *ring->goals);
        ring->size = 2;
        deque->ring = ring;
    }
}

static void end(unsigned pushed)
{
    model_wait_for_all();
    vm_goal *left;
    while ((left = vm_deque_pop(deque)))
        take(left);
    for (unsigned i = 0; i < GOALS; i++)
        if (taken[i] != (i < pushed))
            model_fail("goal %u was taken %u times", i, taken[i]);
}

static void steal_once(void *data)
{
    bool again;
    (void)data;
    take(vm_deque_steal(deque, &again));
}

static void steal_twice(void *data)
{
    steal_once(data);
    steal_once(data);
}

static void push_pop(void *data)
{
    (void)data;
    vm_deque_push(deque, goal(0));
    vm_deque_push(deque, goal(1));
    take(vm_deque_pop(deque));
    take(vm_deque_pop(deque));
}

void deque_ends(void)
{
    small = false;
    begin();
    model_start(push_pop, NULL);
    model_start(steal_twice, NULL);
    end(2);
}

static void push_pop_push_pop(void *data)
{
    (void)data;
    for (unsigned i = 0; i < 2; i++) {
        vm_deque_push(deque, goal(i));
        take(vm_deque_pop(deque));
    }
}

void deque_last(void)
{
    small = false;
    begin();
    model_start(push_pop_push_pop, NULL);
    model_start(steal_once, NULL);
    model_start(steal_once, NULL);
    end(2);
}

static void push_many(void *data)
{
    (void)data;
    for (unsigned i = 0; i < 4; i++)
        vm_deque_push(deque, goal(i));
    take(vm_deque_pop(deque));
}

void deque_grows(void)
{
    small = true;
    begin();
    model_start(push_many, NULL);
    model_start(steal_twice, NULL);
    end(4);
}

// At its turn the owner takes the oldest as a thief does.
static void push_steal_pop(void *data)
{
    vm_deque_push(deque, goal(0));
    vm_deque_push(deque, goal(1));
    steal_once(data);
    take(vm_deque_pop(deque));
}

void deque_oldest(void)
{
    small = false;
    begin();
    model_start(push_steal_pop, NULL);
    model_start(steal_once, NULL);
    model_start(steal_once, NULL);
    end(2);
}
