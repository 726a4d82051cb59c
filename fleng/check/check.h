// SPDX-License-Identifier: MIT
//
// What can be said of a program without running it (private to fleng/: check*.c).
//
//   check.c          variables that occur once, predicates that are never called, what is imported or
//                    exported for nothing
//   check_clauses.c  clauses that are never chosen, clauses between which timing chooses
//   check_guards.c   whether heads and guards can hold together
//   check_modes.c    variables that nobody binds, or two do
//
// A finding is reported only where it holds for every goal that the program could make: what cannot
// be decided is passed over.
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

// Reports what is found to messages.
void fl_check_program(const fl_program *p, fl_messages *messages);

// ---- Parts --------------------------------------------------------------------------------------

void fl_warn(const fl_check *k, const fl_clause *c, fl_severity severity, const char *code,
             uint32_t line, uint32_t column, uint32_t width, const char *format, ...)
    __attribute__((format(printf, 8, 9)));
// Is something in the clause in error?  Then not all of it is there.
bool fl_is_in_error(const fl_check *k, const fl_clause *c);
// Is the predicate written by the user, as it stands?
bool fl_is_checked(const vm_predicate *p);
void fl_check_clauses(const fl_check *k, const fl_procedure *q);
void fl_check_modes(const fl_check *k);

// ---- check_guards.c -----------------------------------------------------------------------------

typedef enum { FL_CAN_HOLD, FL_CANNOT_HOLD, FL_UNDECIDED } fl_decision;

// Can a goal fit the heads and guards of both clauses (b NULL: of a)?
fl_decision fl_can_hold(const fl_clause *a, const fl_clause *b);
// Do the bodies of both clauses say the same of every goal that fits both heads?  (Where new variables
// occur that is not looked into: false.)
bool fl_same_bodies(const fl_clause *a, const fl_clause *b);
// Does `a` fit every goal that `b` fits, as soon as that does?  (If in doubt: false.)
bool fl_covers(const fl_clause *a, const fl_clause *b);

#endif
