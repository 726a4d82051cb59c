// SPDX-License-Identifier: MIT
//
// A ring of goals: growing, and taking goals out of its middle.
#include "vm/schedule/queue.h"

#include "vm/memory.h"

enum { FIRST_SIZE = 16, MOST_LOOKED_AT = 256 };

// The collector need not look into a ring, as records of goals live as long as the machine. So the half
// that is still free costs nothing, however large it is.
void vm_queue_grow(vm_queue *q)
{
    uint32_t size = q->size ? 2 * q->size : FIRST_SIZE;
    vm_goal **ring = vm_alloc_atomic(size * sizeof *ring);
    for (uint32_t i = q->first; i != q->end; i++)
        ring[i & (size - 1)] = q->ring[i & (q->size - 1)];
    vm_free(q->ring);
    q->ring = ring;
    q->size = size;
}

// Closes the gaps (NULL) below `end`.
static void close_gaps(vm_queue *q, uint32_t end)
{
    uint32_t to = end;
    for (uint32_t from = end; from != q->first; from--) {
        vm_goal *goal = q->ring[(from - 1) & (q->size - 1)];
        if (goal)
            q->ring[--to & (q->size - 1)] = goal;
    }
    if ((int32_t)(q->floor - to) < 0)
        q->floor = to;
    q->first = to;
}

vm_goal *vm_queue_take_at(vm_queue *q, uint32_t position)
{
    vm_goal **place = &q->ring[position & (q->size - 1)], *goal = *place;
    *place = NULL;
    close_gaps(q, position + 1);
    return goal;
}

void vm_queue_take_some(vm_queue *q, uint32_t until, uint32_t n, vm_fits fits, struct vm_worker *w,
                        vm_goals *goals)
{
    uint32_t count = (int32_t)(until - q->first) > 0 ? until - q->first : 0;
    count = count < vm_queue_count(q) ? count : vm_queue_count(q);
    count = count < MOST_LOOKED_AT ? count : MOST_LOOKED_AT;
    uint32_t last = q->first, found = 0, taken = 0;
    for (uint32_t i = q->first; i != q->first + count && taken < n; i++) {
        vm_goal **place = &q->ring[i & (q->size - 1)];
        if (!fits(w, *place) || found++ % 2 != 0)
            continue;
        VM_PUSH(*goals, *place);
        *place = NULL;
        last = i + 1;
        taken++;
    }
    close_gaps(q, last);
}
