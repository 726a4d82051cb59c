// SPDX-License-Identifier: MIT
#include "vm/schedule/priority_queue.h"

#include "vm/memory.h"
#include "vm/term/heap.h"

// The first level that is not below the priority.
static uint32_t find(const vm_pool *p, int32_t priority)
{
    uint32_t from = 0, to = p->nlevels;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (p->levels[middle].priority < priority)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void grow(vm_pool *p)
{
    uint32_t capacity = p->capacity ? 2 * p->capacity : 8;
    vm_level *levels = vm_alloc(capacity * sizeof *levels);
    if (p->nlevels > 0)
        memcpy(levels, p->levels, p->nlevels * sizeof *levels);
    p->levels = levels;
    p->capacity = capacity;
}

// A level of that priority at place `at`. An empty neighbour serves; else the higher ones move on.
static vm_level *level_at(vm_pool *p, uint32_t at, int32_t priority)
{
    if (at < p->nlevels && p->levels[at].priority == priority)
        return &p->levels[at];
    if (at > 0 && p->levels[at - 1].queue.count == 0)
        at--;
    if (at == p->nlevels || p->levels[at].queue.count > 0) {
        if (p->nlevels == p->capacity)
            grow(p);
        memmove(p->levels + at + 1, p->levels + at, (p->nlevels - at) * sizeof *p->levels);
        p->levels[at].queue = (vm_queue){0};
        p->nlevels++;
    }
    p->levels[at].priority = priority;
    return &p->levels[at];
}

static void count(vm_pool *p, uint32_t n)
{
    __atomic_store_n(&p->count, n, __ATOMIC_RELEASE);
}

void vm_pool_push(vm_pool *p, vm_goal *goal)
{
    vm_spin_lock(&p->lock);
    vm_level *level = level_at(p, find(p, goal->priority), goal->priority);
    vm_queue_push(&level->queue, goal);
    count(p, vm_pool_count(p) + 1);
    vm_spin_unlock();
}

void vm_pool_push_oldest(vm_pool *p, vm_goal *goal)
{
    vm_spin_lock(&p->lock);
    vm_level *level = level_at(p, find(p, goal->priority), goal->priority);
    vm_queue_push_oldest(&level->queue, goal);
    count(p, vm_pool_count(p) + 1);
    vm_spin_unlock();
}

static vm_goal *take(vm_pool *p, bool oldest)
{
    vm_goal *goal = NULL;
    if (vm_pool_count(p) == 0)
        return NULL;
    vm_spin_lock(&p->lock);
    while (p->nlevels > 0 && p->levels[p->nlevels - 1].queue.count == 0)
        p->nlevels--;
    if (p->nlevels > 0) {
        vm_queue *q = &p->levels[p->nlevels - 1].queue;
        goal = oldest ? vm_queue_oldest(q) : vm_queue_newest(q);
        count(p, vm_pool_count(p) - 1);
    }
    vm_spin_unlock();
    return goal;
}

vm_goal *vm_pool_newest(vm_pool *p)
{
    return take(p, false);
}

vm_goal *vm_pool_oldest(vm_pool *p)
{
    return take(p, true);
}

static bool has_other(const vm_queue *q, bool (*is_such)(const vm_goal *))
{
    for (uint32_t i = 0; i < q->count; i++)
        if (!is_such(q->ring[(q->first + i) & (q->size - 1)]))
            return true;
    return false;
}

bool vm_pool_find_other(vm_pool *p, int32_t highest, bool (*is_such)(const vm_goal *), int32_t *ret)
{
    vm_spin_lock(&p->lock);
    uint32_t at = p->nlevels;
    while (at > 0 &&
           (p->levels[at - 1].priority > highest || !has_other(&p->levels[at - 1].queue, is_such)))
        at--;
    if (at > 0)
        *ret = p->levels[at - 1].priority;
    vm_spin_unlock();
    return at > 0;
}

int32_t vm_pool_lowest(vm_pool *p, int32_t highest)
{
    vm_spin_lock(&p->lock);
    uint32_t at = 0;
    while (at < p->nlevels && p->levels[at].queue.count == 0)
        at++;
    if (at < p->nlevels && p->levels[at].priority < highest)
        highest = p->levels[at].priority;
    vm_spin_unlock();
    return highest;
}
