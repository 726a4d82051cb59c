// SPDX-License-Identifier: MIT
//
// Fixed orders of ready goals.
//
//     newest      a stack: the goal that was created or woken last runs until it is done or waits
//     oldest      a queue: likewise the one that was created or woken first
//     turns       a stack; after a turn the goal that runs becomes the oldest of all
//     time        by virtual time: all goals that were created or woken by the goals of one step
//                 have one reduction each in the next step
#include "vm/schedule/fixed.h"

#include "vm/schedule/worker.h"

enum { LONG_TURN = 16 }; // quanta

// The goals that were made since make up the stack, the first of a body on top; they become the
// newest of the queue.
static void put_behind(vm_order *o)
{
    vm_goal *goal;
    while ((goal = vm_queue_newest(&o->stack)))
        vm_queue_push(&o->woken, goal);
}

static vm_goal *next_of_queue(vm_order *o, vm_goal *running, bool goes_on)
{
    if (running && !goes_on)
        vm_queue_push(&o->stack, running);
    put_behind(o);
    return running && goes_on ? running : vm_queue_oldest(&o->woken);
}

static vm_goal *next_of_stack(vm_worker *w, vm_goal *running, uint32_t turn)
{
    vm_order *o = &w->order;
    vm_streak streak = vm_get_streak(&w->quantum);
    if (running && (turn == 0 || ++streak.quanta < turn)) {
        vm_set_streak(&w->quantum, streak);
        return running;
    }
    if (running)
        vm_queue_push_oldest(&o->stack, running);
    vm_set_streak(&w->quantum, (vm_streak){0});
    return vm_queue_newest(&o->stack);
}

vm_goal *vm_fixed_next(vm_worker *w, bool over, vm_goal *running)
{
    vm_order *o = &w->order;
    switch (w->kind) {
    case ORDER_OLDEST:
        return next_of_queue(o, running, !over);
    case ORDER_TIME:
        return next_of_queue(o, running, false);
    case ORDER_TURNS:
        return next_of_stack(w, running, 1);
    case ORDER_LONG_TURNS:
        return next_of_stack(w, running, LONG_TURN);
    default:
        return next_of_stack(w, running, 0);
    }
}
