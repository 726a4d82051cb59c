// SPDX-License-Identifier: MIT
//
// Several workers (private to vm/): a thread and a machine each, one run.
//
// Life of a worker:
//
//     +--> WORKING --its deque is empty--> LOOKING --stole a goal--> WORKING
//     |                                       |
//     |                           nothing anywhere (under the lock: idle + 1)
//     |                                       v
//     +--- woken: some deque has goals ---- IDLE --the last one to become idle--> ENDED, all leave
//
// Only a worker that is WORKING makes goals ready, so when all are IDLE no goal is ready and none
// will be: the run is over, exactly; goals that are left wait for good. A worker that pushes a goal
// while somebody is idle wakes one.
#ifndef VM_TEAM_H
#define VM_TEAM_H

#include "vm/deque.h"
#include "vm/loop_entry.h"

#include <pthread.h>

typedef struct vm_team {
    uint32_t n;
    vm_machine **workers;
    vm_deque *deques;
    pthread_mutex_t lock; // of idle, ended
    pthread_cond_t woken;
    uint32_t idle;       // written under lock, read without it as a hint
    bool ended;
    uint32_t stop;       // set once: an outcome that ends the run for all
    vm_machine *stopped_by;
    pthread_mutex_t serial; // held by built-ins that share state
} vm_team;

vm_team *vm_team_create(vm_machine *first);
// Runs all workers, the first on this thread, until the run is over. The worker whose failure or
// halt ended it is *ret_by.
vm_outcome vm_team_run(vm_team *t, vm_machine **ret_by);

// For the loop of a worker: its next goal, waiting for one if need be. NULL: the run is over.
vm_goal *vm_team_next(vm_machine *m);
void vm_team_push(vm_machine *m, vm_goal *goal); // to its deque
void vm_team_pushed(vm_machine *m); // there is a goal in its pool

// Of the deque of this worker; NULL: it is empty.
vm_goal *vm_team_own_newest(vm_machine *m);
vm_goal *vm_team_own_oldest(vm_machine *m);
uint32_t vm_team_own_count(const vm_machine *m);
uint64_t vm_team_ready(const vm_team *t); // goals that are, and workers that run one
bool vm_team_is_over(const vm_machine *m); // somebody ended the run

#endif
