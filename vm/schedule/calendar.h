// SPDX-License-Identifier: MIT
//
// The calendar of the ideal machine: which goals are tried at which step of virtual time (private
// to vm/).
//
// A goal that may see bindings up to time t - cost is tried at step t; the goals of one step run in
// order of creation. A ring of steps is enough, as no goal is put further ahead than the largest
// cost.
//
//        now
//         v
//     [ t ][ t+1 ][ t+2 ] ... [ t + largest cost ]      each: fresh goals, resumed goals
#ifndef VM_CALENDAR_H
#define VM_CALENDAR_H

#include "vm/term/heap.h"

typedef struct {
    ARRAY_OF(vm_goal *) fresh;   // in order of creation where costs are equal
    ARRAY_OF(vm_goal *) resumed; // in any order
} vm_step;

typedef struct {
    vm_step *steps;
    uint32_t nsteps;
    uint64_t scheduled;         // goals
    ARRAY_OF(vm_goal *) batch; // goals of one step: see vm_next_step()
} vm_calendar;

// Makes room for the costs of a program. No goal is scheduled.
void vm_calendar_reserve(vm_calendar *c, const vm_program *p);
// At which step (> now, at most now + largest cost) the goal is tried. fresh: it was just created.
void vm_schedule(vm_calendar *c, vm_goal *goal, int64_t step, bool fresh);
// Takes the goals of the first step after `now` that has any, older first, into c->batch, where
// they are until the next call. Returns the step; 0: no goal is left.
int64_t vm_next_step(vm_calendar *c, int64_t now);
void vm_calendar_clear(vm_calendar *c); // no goal is scheduled any more

#endif
