// SPDX-License-Identifier: MIT
//
// The value that a built-in could not use: where it is in the goal and in the source.
#ifndef FLENG_BAD_VALUE_H
#define FLENG_BAD_VALUE_H

#include "fleng/explain/report.h"
#include "vm/goal.h"

typedef struct {
    uint32_t argument;    // of the goal, from 1
    bool whole;           // the argument itself, not a part of it
    const char *variable; // the variable with this value in the text, or NULL
    fl_place place;       // other_...: its place; line 0 if the goal was made at run time
} fl_bad_value;

// False: the value is not part of the goal, or too deep in it.
bool fl_find_bad_value(const fl_report_context *c, const vm_goal *goal, vm_word bad_value,
                       fl_bad_value *ret);

#endif
