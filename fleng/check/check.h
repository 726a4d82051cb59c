// SPDX-License-Identifier: MIT
//
// Warnings about a program that is not run.
//
//   check.c    variables that occur once, predicates never called, idle imports and exports
//   clauses.c  clauses that are never chosen, and clauses between which timing chooses
//   guards.c   whether heads and guards can hold together
//   modes.c    variables without a writer, or with two
//   outputs.c  heads that look for what only their own predicate binds
//
// A warning must hold for every goal that the program could make. Undecided cases are not reported.
#ifndef FLENG_CHECK_H
#define FLENG_CHECK_H

#include "fleng/analyse/analysis.h"
#include "fleng/reader/messages.h"

typedef struct {
    const fl_program *program;
    fl_messages *messages;
    const fl_procedure **procedure_of; // by predicate number; NULL: built in
    bool in_error;                     // something in the program is
} fl_check;

// Adds the warnings to messages.
void fl_check_program(const fl_program *p, fl_messages *messages);

// ---- Parts --------------------------------------------------------------------------------------

void fl_warn(const fl_check *k, const fl_clause *c, fl_severity severity, const char *code,
             uint32_t line, uint32_t column, uint32_t width, const char *format, ...)
    __attribute__((format(printf, 8, 9)));
// Is there an error in the clause?  Then its IR is not complete.
bool fl_is_in_error(const fl_check *k, const fl_clause *c);
// Did the user write the predicate in this form?
bool fl_is_checked(const vm_predicate *p);
// Does the program begin somewhere, with a goal or with main/0?
bool fl_has_start(const fl_program *p);
void fl_check_clauses(const fl_check *k, const fl_procedure *q);
void fl_check_modes(const fl_check *k);

// Names in the arguments of goals may be called while the program runs.
typedef struct {
    fl_dictionary first; // by name: the first procedure + 1
    uint32_t *next;      // by procedure: the next of the same name + 1
} fl_procedure_names;

fl_procedure_names fl_list_names(const fl_program *p);
// Calls `found` for each predicate that a name in an argument of the body may mean.
void fl_find_named_in(const fl_program *program, const fl_procedure_names *names, const fl_clause *c,
                      void (*found)(void *data, const vm_predicate *p), void *data);

// ---- guards.c -----------------------------------------------------------------------------------

typedef enum { FL_CAN_HOLD, FL_CANNOT_HOLD, FL_UNDECIDED } fl_decision;

// Can a goal fit the heads and guards of both clauses (b NULL: of a)?
fl_decision fl_can_hold(const fl_clause *a, const fl_clause *b);
// Do both bodies do the same for every goal that fits both heads?  False also if new variables
// occur in them, which is not examined.
bool fl_same_bodies(const fl_clause *a, const fl_clause *b);
// Does `a` fit every goal that `b` fits, and no later?  If in doubt, false.
bool fl_covers(const fl_clause *a, const fl_clause *b);

#endif
