// SPDX-License-Identifier: MIT
//
// merge/2: the interface for KL1's mergers and for the table of built-ins.
#ifndef VM_MERGE_H
#define VM_MERGE_H

#include "vm/engine/machine.h"

// Makes a merger of KL1 on behalf of the built-in that runs. `in` is a list of items. The list, or
// any rest of it, may also be a vector of streams, which are merged from there on.
void vm_merge_streams(vm_machine *m, vm_word in, vm_word out);

// For the table of built-ins. A stream of such a merger is no part of a deadlock: nobody has to
// close it. The state that the goals of one merge share is saved for an undo.
bool vm_merger_is_idle(const vm_goal *goal);
void *vm_merge_save(const vm_goal *goal);
void vm_merge_restore(const vm_goal *goal, const void *saved);

#endif
