// SPDX-License-Identifier: MIT
//
// merge/2: what KL1's mergers and the table of built-ins use of it.
#ifndef VM_MERGE_H
#define VM_MERGE_H

#include "vm/engine/machine.h"

// Makes a merger of KL1 on behalf of the built-in that runs. `in` is a list of items; a vector of
// streams may stand in place of the list or of its rest, and is merged from there on.
void vm_merge_streams(vm_machine *m, vm_word in, vm_word out);

// For the table of built-ins. A stream of such a merger is no part of a deadlock: nobody has to
// close it. What the goals of one merge share is saved, so that an undo can put it back.
bool vm_merger_is_idle(const vm_goal *goal);
void *vm_merge_save(const vm_goal *goal);
void vm_merge_restore(const vm_goal *goal, const void *saved);

#endif
