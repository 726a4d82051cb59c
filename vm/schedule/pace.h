// SPDX-License-Identifier: MIT
//
// Does it pay that several workers share a run? (private to vm/)
//
// What all reduce in a second tells: when one works alone, and when all do together. Workers that
// pass each other small things are slower together than one is alone; then one works alone for a
// while, three times as long each time that it did not pay again. Where it pays, one works alone
// for a moment now and then, as the program may have become another one.
//
//             it wants company, and its time is over
//     ALONE ------------------------------------------> TOGETHER
//       ^                                                 |  ^ |
//       |       a window was not faster: rest             |  +-+ a window was faster
//       +-------------------------------------------------+
//       |       together for long: sample                 |
//       +-------------------------------------------------+
//
// A window is time in one mode; together it is added up over stretches, alone it is one piece.
// Nothing here reads a clock.
#ifndef VM_PACE_H
#define VM_PACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t time; // ns
    uint64_t made; // reductions
} vm_pace_window;

typedef struct {
    bool together;
    double alone; // reductions per ns in the last window alone; 0: there was none
    uint64_t since, made; // when reductions were added up last, and how many there were
    vm_pace_window windows[2]; // by `together`
    uint64_t until; // one that is alone stays so until then
    uint64_t together_for; // ns since the last window alone
    uint64_t rest, stretch, alone_for; // ns: the next rest, stretch together, and stretch alone
} vm_pace;

// Times in ns by any clock that goes on, counts of the reductions of all workers.
void vm_pace_begin(vm_pace *p, uint64_t now, uint64_t made); // with one alone
// Of one that works alone: may others join it?
bool vm_pace_may_join(vm_pace *p, uint64_t now, uint64_t made);
// Of `workers` that work together: does it pay, so that they are to go on?
bool vm_pace_pays(vm_pace *p, uint64_t now, uint64_t made, uint32_t workers);
void vm_pace_change(vm_pace *p, bool together, uint64_t now, uint64_t made); // it was changed

#endif
