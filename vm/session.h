// SPDX-License-Identifier: MIT
//
// Machines that go on: a stamped machine gets more goals and more code whenever it is quiet. Goals
// that wait stay, and resume when a later goal binds their variable. The prompt is made of this.
#ifndef VM_SESSION_H
#define VM_SESSION_H

#include "vm/run.h"

// From now on the machine's program is p: the one before with predicates, clauses, code and
// constants added behind its own.
void vm_extend(vm_machine *m, const vm_program *p);
// The next step makes the body of the clause, at the time reached, with `values` for the variables
// in its head (predicate->arity of them).
void vm_begin(vm_machine *m, const vm_clause *clause, const vm_word *values);
vm_word vm_session_variable(vm_machine *m, vm_origin origin); // a new one
// Makes the goals that vm_begin asked for; after that, reduces one generation. False: the run is
// over with *ret_ending (END_DEADLOCK: all remaining goals are suspended).
bool vm_go_on(vm_machine *m, vm_ending *ret_ending);
uint32_t vm_cells_made(const vm_machine *m); // a variable made from now on has at least this number
uint32_t vm_goals_made(const vm_machine *m); // likewise a goal
// Writes what is buffered. True if standard output does not end with the end of a line.
bool vm_flush_output(vm_machine *m);

// The suspended goals, saved while nothing is ready.
typedef struct vm_saved vm_saved;
vm_saved *vm_save(vm_machine *m);
// Returns to a saved state (NULL: no goals) at any time. Goals made since are dropped; the saved
// goals are ready, and will suspend again. `bound`: the older variables that were bound since; they
// become unbound.
void vm_restore(vm_machine *m, const vm_saved *saved, vm_var *const *bound, size_t nbound);
// Gives each suspended goal the predicate that `find` returns for its own (NULL: it keeps its own).
void vm_redirect(vm_machine *m, vm_predicate *(*find)(void *data, vm_predicate *old), void *data);

#endif
