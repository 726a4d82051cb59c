// SPDX-License-Identifier: MIT
//
// A goal as the recorder and the diagnostics see it. The engine owns all goals. Others only read
// them, for as long as the function that returned them says.
#ifndef VM_PUBLIC_GOAL_H
#define VM_PUBLIC_GOAL_H

#include "vm/program.h"

typedef struct vm_stamp vm_stamp; // vm/recorder.h

// Where a suspended goal is in the list of a variable that it waits for (vm/engine/bind.h).
typedef struct {
    vm_word next;       // as a variable's value has it
    uint32_t length : 31; // of the list from here on when the record was added, stale ones included
    uint32_t for_value : 1; // the goal needs a value: another variable in its place is of no use to it
    uint16_t owner;     // of the variable; others look at it
    uint16_t swept : 5; // the length after the last sweep is less than 2^swept
    uint16_t own : 1;   // it is part of its goal
    uint16_t home : 10; // the worker whose goal it is
} vm_waiting;

// A record begins at an address that 16 divides, and so do its `waiting` and the records behind it:
// it has room for an odd number of arguments.
typedef struct vm_goal {
    vm_predicate *predicate;
    vm_origin site;      // clause and item that created it
    union {
        struct vm_goal *next; // free: in the list of free records
        vm_waiting waiting;   // plain: of the only variable that it waits for
        struct {            // stamped
            union {
                int64_t created;
                vm_stamp *parent; // real: that created it
            };
            uint32_t id;     // number in order of creation; real: among its parent's goals
            uint32_t module; // of a run with a profile
        };
    };
    uint64_t generation; // and state: see vm/engine/goal.h
    uint32_t nargs;
    int32_t priority;    // plain and real runs of programs that have priorities
    void *progress;       // a built-in's state between attempts, or shared by its goals (merge)
    vm_word args[];
} vm_goal;

#endif
