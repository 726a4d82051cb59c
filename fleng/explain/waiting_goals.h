// SPDX-License-Identifier: MIT
//
// The goals that wait, the variables they wait for, and the goals that could bind these.
#ifndef FLENG_WAITING_GOALS_H
#define FLENG_WAITING_GOALS_H

#include "fleng/explain/report.h"
#include "fleng/reader/collected.h"
#include "vm/goal.h"

#define FL_NOBODY UINT32_MAX

enum { FL_MOST_WAITS = 4 }; // variables of one goal that are shown

// A variable that goals wait for.
typedef struct {
    const vm_var *variable;
    uint32_t holder; // a goal that has it in its arguments and does not wait for it, or FL_NOBODY
} fl_awaited;

typedef struct {
    uint32_t nwaits;
    uint32_t waits[FL_MOST_WAITS]; // in fl_waiting_goals.awaited
    uint32_t more;
    uint32_t cause; // the goal that holds one of these variables, or FL_NOBODY
    uint32_t depth; // causes above it
    bool circle;    // its causes lead back to it: the chain was cut here
} fl_wait_state;

// Goals of one predicate created at one place; or one goal.
typedef struct {
    uint32_t goal; // the one that is shown: the nearest to its cause
    size_t count;
    bool circle, printed;
    uint32_t before;     // the group before it under the same cause
    uint32_t last_below; // the last group that waits for this one, or FL_NOBODY
} fl_wait_group;

typedef struct {
    fl_report_context *context;
    vm_goal **goals; // in the order they are shown: by place, then by age
    size_t ngoals;
    bool interrupted;      // goals that do not wait may bind the variables
    bool typed;            // at the prompt: goals that are still to be typed may
    fl_wait_state *states; // by goal
    ARRAY_OF(fl_awaited) awaited;
    base_map numbers; // by variable: awaited + 1
    bool searched_all; // every place where a writer could be
    ARRAY_OF(fl_wait_group) groups;
    uint32_t last_root;
} fl_waiting_goals;

// Sorts the goals and fills in the fields after `interrupted`. grouped: goals of one predicate and
// place make one group.
void fl_find_causes(fl_waiting_goals *w, bool grouped);

#endif
