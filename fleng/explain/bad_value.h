// SPDX-License-Identifier: MIT
//
// The value that a built-in could not use (private to fleng/).
#ifndef FLENG_CULPRIT_H
#define FLENG_CULPRIT_H

#include "fleng/explain/run_end.h"
#include "vm/goal.h"

typedef struct {
    uint32_t argument;    // of the goal, from 1
    bool whole;           // it is the argument, not a part of it
    const char *variable; // that stands for it in the text, or NULL
    fl_place place;       // other_...: where it stands; line 0 if the goal was made as data
} fl_culprit;

// False: it is no part of the goal (or too far inside).
bool fl_find_culprit(const fl_report_context *c, const vm_goal *goal, vm_word culprit,
                     fl_culprit *ret);

#endif
