// SPDX-License-Identifier: MIT
//
// Ready goals of a worker by priority (private to vm/): all, in programs that have priorities; in
// others, which do with a queue or a deque, those that are set aside (scheduler.h). A lock guards
// it where there are several workers: thieves take the oldest of the highest priority, as all take
// the highest.
//
//     levels:   [ 0: goals ][ 7: - ][ 10: goals ][ 50: goals ]      lowest first
//                               ^                     ^
//                    empty, its place is used again   taken from
#ifndef VM_POOL_H
#define VM_POOL_H

#include "vm/schedule/queue.h"

typedef struct {
    int32_t priority;
    vm_queue queue;
} vm_level;

typedef struct vm_pool {
    uint32_t lock;
    uint32_t count; // of all goals; written under the lock, read without it as well
    uint32_t nlevels, capacity;
    vm_level *levels;
} vm_pool;

void vm_pool_push(vm_pool *p, vm_goal *goal);
void vm_pool_push_oldest(vm_pool *p, vm_goal *goal); // of its priority
// Of those with the highest priority; NULL if there is no goal.
vm_goal *vm_pool_newest(vm_pool *p);
vm_goal *vm_pool_oldest(vm_pool *p);
// The priority, `highest` at most, of the first level with goals that are not such; false: none
// has.
bool vm_pool_find_other(vm_pool *p, int32_t highest, bool (*is_such)(const vm_goal *),
                        int32_t *ret);

// The priority of its lowest goal, `highest` at most.
int32_t vm_pool_lowest(vm_pool *p, int32_t highest);

static inline uint32_t vm_pool_count(const vm_pool *p)
{
    return __atomic_load_n(&p->count, __ATOMIC_ACQUIRE);
}

#endif
