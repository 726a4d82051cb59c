// SPDX-License-Identifier: MIT
//
// Goals by priority (private to vm/). A program with priorities has all ready goals of a worker
// here. All that leave it have the highest priority.
//
//     levels:   [ 0: goals ][ 7: - ][ 10: goals ][ 50: goals ]      lowest first
//                               ^                     ^
//                     empty, used again          taken from
#ifndef VM_PRIORITY_QUEUE_H
#define VM_PRIORITY_QUEUE_H

#include "vm/schedule/queue.h"
#include "vm/term/heap.h"

typedef struct {
    int32_t priority;
    vm_queue queue;
} vm_level;

typedef struct vm_priority_queue {
    uint32_t count; // of all goals
    ARRAY_OF(vm_level) levels;
} vm_priority_queue;

void vm_priority_queue_push(vm_priority_queue *p, vm_goal *goal);
void vm_priority_queue_push_oldest(vm_priority_queue *p, vm_goal *goal); // of its priority
// Of those with the highest priority; NULL if there is no goal.
vm_goal *vm_priority_queue_newest(vm_priority_queue *p);
vm_goal *vm_priority_queue_oldest(vm_priority_queue *p);
// The priority, `highest` at most, of the highest level with a goal for which is_such is false.
// False: there is no such level.
bool vm_priority_queue_find_other(vm_priority_queue *p, int32_t highest,
                                  bool (*is_such)(const vm_goal *), int32_t *ret);

// The lowest priority of a goal, `highest` at most.
int32_t vm_priority_queue_lowest(vm_priority_queue *p, int32_t highest);

static inline uint32_t vm_priority_queue_count(const vm_priority_queue *p)
{
    return p->count;
}

#endif
