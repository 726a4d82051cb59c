// SPDX-License-Identifier: MIT
//
// A ring of goals: growing.
#include "vm/schedule/queue.h"

#include "vm/memory.h"

enum { FIRST_SIZE = 16 };

void vm_queue_grow(vm_queue *q)
{
    uint32_t size = q->size ? 2 * q->size : FIRST_SIZE;
    vm_goal **ring = vm_alloc(size * sizeof *ring);
    for (uint32_t i = q->first; i != q->end; i++)
        ring[i & (size - 1)] = q->ring[i & (q->size - 1)];
    q->ring = ring;
    q->size = size;
}
