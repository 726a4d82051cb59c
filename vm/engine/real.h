// SPDX-License-Identifier: MIT
//
// Real stamped runs (private to vm/): the parallel run, with virtual stamps along its flow of data.
//
// Workers take goals from their queues as in a plain run, and a binding is visible as soon as it
// exists. When a goal commits, its reduction gets a stamp: cost + max(created, times of the
// bindings read). All bindings of the reduction have this time. So a reduction that reads a binding is
// later than the binding in virtual time, too, whatever the order in which workers ran.
//
// Binding, with several workers:
//
//     unbound (records) --swap--> VM_BUSY --time, maker; then, releasing, the term--> bound
//
// A worker that reads the word takes VM_BUSY for unbound. A worker that would bind the variable, or add
// a suspension record to it, waits for the few instructions until it is bound. So a visible binding has
// its time.
#ifndef VM_REAL_H
#define VM_REAL_H

#include "vm/engine/clock.h"
#include "vm/engine/loop_entry.h"

// A reduction that may have raced: a clause waited for a variable that was unbound then.
typedef struct {
    vm_goal *goal; // a copy
    const vm_clause *clause;
    int64_t limit; // it saw bindings up to this time
} vm_open_race;

typedef enum { VM_RIVALS_UNKNOWN, VM_ALONE, VM_RIVALS } vm_rivals;

enum { VM_BLOCK_STAMPS = 2048 };

typedef struct vm_stamps_block {
    struct vm_stamps_block *next;
    vm_stamp *stamps; // VM_BLOCK_STAMPS
} vm_stamps_block;

typedef ARRAY_OF(vm_var *) vm_chain;

typedef struct vm_real {
    vm_stamp *stamp; // of the reduction under way; NULL: a built-in that has only looked so far
    ARRAY_OF(vm_late) late;
    vm_chain left, right; // what `=` followed on its sides, at the pair under way
    ARRAY_OF(vm_goal *) next;    // goals of the body that was made, in the order of the text
    // They are referred to from everywhere until the end. Another thread may walk along the blocks
    // as far as the completed ones go.
    vm_stamps_block first_block, *last_block;
    uint32_t stamps_left; // in the last block
    size_t completed;     // atomic: of them, the first so many are of reductions that are recorded
    vm_clock clock; // the same for all workers
    int64_t start;  // of the attempt under way, ticks
    vm_real_sums sums;
    // A trial of the clauses that a goal did not commit to (races.c).
    const vm_clause *trial; // that it committed to; NULL: no trial is under way
    bool settled;           // some clause fitted: those below an `otherwise` do not count
    uint32_t fits;          // other clauses that fitted
    uint8_t *rivals;        // by clause: may another one fit beside it? (vm_rivals)
    ARRAY_OF(vm_open_race) open;
    uint32_t open_limit; // number of them at which they are looked through
    int64_t floor; // the reduction under way comes after this time, whatever it read (merging)
    bool met; // the reduction under way met a binding that is later in order than itself
    uint32_t raced;
} vm_real;

vm_real *vm_real_create(const vm_program *p);
// A worker's run. The first one (number 0) makes the beginning.
vm_outcome vm_real_run(vm_machine *m);

// The goal commits (NULL: the beginning): gives the reduction its stamp.
void vm_real_commit(vm_machine *m, const vm_goal *goal);
// For what is made now: the stamp of the reduction under way. A built-in commits when it first
// acts.
static inline vm_stamp *vm_real_stamp(vm_machine *m)
{
    if (__builtin_expect(!m->real->stamp, 0))
        vm_real_commit(m, m->reduction.goal);
    return m->real->stamp;
}

void vm_real_reduced(vm_machine *m, vm_goal *goal, const vm_clause *clause);
void vm_real_launch(vm_machine *m, vm_goal *goal);

bool vm_real_unify(vm_machine *m, vm_word left, vm_word right);

// Looks whether the reduction just made raced, by a clause that may have rivals.
void vm_real_look_for_race(vm_machine *m, const vm_goal *goal, const vm_clause *clause);

#endif
