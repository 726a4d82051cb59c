// SPDX-License-Identifier: MIT
//
// From the IR to code and clause tables.
#ifndef FLENG_COMPILE_H
#define FLENG_COMPILE_H

#include "fleng/reader/messages.h"

// Errors (a clause is too large) go to messages. stamped: for stamped runs, else for plain runs;
// code.def says how they differ.
vm_program *fl_compile(const fl_program *p, bool stamped, fl_messages *messages);
// Compiles the beginning, if there is one, and the procedures from `first` on. Their code follows
// the code of `base` (NULL: there is none).
vm_program *fl_compile_behind(const vm_program *base, const fl_program *p, uint32_t first,
                              bool stamped, fl_messages *messages);

// The goal that reports show: for a goal of a predicate that the compiler made, the goal of the
// text.
vm_goal *fl_goal_of_text(const vm_program *code, vm_goal *goal);

#endif
