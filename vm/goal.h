// SPDX-License-Identifier: MIT
//
// A goal as the recorder and the diagnostics see it. The engine owns all goals. Others only read
// them, for as long as the function that returned them says.
#ifndef VM_PUBLIC_GOAL_H
#define VM_PUBLIC_GOAL_H

#include "vm/program.h"

typedef struct vm_stamp vm_stamp; // vm/recorder.h

typedef struct vm_goal {
    vm_predicate *predicate;
    struct vm_goal *next; // in whatever list it is
    uint64_t generation;  // and state: see vm/engine/goal.h
    vm_origin site;       // clause and item that created it
    uint32_t id;          // stamped: number in order of creation; real: among its parent's goals
    uint32_t nargs;
    union {
        int64_t created;  // stamped
        vm_stamp *parent; // real: that created it
    };
    uint32_t module;      // of a run with a profile
    int32_t priority;     // plain and real runs of programs that have priorities
    void *progress;       // a built-in's state between attempts, or shared by its goals (merge)
    vm_word args[];
} vm_goal;

#endif
