// SPDX-License-Identifier: MIT
//
// How a run ended, in words (private to fleng/).
#ifndef FLENG_ENDING_H
#define FLENG_ENDING_H

#include "fleng/ir.h"
#include "fleng/reader/map.h"
#include "vm/run.h"

// Names of variables in one report: those of the source, numbered where several share one.
typedef struct {
    const vm_program *code;
    const fl_program *program; // NULL: what the code knows will do
    bool plain;                // _1, _2, ... for all
    fl_map by_variable;
    fl_map counts; // of variables by name
    uint32_t n;
    fl_map *makers; // origin.c
    fl_map noted;   // by variable: what the goals say of it (fl_origin)
} fl_namer;

const char *fl_name_variable(void *namer, const vm_var *v); // for vm_print_options
void fl_call_variable(fl_namer *namer, const vm_var *v, const char *name); // as this from now on

// ---- Who made a variable (origin.c) -----------------------------------------------------------

typedef struct {
    const char *name;        // "_" if it has none or none is known
    const fl_clause *clause; // that made it, NULL: a built-in, or unknown
    uint32_t variable;       // of the clause
    uint32_t others;         // so many more clauses may have made it
    bool builtin;
} fl_origin;

fl_origin fl_find_origin(fl_namer *n, const vm_var *v);
// What the goal was called with tells of the variables in its arguments.
void fl_note_goal(fl_namer *n, const vm_goal *goal);

typedef struct {
    vm_machine *machine;
    const fl_program *program;
    const vm_program *code;
    bool colour;
    FILE *out;
    fl_namer namer;
} fl_report_context;

// Writes what ended the run, unless it is normal or halted; the first line by itself is put to
// *ret_message (in the collected heap). Returns the exit status.
int fl_report_ending(fl_report_context *c, vm_ending ending, const char **ret_message);

// ---- Parts (ending.c, deadlock.c, marked.c, dump.c) -------------------------------------------

// Text of a goal or term, abbreviated, in the collected heap.
const char *fl_goal_text(fl_report_context *c, const vm_goal *goal);
const char *fl_value_text(fl_report_context *c, vm_word term);
const char *fl_short_text(fl_report_context *c, vm_word term, uint32_t max_cells); // 0: whole
const char *fl_format(const char *text, ...) __attribute__((format(printf, 1, 2)));
// Text in the collected heap; cut, at a character, if it is long. Frees text.
const char *fl_shorten(char *text, size_t length);
// The line with its message, and the source line below it, in which another part may be underlined
// (other: NULL if not).
void fl_report_at(fl_report_context *c, vm_origin place, const fl_place *other,
                  const char *message);
// The source line alone.
void fl_report_excerpt(const fl_report_context *c, vm_origin place, const char *indent);
// If the place is in the library: where the program may have called it from.
void fl_report_callers(const fl_report_context *c, vm_origin place);
// file:line:column of a body goal, or what made it.
const char *fl_place_text(const fl_report_context *c, vm_origin place);
bool fl_find_place(const fl_report_context *c, vm_origin place, fl_place *ret_place);
const char *fl_predicate_text(const vm_predicate *p); // name/arity, or what stands for it
// Was it made of a conditional in a body (KL1)?
bool fl_is_conditional(const vm_predicate *p);
// The predicate of the goal, by the name that stands in the source.
const char *fl_called_text(const fl_report_context *c, const vm_goal *goal);
// The clause item that created the goal, and the clause; NULL if that was none of its own.
const fl_item *fl_item_of(const fl_report_context *c, const vm_goal *goal,
                          const fl_clause **ret_clause);
// Every goal that waits. interrupted: others could still run.
void fl_report_waiting(fl_report_context *c, bool interrupted, const char **ret_message);
void fl_report_ready(fl_report_context *c, vm_goal **goals, size_t n); // goals of vm_ready()

// A line with the part between \1 and \2 marked, and a line of carets below it.
void fl_print_marked(const fl_report_context *c, const char *indent, const char *text);
// Two terms that differ, if they are compounds: two lines each.
void fl_print_difference(fl_report_context *c, vm_word left, vm_word right);

// The clause as the reader understood it, each line behind the indentation.
void fl_print_clause(const fl_clause *c, const char *indent, FILE *out);
// Guards of a clause, and one of them, as text.
const char *fl_guards_text(const fl_clause *c);
const char *fl_guard_text(const fl_clause *c, const fl_guard *g);

#endif
