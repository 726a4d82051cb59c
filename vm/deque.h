// SPDX-License-Identifier: MIT
//
// The deque of a worker's ready goals (private to vm/), after Chase and Lev, "Dynamic circular
// work-stealing deque" (SPAA 2005), with the memory orders of Lê, Pop, Cohen and Zappella Nardelli,
// "Correct and efficient work-stealing for weak memory models" (PPoPP 2013).
//
//      top                       bottom
//       v                          v
//   ... [ oldest ][    ] ... [newest][free] ...
//    thieves -->                <-- owner
//
// bottom: written by the owner only. top: only ever counted up, by compare-and-swap, by whoever
// takes the oldest goal (thieves; the owner where it takes the last one, or the oldest on
// purpose). ring: replaced by the owner only; old rings stay valid as long as a thief may look.
#ifndef VM_DEQUE_H
#define VM_DEQUE_H

#include "vm/vm.h"

typedef struct {
    uint64_t size; // a power of two
    vm_goal *goals[];
} vm_ring;

typedef struct {
    int64_t top;
    char apart[64 - sizeof(int64_t)]; // thieves and owner do not share a cache line
    int64_t bottom;
    vm_ring *ring;
    char apart2[64 - 2 * sizeof(int64_t)];
} vm_deque;

void vm_deque_init(vm_deque *d);
void vm_deque_push(vm_deque *d, vm_goal *goal);  // owner
vm_goal *vm_deque_pop(vm_deque *d);              // owner: the newest; NULL if there is none
// Anyone: the oldest. NULL and *ret_again: another worker was faster, try again; else it is empty.
vm_goal *vm_deque_steal(vm_deque *d, bool *ret_again);
uint32_t vm_deque_count(const vm_deque *d); // others may take some meanwhile

#endif
