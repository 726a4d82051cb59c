// SPDX-License-Identifier: MIT
//
// A ring of goals: growing, and taking the oldest.
#include "vm/schedule/queue.h"

#include "vm/memory.h"

enum { FIRST_SIZE = 16 };

void vm_queue_grow(vm_queue *q)
{
    uint32_t size = q->size ? 2 * q->size : FIRST_SIZE;
    vm_goal **ring = vm_alloc(size * sizeof *ring);
    for (uint32_t i = 0; i < q->count; i++)
        ring[i] = q->ring[(q->first + i) & (q->size - 1)];
    q->ring = ring;
    q->first = 0;
    q->size = size;
}

vm_goal *vm_queue_oldest(vm_queue *q)
{
    if (q->count == 0)
        return NULL;
    vm_goal *goal = q->ring[q->first];
    q->first = (q->first + 1) & (q->size - 1);
    q->count--;
    return goal;
}
