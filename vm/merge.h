// SPDX-License-Identifier: MIT
//
// The order of merging streams (private to vm/).
#ifndef VM_MERGE_H
#define VM_MERGE_H

#include "vm/machine.h"

// Stamped runs: of the goals of one merge that can pass something on at this step, those of older
// streams go first. They change places among themselves; all other goals keep theirs.
void vm_merge_order(vm_machine *m, vm_goal **batch, uint32_t n);

#endif
