// SPDX-License-Identifier: MIT
//
// A queue of ready goals that only one worker uses (private to vm/): a ring of 2^k goals, which grows
// before it changes, so the queue is intact if memory is exhausted.
//
//      first          floor            end
//        v              v               v
//   ... [ oldest ][    ][     ][ newest ][ free ] ...
//
// Goals below the floor are not the newest for anybody until the floor is lowered; the oldest goal
// may be taken in any case.
#ifndef VM_QUEUE_H
#define VM_QUEUE_H

#include "vm/goal.h"
#include "vm/term/heap.h"

typedef ARRAY_OF(vm_goal *) vm_goals;

struct vm_worker;
typedef bool (*vm_fits)(struct vm_worker *w, const vm_goal *goal);

typedef struct {
    vm_goal **ring;
    uint32_t size, first, end; // positions count on, modulo 2^32; size: 0 or a power of two
    uint32_t floor;            // first <= floor <= end
} vm_queue;

void vm_queue_grow(vm_queue *q);

static inline uint32_t vm_queue_count(const vm_queue *q)
{
    return q->end - q->first;
}

static inline void vm_queue_push(vm_queue *q, vm_goal *goal)
{
    if (__builtin_expect(q->end - q->first == q->size, 0))
        vm_queue_grow(q);
    q->ring[q->end & (q->size - 1)] = goal;
    q->end++;
}

// The floor may not be above the oldest goal.
static inline void vm_queue_push_oldest(vm_queue *q, vm_goal *goal)
{
    if (__builtin_expect(q->end - q->first == q->size, 0))
        vm_queue_grow(q);
    bool at_floor = q->floor == q->first;
    q->first--;
    q->ring[q->first & (q->size - 1)] = goal;
    if (at_floor)
        q->floor = q->first;
}

static inline vm_goal *vm_queue_at(const vm_queue *q, uint32_t position)
{
    return q->ring[position & (q->size - 1)];
}

// NULL if there is none above the floor.
static inline vm_goal *vm_queue_newest(vm_queue *q)
{
    if (q->end == q->floor)
        return NULL;
    return q->ring[--q->end & (q->size - 1)];
}

// Takes at most n goals out that fit, the oldest first: the oldest one or, of several, every second one
// from the oldest on. Looks at some of the oldest only, at none from the position `until` on.
void vm_queue_take_some(vm_queue *q, uint32_t until, uint32_t n, vm_fits fits, struct vm_worker *w,
                        vm_goals *goals);

// Takes out the goal at that position.
vm_goal *vm_queue_take_at(vm_queue *q, uint32_t position);

// NULL if there is none.
static inline vm_goal *vm_queue_oldest(vm_queue *q)
{
    if (q->end == q->first)
        return NULL;
    vm_goal *goal = q->ring[q->first & (q->size - 1)];
    if (q->floor == q->first)
        q->floor++;
    q->first++;
    return goal;
}

#endif
