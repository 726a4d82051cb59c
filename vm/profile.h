// SPDX-License-Identifier: MIT
//
// Counts of a stamped run by module, made while it runs: how much ran and how much waited at each
// moment, without a trace.
#ifndef VM_PUBLIC_PROFILE_H
#define VM_PUBLIC_PROFILE_H

#include <stdint.h>

// P(t) is the number of the module's goals that are reduced at step t, and W(t) the number of goals
// that were created before t and are not reduced by t. Both are summed over buckets of `width`
// steps: bucket i covers [1 + i * width, 1 + (i + 1) * width). If a goal's predicate is an entry of
// a module, the goal belongs to that module, otherwise to the module of the goal that created it.
#define VM_NO_MODULE UINT32_MAX

typedef struct {
    uint64_t suspended;  // goals never reduced
    int64_t first, last; // steps of the first and last reduction; 0: none
    uint64_t peak;       // largest P(t)
    uint64_t *reduced;   // P
    uint64_t *waiting;   // W
} vm_profile_row;

typedef struct {
    uint32_t nmodules;    // 0: of the goals of the beginning that are no entries
    vm_profile_row *rows; // by module, then one of all together; valid after the run
    int64_t span, width;
    uint32_t nbuckets;
    struct vm_profile_state *state;
} vm_profile;

// entries: by predicate id, a module below nmodules or VM_NO_MODULE; kept. NULL without memory.
vm_profile *vm_profile_create(const uint32_t *entries, uint32_t nmodules);
void vm_profile_destroy(vm_profile *p);

#endif
