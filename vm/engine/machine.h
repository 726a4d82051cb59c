// SPDX-License-Identifier: MIT
//
// A machine: all state of one worker of a run, by owner (private to vm/).
//
//     part         what it is about                               who changes it
//     cells        the objects of a stamped run, numbered         makers of terms (vm/term/heap.h)
//     attempt      whether the goal may reduce                    loops, matcher, equality, built-ins
//     reduction    what the reduction does after its commit       loops, unification, built-ins
//     worker       which goal runs next, and for how long         vm/schedule
//     calendar     the same on the ideal machine                  vm/schedule
//     frame        registers                                      loops
//     start, end   the first clause; why the run ended            machine.c, rollback.c; failures
//     builtins     what built-in predicates keep between goals    built-ins
//     callees      predicates that `call` found                   called.c
//     abroad       bindings that other workers are to make        unification
//     hunt         which goals belong to this worker              workers.c
//
// A worker changes its own machine only. What several workers change is in mailboxes and in the team
// (vm/schedule/team.h) and, in real runs, in goal records (goal.h) and in variables (bind.h).
#ifndef VM_MACHINE_H
#define VM_MACHINE_H

#include "vm/run.h"
#include "vm/schedule/calendar.h"
#include "vm/schedule/worker.h"
#include "vm/term/heap.h"

// A disjunction of a guard that is being tried.
typedef struct {
    uint32_t label; // next alternative
    bool waited;    // an earlier alternative waits
    uint32_t waits; // number of variables in attempt.waits before the disjunction
} vm_either;

// The attempt under way: what it has looked at and what it needs.
typedef struct {
    vm_goal *goal; // stamped: the goal that may reduce now; NULL: none
    int64_t limit; // stamped: a binding is visible if its time <= limit
    ARRAY_OF(vm_var *) reads;
    ARRAY_OF(vm_var *) waits;
    ARRAY_OF(vm_either) either;
    vm_word *first; // match.c: first occurrences of variables, by register
    struct vm_compared *compared; // what comparisons of the goal found in earlier attempts (equal.c)
    bool compares;  // this attempt added to it
    bool identity;  // it waits to know whether two variables are one (or an attempt before it did)
    bool partial;   // the attempt of this clause went on with a comparison: it has not all reads
    bool whole;     // this attempt does not use `compared`
    bool dry;       // it only finds out what the goal waits for; nothing may change
} vm_attempt;

// The reduction under way, after its commit, or the running built-in. The recorder gets it.
typedef struct {
    int64_t now;   // stamped: its virtual time
    vm_goal *goal; // of a built-in
    uint32_t item; // body item being made
    ARRAY_OF(vm_var *) followed; // by `=`, to what it binds or compares
    ARRAY_OF(vm_var *) passed;   // by `=`, on the other side: see vm_binding
    ARRAY_OF(vm_binding) bindings;
    ARRAY_OF(vm_goal *) goals;
    uint32_t next_goal;    // number of the next goal that is created
    uint32_t next_mark;    // see vm_var.mark
    int32_t next_priority; // of the goal that SPAWN_AT makes
} vm_reduction;

// The values of the goal that runs, while it runs.
typedef struct {
    vm_word *registers;
    vm_word *arguments; // of the goal that EXEC continues with
    vm_float *floats;   // by register: a float that only an expression under way uses
    uint32_t room;      // elements of these three and of attempt.first
} vm_frame;

// A binding that only the owner of the variable, another worker, may make (bind.h).
typedef struct {
    vm_var *variable;
    vm_word value;
} vm_wish;

// What looks for gifts found: lists that goals would take along, variables that readers wait for
// (workers.c). Lists and variables are inverted words, so that they are not kept alive.
typedef struct {
    uint32_t number, left;  // of the look: its quantum + 1; elements that looks may still see
    vm_word whole;          // the last list that nobody makes any more: many goals may share it
    vm_word begun, reached; // a list that was too long, and how far it was looked through
    uint64_t collections;   // until the next collection
    uint32_t elements;      // of `begun`, so far
    vm_word open;           // a list that somebody is still making
    uint32_t open_until;    // the look that may see it again
    vm_word awaited;        // a variable that a reader waits for, one of each look,
    uint32_t noted, since;  // the last look that found it, and the first;
    uint32_t asked;         // the last one that asked for another look
} vm_hunt;

// How the run begins.
typedef struct {
    const vm_clause *clause; // its body is made first
    bool made;               // this has been done
    vm_word *results;        // copies of its first registers
} vm_start;

// How the run ended.
typedef struct {
    vm_failure failure;
    int halt_status;
    vm_machine *by; // the worker whose failure or halt ended the run
} vm_end;

// Changes the order of the goals that are about to be tried at one step.
typedef void (*vm_arrange)(vm_machine *m, vm_goal **batch, uint32_t n);

// What built-in predicates keep between their goals.
typedef struct {
    vm_arrange arrange; // ideal runs: puts the goals of a step in order; NULL: they are in order
    uint32_t timers;    // goals of timers that are made anew until their time has come
    struct vm_output *output; // standard output and error, other open files
} vm_builtin_state;

// The predicates that `call` found, by name and arity (called.c).
typedef struct {
    const char *module; // as vm_program.find wants it
    uint32_t name, arity;
    vm_predicate *predicate; // NULL: the entry is empty
} vm_callee;

typedef struct {
    const vm_program *program; // what they were found in
    vm_callee *at;
} vm_callees;

struct vm_machine {
    vm_cells cells; // first: vm_cells_of()
    const vm_program *program;
    vm_options options;
    bool stamped;
    bool ideal;           // stamped, not real
    struct vm_real *real; // of a real stamped run (real.h)
    vm_attempt attempt;
    vm_reduction reduction;
    vm_worker worker;
    vm_calendar calendar;
    vm_frame frame;
    vm_start start;
    vm_end end;
    vm_builtin_state builtins;
    vm_callees callees;
    ARRAY_OF(vm_wish) abroad; // of the reduction under way
    vm_hunt hunt;
    vm_memory_way way;       // what to do when memory is exhausted
    vm_machine **machines;   // those of all workers of the run, by number
    uint32_t nmachines;
    struct vm_slabs *slabs;  // memory of goal records (goal.h)
};

// Do several workers change variables and goals, so that all do so by compare-and-swap? (bind.h)
static inline bool vm_swaps(const vm_machine *m)
{
    return m->real && m->worker.team;
}

bool vm_is_interrupted(void); // somebody called vm_interrupt()

#endif
