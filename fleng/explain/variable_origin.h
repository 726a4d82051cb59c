// SPDX-License-Identifier: MIT
//
// The name of a variable at run time, and the clause that made it.
#ifndef FLENG_VARIABLE_ORIGIN_H
#define FLENG_VARIABLE_ORIGIN_H

#include "fleng/ir.h"
#include "fleng/reader/collected.h"

// Names of variables in one report: those of the source, numbered where several variables share
// one.
typedef struct {
    const vm_program *code;
    bool plain;                // _1, _2, ... for all
    base_map by_variable;      // the names given so far
    fl_dictionary counts;      // of variables by name
    uint32_t n;
} fl_namer;

const char *fl_name_variable(void *namer, const vm_var *v); // for vm_print_options
// Gives a variable a name from now on.
void fl_call_variable(fl_namer *namer, const vm_var *v, const char *name);

typedef struct {
    const char *name;        // "_" if it has none or none is known
    const fl_clause *clause; // that made it; NULL: a built-in, or unknown
    uint32_t variable;       // of the clause
    bool builtin;
} fl_variable_origin;

fl_variable_origin fl_find_variable_origin(fl_namer *n, const vm_var *v);

#endif
