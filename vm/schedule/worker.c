// SPDX-License-Identifier: MIT
//
// A worker's ready goals: where they are, and how many there are.
#include "vm/schedule/worker.h"

#include "vm/memory.h"
#include "vm/schedule/team.h"

void vm_worker_init(vm_worker *w, const vm_worker_options *options)
{
    w->nqueues = options->queues;
    w->queues = vm_alloc(w->nqueues * sizeof *w->queues);
    w->seeded = options->seeded;
    w->random = options->seed;
    w->kind = options->has_priorities ? ORDER_OWN : options->order;
    w->in_steps = w->seeded || vm_fixed_steps(w->kind);
    w->quantum.yield = w->in_steps;
    if (w->kind == ORDER_OWN && !w->seeded && !options->has_priorities)
        vm_order_init(&w->order);
    else
        w->order.crowd = INT64_MAX;
    if (options->has_priorities)
        w->levels = vm_alloc(w->nqueues * sizeof *w->levels);
}

// ---- How many ---------------------------------------------------------------------------------

static uint32_t count_of_queue(const vm_worker *w, uint32_t queue)
{
    if (w->levels)
        return vm_priority_queue_count(&w->levels[queue]);
    if (w->seeded)
        return vm_queue_count(&w->queues[queue]) +
               (queue == w->current ? vm_queue_count(&w->order.stack) : 0);
    return vm_order_count(&w->order);
}

uint32_t vm_own_count(const vm_worker *w)
{
    return count_of_queue(w, w->current);
}

uint64_t vm_own_count_of_all(const vm_worker *w)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < w->nqueues; i++)
        count += count_of_queue(w, i);
    return count;
}

// ---- In and out -------------------------------------------------------------------------------

vm_goal *vm_own_newest(vm_worker *w)
{
    if (w->levels)
        return vm_priority_queue_newest(&w->levels[w->current]);
    if (w->seeded)
        return vm_queue_newest(&w->queues[w->current]);
    return vm_order_pop(&w->order, VM_GET_COUNT(w->suspended));
}

vm_goal *vm_own_oldest(vm_worker *w)
{
    if (w->levels)
        return vm_priority_queue_oldest(&w->levels[w->current]);
    if (w->seeded)
        return vm_queue_oldest(&w->queues[w->current]);
    return vm_queue_oldest(&w->order.stack);
}

void vm_take_gift(vm_worker *w, uint32_t n, vm_fits fits, vm_goals *goals)
{
    if (!w->levels) {
        vm_order_take_gift(w, n, fits, goals);
        return;
    }
    if (vm_own_count(w) < 2 && !w->team->together)
        return; // the goal that runs is one of these
    vm_goal *goal = vm_priority_queue_oldest(&w->levels[0]);
    if (goal && fits(w, goal))
        VM_PUSH(*goals, goal);
    else if (goal)
        vm_priority_queue_push_oldest(&w->levels[0], goal);
}

void vm_take_all(vm_worker *w, vm_goals *goals)
{
    if (w->quantum.given)
        VM_PUSH(*goals, w->quantum.given);
    w->quantum.given = NULL;
    vm_goal *goal;
    while ((goal = w->levels ? vm_priority_queue_newest(&w->levels[0]) : vm_order_next(w)))
        VM_PUSH(*goals, goal);
}

vm_goal *vm_take_running(vm_worker *w)
{
    return w->quantum.given ? w->quantum.given : vm_own_newest(w);
}

void vm_push(vm_worker *w, vm_goal *goal)
{
    if (w->levels) {
        if (goal->priority > w->priority)
            w->quantum.yield = true;
        vm_priority_queue_push(&w->levels[w->current], goal);
    } else {
        vm_push_alone(w, goal);
    }
}

void vm_push_oldest(vm_worker *w, vm_goal *goal)
{
    if (w->levels)
        vm_priority_queue_push_oldest(&w->levels[w->current], goal);
    else if (w->kind == ORDER_OWN && !w->seeded)
        vm_order_push_last(&w->order, goal);
    else
        vm_queue_push_oldest(&w->order.stack, goal);
}

void vm_wake(vm_worker *w, vm_goal *goal)
{
    if (w->levels || w->seeded || w->kind != ORDER_OWN)
        vm_push(w, goal);
    else
        vm_order_wake(w, goal);
}

void vm_give_way(vm_worker *w, vm_goal *goal)
{
    goal->priority = w->priority;
    if ((w->quantum.over || w->kind != ORDER_OWN) && !w->seeded && !w->levels)
        w->quantum.given = goal; // until it is decided who goes on
    else
        vm_push(w, goal);
}

// ---- Priorities -------------------------------------------------------------------------------

int32_t vm_priority(const vm_worker *w, vm_priority_kind kind, vm_word value)
{
    if (kind == PRIORITY_INHERITED) // value is not set
        return w->priority;
    vm_word end = vm_end_of(value);
    if (vm_tag(end) != TAG_INT)
        return w->priority;
    int64_t p = vm_int_value(end);
    if (kind == PRIORITY_LOWER && __builtin_sub_overflow((int64_t)w->priority, p, &p))
        return w->priority;
    return p < INT32_MIN ? INT32_MIN : p > INT32_MAX ? INT32_MAX : (int32_t)p;
}

int32_t vm_priority_behind(vm_worker *w, int32_t highest, bool (*is_such)(const vm_goal *))
{
    int32_t behind = highest;
    if (w->levels &&
        !vm_priority_queue_find_other(&w->levels[w->current], highest, is_such, &behind))
        behind = vm_priority_queue_lowest(&w->levels[w->current], highest);
    return behind;
}
