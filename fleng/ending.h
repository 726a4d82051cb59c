// SPDX-License-Identifier: MIT
//
// How a run ended, in words (private to fleng/).
#ifndef FLENG_ENDING_H
#define FLENG_ENDING_H

#include "ir.h"
#include "map.h"

// Names of variables in one report: those of the source, numbered where several share one.
typedef struct {
    const vm_program *code;
    bool plain; // _1, _2, ... for all
    fl_map by_variable;
    fl_map counts; // of variables by name
    uint32_t n;
} fl_namer;

const char *fl_name_variable(void *namer, const vm_var *v); // for vm_print_options

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

// ---- Parts (ending.c, deadlock.c) -------------------------------------------------------------

// Text of a goal or term, abbreviated, in the collected heap.
const char *fl_goal_text(fl_report_context *c, const vm_goal *goal);
const char *fl_value_text(fl_report_context *c, vm_word term);
// The line with its message, and the source line below it.
void fl_report_at(fl_report_context *c, vm_origin place, const char *message);
// file:line:column of a body goal, or what made it.
const char *fl_place_text(const fl_report_context *c, vm_origin place);
const char *fl_predicate_text(const vm_predicate *p); // name/arity
// Every goal that waits. interrupted: others could still run.
void fl_report_waiting(fl_report_context *c, bool interrupted, const char **ret_message);

// Guards of a clause as text (dump.c).
void fl_print_guards(const fl_clause *c, FILE *out);

#endif
