// SPDX-License-Identifier: MIT
//
// Goals by priority. A growing array may end the run when memory is exhausted (heap.h), so everything is
// whole before it grows.
#include "vm/schedule/priority_queue.h"

#include "base/search.h"

// The first level that is not below the priority.
static size_t find(const vm_priority_queue *p, int32_t priority)
{
    size_t first;
    FIRST_NOT(first, p->levels.n, i, p->levels.at[i].priority < priority);
    return first;
}

// A level of that priority at index `at`. An empty neighbour becomes it; else the higher levels
// move on.
static vm_level *level_at(vm_priority_queue *p, size_t at, int32_t priority)
{
    if (at < p->levels.n && p->levels.at[at].priority == priority)
        return &p->levels.at[at];
    if (at > 0 && vm_queue_count(&p->levels.at[at - 1].queue) == 0)
        at--;
    if (at == p->levels.n || vm_queue_count(&p->levels.at[at].queue) > 0) {
        size_t higher = p->levels.n - at;
        VM_PUSH(p->levels, (vm_level){0});
        memmove(p->levels.at + at + 1, p->levels.at + at, higher * sizeof *p->levels.at);
        p->levels.at[at].queue = (vm_queue){0};
    }
    p->levels.at[at].priority = priority;
    return &p->levels.at[at];
}

void vm_priority_queue_push(vm_priority_queue *p, vm_goal *goal)
{
    vm_level *level = level_at(p, find(p, goal->priority), goal->priority);
    vm_queue_push(&level->queue, goal);
    p->count++;
}

void vm_priority_queue_push_oldest(vm_priority_queue *p, vm_goal *goal)
{
    vm_level *level = level_at(p, find(p, goal->priority), goal->priority);
    vm_queue_push_oldest(&level->queue, goal);
    p->count++;
}

static vm_goal *take(vm_priority_queue *p, bool oldest)
{
    vm_goal *goal = NULL;
    if (vm_priority_queue_count(p) == 0)
        return NULL;
    while (p->levels.n > 0 && vm_queue_count(&p->levels.at[p->levels.n - 1].queue) == 0)
        p->levels.n--;
    if (p->levels.n > 0) {
        vm_queue *q = &p->levels.at[p->levels.n - 1].queue;
        goal = oldest ? vm_queue_oldest(q) : vm_queue_newest(q);
        p->count--;
    }
    return goal;
}

vm_goal *vm_priority_queue_newest(vm_priority_queue *p)
{
    return take(p, false);
}

vm_goal *vm_priority_queue_oldest(vm_priority_queue *p)
{
    return take(p, true);
}

static bool has_other(const vm_queue *q, bool (*is_such)(const vm_goal *))
{
    for (uint32_t i = q->first; i != q->end; i++)
        if (!is_such(q->ring[i & (q->size - 1)]))
            return true;
    return false;
}

bool vm_priority_queue_find_other(vm_priority_queue *p, int32_t highest,
                                  bool (*is_such)(const vm_goal *), int32_t *ret)
{
    size_t at = p->levels.n;
    while (at > 0 && (p->levels.at[at - 1].priority > highest ||
                      !has_other(&p->levels.at[at - 1].queue, is_such)))
        at--;
    if (at > 0)
        *ret = p->levels.at[at - 1].priority;
    return at > 0;
}

int32_t vm_priority_queue_lowest(vm_priority_queue *p, int32_t highest)
{
    size_t at = 0;
    while (at < p->levels.n && vm_queue_count(&p->levels.at[at].queue) == 0)
        at++;
    if (at < p->levels.n && p->levels.at[at].priority < highest)
        highest = p->levels.at[at].priority;
    return highest;
}
