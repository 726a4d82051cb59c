// SPDX-License-Identifier: MIT
//
// The order of merging streams (private to vm/).
#ifndef VM_MERGE_H
#define VM_MERGE_H

#include "vm/engine/machine.h"

// Stamped runs: of the goals of one merge that can pass something on at this step, those of older
// streams go first. They change places among themselves; all other goals keep theirs.
void vm_merge_order(vm_machine *m, vm_goal **batch, uint32_t n);

// A merger of KL1, by the built-in that runs: `in` is a list of items or, in place of a list or of
// the rest of one, a vector of streams that are merged from there on.
void vm_merge_streams(vm_machine *m, vm_word in, vm_word out);
bool vm_is_merger(const vm_goal *goal); // does it carry a stream of such a merger?

// What the goals of one merge share, so that it can be put back (session.c).
typedef struct {
    vm_word tail;
    uint64_t open;
} vm_merge_state;

vm_merge_state vm_merge_save(const vm_goal *goal); // of any goal
void vm_merge_restore(const vm_goal *goal, vm_merge_state state);

#endif
