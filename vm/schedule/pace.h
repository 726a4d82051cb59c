// SPDX-License-Identifier: MIT
//
// Does it pay that several workers share a run? (private to vm/)
//
// The number of reductions per second tells, measured while one worker works alone and while all
// work together. Workers that exchange many small terms are slower together than one is alone. Then
// one works alone for a while, and three times longer after each further trial that does not pay.
// Where working together pays, one still works alone for a moment now and then, because the program
// may have changed its behaviour.
//
//             it wants company, and its time is over
//     ALONE ------------------------------------------> TOGETHER
//       ^                                                 |  ^ |
//       |       a window was not faster: rest             |  +-+ a window was faster
//       +-------------------------------------------------+
//       |       together for long: sample                 |
//       +-------------------------------------------------+
//
// A window is a span of time in one mode. A window together is the sum of several stretches; a
// window alone is one piece. Nothing here reads a clock.
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
    uint64_t until; // a worker that is alone stays alone until then
    uint64_t together_for; // ns since the last window alone
    uint64_t rest, stretch, alone_for; // ns: the next rest, stretch together, and stretch alone
} vm_pace;

// Times in ns of a monotonic clock; counts of the reductions of all workers.
void vm_pace_begin(vm_pace *p, uint64_t now, uint64_t made); // with one alone
// For a worker that is alone: may others join it?
bool vm_pace_may_join(vm_pace *p, uint64_t now, uint64_t made);
// For `workers` that work together: does it pay, so that they should go on?
bool vm_pace_pays(vm_pace *p, uint64_t now, uint64_t made, uint32_t workers);
void vm_pace_change(vm_pace *p, bool together, uint64_t now, uint64_t made); // the mode changed

#endif
