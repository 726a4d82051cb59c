// SPDX-License-Identifier: MIT
//
// The command line of fleng: one table of options, from which the parser and -help are made.
#ifndef FLENG_OPTIONS_H
#define FLENG_OPTIONS_H

#include "base/trials.h"
#include "vm/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum { DUMP_NONE, DUMP_AST, DUMP_IR, DUMP_CODE } fl_dump;

typedef enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } fl_colour;

typedef struct {
    const char *predicate; // name, or module:name
    uint32_t arity;
    int64_t cost;
    const char *text; // as written
} fl_cost;

typedef struct {
    bool help, version;
    bool prompt; // neither a file nor a goal
    const char *goal; // NULL: main
    bool trace;
    const char *trace_path; // NULL: named after the first file
    const char *trace_modules; // that are recorded in full, with commas between them; NULL: all
    uint64_t trace_limit;    // bytes of the trace; 0: none
    base_trials trials;      // of the same run, for the store
    uint64_t sample;         // nanoseconds: only samples of what workers do; 0: a trace
    bool profile;
    const char *profile_path; // likewise
    bool ideal;             // the ideal machine, traced or not
    bool real;              // the parallel run, traced or not
    uint32_t workers;       // 0: as many as processors
    bool seeded;            // a schedule that seed decides
    uint64_t seed;
    size_t memory;          // bytes; 0: see fl_memory_limit()
    uint64_t limit;         // 0: none
    bool sandbox;           // the program reaches nothing outside, but by doors (base/access.h)
    uint64_t time_limit;    // seconds; 0: none
    uint64_t output_limit;  // bytes; 0: none
    int64_t until;          // 0: none
    bool check, check_json;
    bool warnings; // of -check, before the program runs
    fl_dump dump;
    bool library;              // show the library
    const char *library_module; // its source; NULL: list the modules
    fl_colour colour; // of messages
    unsigned gc_stress; // collect at every Nth allocation; 0: off
    vm_order_kind order; // of goals
    bool report;        // how much was done is told at the end
    bool together;      // all workers share from the beginning on
    uint32_t ncosts;
    fl_cost *costs;
    uint32_t nfiles;
    const char **files;
    int argc; // the program's own arguments
    char **argv;
} fl_options;

// False and *ret_error (malloc'ed) if the command line is wrong. After success the options are
// freed by fl_options_finish; files, goal and the like point into argv.
bool fl_options_parse(int argc, char **argv, fl_options *ret_options, char **ret_error);
void fl_options_finish(fl_options *o);
size_t fl_memory_limit(const fl_options *o); // bytes; 0: none
void fl_print_usage(FILE *out); // the text of -help

#endif
