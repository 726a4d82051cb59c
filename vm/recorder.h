// SPDX-License-Identifier: MIT
//
// What a recorder sees of a stamped run: one event for each reduction, with the bindings that the
// reduction read and made. The engine knows nothing else about traces.
#ifndef VM_RECORDER_H
#define VM_RECORDER_H

#include "vm/goal.h"

// A reduction of a real stamped run, as its descendants know it. time, parent and item never change
// once other workers can see the stamp.
//
// recorder_number and recorder_place are the recorder's room: 0 and NULL to begin with. The engine
// never looks at them; the recorder alone knows what it keeps there. A string has room for a number,
// too (vm_string.recorder_number).
struct vm_stamp {
    int64_t time;
    struct vm_stamp *parent; // the reduction that created its goal; NULL: the beginning
    uint32_t item;           // index of its goal among the goals of the parent
    uint32_t recorder_number;
    void *recorder_place;
};

// Which of two reductions is earlier in the order of the ideal machine: by time, and at one time
// the one whose goal is older. Negative, 0 (the same one) or positive.
int vm_stamp_compare(const vm_stamp *a, const vm_stamp *b);

// The event lists what `=` passed on, binding by binding; that of this binding ends at passed_end.
typedef struct {
    vm_var *variable;
    vm_word value;
    uint32_t item, passed_end;
} vm_binding;

// A cell made by a built-in: object, or (vector updates) what it was made from.
typedef struct {
    vm_word object;
    vm_vector *older; // object is older with element index replaced by element
    size_t index;
    vm_word element;
} vm_cell;

// What a real run does on behalf of another reduction, `maker`: its `=` reads, passes on or binds
// the variable. What a binding passes on stands directly before it. engine/real_unify.c says when.
typedef enum { LATE_READS, LATE_PASSES, LATE_BINDS } vm_late_kind;

typedef struct {
    vm_stamp *maker;
    vm_var *variable;
    vm_late_kind kind;
    uint32_t item;    // LATE_BINDS
    vm_word value;    // LATE_BINDS
    uint32_t npassed; // LATE_BINDS
} vm_late;

// One reduction of a stamped run, as the recorder sees it. All pointers are the machine's and
// valid during the call only.
typedef struct {
    const vm_goal *goal;     // NULL for the beginning
    const vm_clause *clause; // NULL for a built-in
    int64_t time;
    uint32_t nreads, nfollowed, nbindings, npassed;
    vm_var *const *reads;    // in the order of looking; in ideal runs without duplicates
    vm_var *const *followed; // by `=`, to the end that it bound; likewise
    vm_var *const *passed;   // by `=`, on the other side: see vm_binding
    const vm_binding *bindings;
    const vm_word *registers; // clause variables
    uint32_t ncells, ngoals;  // built-ins only
    const vm_cell *cells;
    vm_goal *const *goals;
    // Real runs only. Cells are numbered by each machine for itself: VM_CELL_MACHINE and, in order
    // of creation, VM_CELL_COUNT.
    vm_stamp *stamp;
    uint32_t machine, worker; // which thread reduced; which worker that was (seeded: a virtual one)
    int64_t start, end;       // since the run began; vm_tick() says how long a tick is
    uint64_t first_cell, end_cell; // of this reduction: [first, end)
    uint32_t nlate;
    const vm_late *late;
} vm_event;

#define VM_CELL_MACHINE(number) ((uint32_t)((number) >> 48))
#define VM_CELL_COUNT(number) ((number) & (((uint64_t)1 << 48) - 1))
#define VM_CELL_FIRST(machine) ((uint64_t)(machine) << 48)

// In a real run several threads call `reduction` at the same time, each for its own reductions.
typedef struct {
    void *data;
    void (*reduction)(void *data, const vm_event *event);
    // Real runs: gives zeroed memory for stamps, which lives until the process ends. NULL: stamps
    // live in the collected heap.
    void *(*take_room)(void *data, size_t bytes);
} vm_recorder;

// Of a real stamped run: the number of reductions at which the schedule decided. Either another
// clause could have committed by the bindings visible at the reduction's time, or its `=` met a
// variable that is bound later in virtual time. May be called once, after the run.
uint32_t vm_count_races(vm_machine *m);
// What a thread of a real stamped run did beside reducing, in ticks.
typedef struct {
    uint64_t waits, waiting; // attempts that had to wait for a variable
    uint64_t locks, locked;  // waits for another worker, within built-ins that change what all share
} vm_real_sums;
uint32_t vm_real_threads(const vm_machine *m);
vm_real_sums vm_real_get_sums(const vm_machine *m, uint32_t thread); // after the run

// When the clock of a real stamped run's events began: nanoseconds of the monotonic clock.
uint64_t vm_real_began(const vm_machine *m);
// Nanoseconds of one tick of a real stamped run's events; better known the longer the run.
double vm_tick(const vm_machine *m);
// The stamps of the completed reductions of a real run, in no order: malloc'ed; NULL without
// memory. During the run one other thread may call this, and may read what the recorder noted of
// these reductions.
vm_stamp **vm_stamps(const vm_machine *m, size_t *ret_n);

#endif
