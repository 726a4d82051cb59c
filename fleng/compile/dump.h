// SPDX-License-Identifier: MIT
//
// Clauses, IR and code as text: -dump and diagnostics.
#ifndef FLENG_DUMP_H
#define FLENG_DUMP_H

#include "fleng/ir.h"

#include <stdio.h>

void fl_dump_ast(const fl_program *p, FILE *out); // clauses as the reader understood them
void fl_dump_ir(const fl_program *p, FILE *out);  // variables, head, guards, items resolved
void fl_dump_code(const fl_program *p, const vm_program *code, bool stamped, FILE *out);

// The clause as the reader understood it, each line after the indentation.
void fl_print_clause(const fl_clause *c, const char *indent, FILE *out);
// The guards of a clause, or one of them, shortened, in the collected heap.
const char *fl_guards_text(const fl_clause *c);
const char *fl_guard_text(const fl_clause *c, const fl_guard *g);

#endif
