// SPDX-License-Identifier: MIT
//
// Between the reducing loops and the rest of the machine (private to vm/).
#ifndef VM_LOOP_ENTRY_H
#define VM_LOOP_ENTRY_H

#include "vm/engine/machine.h"

vm_machine *vm_machine_create(const vm_program *p, const vm_options *o);
void vm_machine_reserve(vm_machine *m); // room for what the program needs

typedef enum {
    VM_CONTINUE,
    VM_REDUCED,   // a built-in's goal was (plain runs)
    VM_EXHAUSTED, // no goal is ready
    VM_QUANTUM_OVER, // plain runs: the loop is to be entered again
    VM_MAIL,         // likewise: there are letters of other workers
    VM_FAILED,    // m->end.failure says why
    VM_HALTED,
    VM_STOPPED,   // a limit was reached
} vm_outcome;

vm_outcome vm_loop_plain(vm_machine *m, vm_goal *goal);
vm_outcome vm_loop_stamped(vm_machine *m, vm_goal *goal);
vm_outcome vm_loop_real(vm_machine *m, vm_goal *goal); // stamped, one worker of a team

// Ideal: reduces the goals of the next step. VM_CONTINUE: there may be more steps.
vm_outcome vm_reduce_step(vm_machine *m);
vm_ending vm_ending_of(vm_machine *m, vm_outcome outcome); // of a run
// Clears what a loop left on the stack, in registers and in lists; no loop is running. Words of goals
// that are done may be there, and such a word may be the beginning of a stream: the collector would
// then keep the whole stream.
void vm_forget_quantum(vm_machine *m);

// Calls run(m). If memory is exhausted meanwhile: VM_FAILED with FAIL_MEMORY.
vm_outcome vm_guarded(vm_machine *m, vm_outcome (*run)(vm_machine *m));

// Plain: runs a built-in's goal, which is in no queue; it is freed (VM_REDUCED) or suspended.
vm_outcome vm_call_plain(vm_machine *m, vm_goal *goal);
// Stamped: an attempt at a built-in's goal at step m->reduction.now.
vm_outcome vm_call_stamped(vm_machine *m, vm_goal *goal);

// Plain and real, when a quantum is over: stops the run if a limit is reached, if it was interrupted or
// if memory is short; else vm_next_goal() will choose the goal of the next quantum.
void vm_pause(vm_machine *m);

// Plain: operator op on n values; 0 if they are not all bound to numbers that allow it.
vm_word vm_calculate(uint32_t op, const vm_word *values, uint32_t n);

// Stamped, after a reduction: counts it, tells the recorder, frees the goal (NULL: the beginning).
void vm_reduced(vm_machine *m, vm_goal *goal, const vm_clause *clause);

void vm_began(vm_machine *m); // the beginning was made: keeps its results

// Around a built-in that changes state which all workers share, such as streams: no two of these reduce
// at the same time.
void vm_serial_begin(vm_machine *m, const vm_goal *goal);
void vm_serial_end(vm_machine *m);
// Likewise, unless another worker does so now; true if nothing is left to wait for.
bool vm_serial_try(vm_machine *m, const vm_goal *goal);

// Of a worker of a team: would the built-in wait for standard input while there is something else to do?
// What was written before is seen by then.
bool vm_is_early(vm_machine *m, const vm_goal *goal);

// The reduction that the machine just made, as far as every kind of stamped run knows it.
static inline vm_event vm_event_of(const vm_machine *m, const vm_goal *goal,
                                   const vm_clause *clause)
{
    return (vm_event){
        .goal = goal,
        .clause = clause,
        .time = m->reduction.now,
        .nreads = m->attempt.reads.n,
        .nfollowed = m->reduction.followed.n,
        .nbindings = m->reduction.bindings.n,
        .npassed = m->reduction.passed.n,
        .reads = m->attempt.reads.at,
        .followed = m->reduction.followed.at,
        .passed = m->reduction.passed.at,
        .bindings = m->reduction.bindings.at,
        .registers = m->frame.registers,
        .ncells = m->cells.list.n,
        .ngoals = m->reduction.goals.n,
        .cells = m->cells.list.at,
        .goals = m->reduction.goals.at,
    };
}

#endif
