// SPDX-License-Identifier: MIT
//
// Running a program, and how a run ended.
//
// A run is plain (goals in whatever order is fast) or stamped: every binding carries its virtual
// time. A reduction happens at its predicate's cost plus the largest of the time when its goal was
// created and the times of the bindings that its commit read. A stamped run is ideal (generation by
// generation, in the order of virtual time) or real (workers reduce in whatever order is fast, and
// the stamps are computed along the flow of data).
#ifndef VM_RUN_H
#define VM_RUN_H

#include "vm/order.h"
#include "vm/goal.h"
#include "vm/profile.h"
#include "vm/recorder.h"
#include "vm/states.h"

// How far a run is. In a run with several workers the figures need not be of the same moment.
typedef struct {
    uint64_t reductions; // plain: at most a few thousand per worker may be missing
    uint64_t ready;      // goals that run or could
    uint64_t waiting;    // suspended goals
    int64_t now;       // virtual time; 0 in plain runs
    size_t memory;     // bytes
    uint32_t workers;
    uint64_t letters, gifts; // between workers: all of them, and those that gave goals away
    uint64_t lists;          // of free memory that workers beside others got from the collector
    uint64_t locked, shared; // about: locked instructions, and writes to lines that others have
} vm_progress_report;

// All zero: a plain run with one worker and no limit.
typedef struct {
    bool stamped;            // the ideal machine, unless `real`
    bool real;               // stamped: the parallel run with stamps
    uint32_t workers;        // threads that reduce; 0 counts as 1; ideal and limited runs have one
    bool together;           // plain: all workers start at once (for tests)
    vm_order_kind order;     // plain, one worker
    bool seeded;             // not ideal: `workers` virtual workers on one thread,
    uint64_t seed;           // scheduled by this number
    uint64_t limit;          // reductions; 0: none
    uint64_t output_limit;   // bytes that the program may write; 0: none
    int64_t until;           // virtual time; 0: none
    vm_recorder *recorder;   // NULL: not traced (stamped runs only)
    vm_profile *profile;     // NULL: none (stamped runs only)
    vm_states *states;       // NULL: nobody wants samples of what workers do
    int argc;                // for argv/1
    char **argv;
    uint32_t result_registers; // registers of the beginning kept for vm_results()
} vm_options;

typedef enum {
    END_NORMAL,      // no goal is left, or only idle ones
    END_FAILED,      // vm_get_failure() says why
    END_HALTED,      // halt/0,1 was called; vm_halt_status()
    END_STOPPED,     // a limit of the options was reached
    END_DEADLOCK,    // goals wait, and no other is left that could resume them
    END_INTERRUPTED, // vm_interrupt() was called
} vm_ending;

typedef enum {
    FAIL_NONE,
    FAIL_NO_CLAUSE, // every clause of the goal's predicate is refuted
    FAIL_UNIFY,     // a `=` of a body
    FAIL_BUILTIN,   // a built-in cannot do what its arguments say
    FAIL_UNDEFINED, // a built-in was to call a predicate that does not exist
    FAIL_MEMORY,    // the limit of vm_memory_limit() was reached
} vm_failure_kind;

// What went wrong, for diagnostics.
typedef struct {
    vm_failure_kind kind;
    vm_goal *goal;       // the goal that failed, with its arguments; FAIL_MEMORY: it may be NULL
    vm_origin where;     // clause and item of a failed `=`
    vm_word left, right; // FAIL_UNIFY: the terms; FAIL_BUILTIN, _UNDEFINED: the culprit, or 0, in left
    char *reason;        // FAIL_BUILTIN, _UNDEFINED: one sentence, malloc'ed
    const char *name;    // FAIL_UNDEFINED: of the predicate that is missing, an atom's text,
    uint32_t arity;      // and its number of arguments
} vm_failure;

// A machine for one run of the program: vm_run(), once, or a session of steps (vm/session.h). It
// does not fail; without memory it ends the process. The options are copied. The program, and what
// the options point to (recorder, profile, argv), stay the caller's and must outlive the machine.
// vm_memory_init() must have been called. In one process only one machine may run at a time.
vm_machine *vm_create(const vm_program *p, const vm_options *o);
// Closes the files that the program left open, after writing what is buffered. Failures to write
// are not told; call vm_finish_output() before to learn of them. Goals and terms are collected
// memory and stay readable; the failure's reason does not.
void vm_destroy(vm_machine *m);
// Runs the program to its end, and flushes standard output and error. A machine runs once.
vm_ending vm_run(vm_machine *m);
// Ends the runs of this process soon, between two reductions. A signal handler may call it. It
// holds for later runs, too, until vm_clear_interrupt() is called. signal: why, for the diagnostics.
void vm_interrupt(int signal);
// The signal that a thread of the run takes while it writes output, so that it does not wait for a reader. Its
// handler is the caller's.
#define VM_NOBODY_READS (SIGRTMIN + 8) // the collector has some before it
int vm_interrupted_by(void); // 0: nobody has called vm_interrupt()
void vm_clear_interrupt(void);
void vm_how_far(const vm_machine *m, vm_progress_report *ret); // a signal handler may call it

// ---- After the run: what these return is the machine's ------------------------------------------

// Writes what is buffered, to files too. NULL, or what could not be written and why (malloc'ed).
char *vm_finish_output(vm_machine *m);
const vm_failure *vm_get_failure(const vm_machine *m); // its kind is FAIL_NONE after other endings
int vm_halt_status(const vm_machine *m);        // 0..255
uint64_t vm_reductions(const vm_machine *m);    // of all workers
int64_t vm_now(const vm_machine *m);            // ideal: virtual time reached; 0 in other runs
const vm_word *vm_results(const vm_machine *m); // options.result_registers of the beginning

#endif
