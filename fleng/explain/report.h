// SPDX-License-Identifier: MIT
//
// The parts of a report about a run: terms, goals and places in the words of the source.
#ifndef FLENG_REPORT_H
#define FLENG_REPORT_H

#include "fleng/explain/variable_origin.h"
#include "fleng/reader/messages.h"

#include <stdio.h>

typedef struct {
    vm_machine *machine;
    const fl_program *program;
    const vm_program *code;
    bool colour;
    FILE *out;
    fl_namer namer;
} fl_report_context;

// ---- Texts (report.c): shortened, in the collected heap -----------------------------------------

extern const char fl_the_beginning[]; // the text of the goal that the run began with

const char *fl_goal_text(fl_report_context *c, const vm_goal *goal);
const char *fl_value_text(fl_report_context *c, vm_word term);
const char *fl_short_text(fl_report_context *c, vm_word term, uint32_t max_cells); // 0: whole
const char *fl_predicate_text(const vm_predicate *p); // name/arity, or `a conditional of ...`
// The goal's predicate by the name in the source.
const char *fl_called_text(const fl_report_context *c, const vm_goal *goal);
// Was the predicate made of a conditional in a body (KL1)?
bool fl_is_conditional(const vm_predicate *p);

// ---- Places (report.c) --------------------------------------------------------------------------

// The place of a body goal. False: a built-in made it.
bool fl_find_place(const fl_report_context *c, vm_origin place, fl_place *ret_place);
const char *fl_place_text(const fl_report_context *c, vm_origin place); // file:line:column
// The body goal that the goal was created from, and its clause; NULL: it was created at run time.
const fl_item *fl_item_of(const fl_report_context *c, const vm_goal *goal,
                          const fl_clause **ret_clause);
// A message with its source line, in which another part may be underlined (other: NULL if not).
void fl_report_at(fl_report_context *c, vm_origin place, const fl_place *other,
                  const char *message);
// The source line alone.
void fl_report_excerpt(const fl_report_context *c, vm_origin place, const char *indent);

// ---- Parts of their own -------------------------------------------------------------------------

// If the place is in the library: where the program may have called it from (library_callers.c).
void fl_report_library_callers(const fl_report_context *c, vm_origin place, const char *indent);
// Two terms that differ, if they are compounds: two lines each (differences.c).
void fl_print_difference(fl_report_context *c, vm_word left, vm_word right);
// A line with the part between \1 and \2 marked, and a line of carets below it (differences.c).
void fl_print_marked(const fl_report_context *c, const char *indent, const char *text);
// All goals that wait, with their causes (deadlock.c). interrupted: others could still run.
void fl_report_waiting(fl_report_context *c, bool interrupted, const char **ret_message);
// The same of goals that wait at the prompt, where a later goal may bind what they wait for. False: none does.
bool fl_report_causes(fl_report_context *c);

#endif
