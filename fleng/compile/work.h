// SPDX-License-Identifier: MIT
//
// How much work goals of a predicate are, and which arguments they cannot do without.
#ifndef FLENG_WORK_H
#define FLENG_WORK_H

#include "fleng/ir.h"

// Sets `small` and `needs` of the program's own predicates (vm_predicate).
void fl_note_work(const fl_program *p);

#endif
