// SPDX-License-Identifier: MIT
//
// A queue of ready goals that only one worker uses (private to vm/): a ring of 2^k goals, `first` is
// the oldest. The ring grows before it changes, so the queue is intact if memory is exhausted.
#ifndef VM_QUEUE_H
#define VM_QUEUE_H

#include "vm/goal.h"

typedef struct {
    vm_goal **ring;
    uint32_t size, first, count;
} vm_queue;

void vm_queue_grow(vm_queue *q);

static inline void vm_queue_push(vm_queue *q, vm_goal *goal)
{
    if (__builtin_expect(q->count == q->size, 0))
        vm_queue_grow(q);
    q->ring[(q->first + q->count) & (q->size - 1)] = goal;
    q->count++;
}

static inline void vm_queue_push_oldest(vm_queue *q, vm_goal *goal)
{
    if (__builtin_expect(q->count == q->size, 0))
        vm_queue_grow(q);
    q->first = (q->first - 1) & (q->size - 1);
    q->ring[q->first] = goal;
    q->count++;
}

// NULL if there is none.
static inline vm_goal *vm_queue_newest(vm_queue *q)
{
    if (q->count == 0)
        return NULL;
    return q->ring[(q->first + --q->count) & (q->size - 1)];
}

vm_goal *vm_queue_oldest(vm_queue *q); // NULL if there is none

#endif
