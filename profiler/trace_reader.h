// SPDX-License-Identifier: MIT
//
// Reading a history. The skeleton is held in memory as a whole; terms are decoded on demand. All
// functions are safe on any bytes: for a damaged file trace_open() names the offset and the reason,
// and gives everything before the damage. It checks everything (indices exist, times do not
// decrease, a variable is bound and a goal reduced at most once ...), so analyses need not check
// again. Indices that the caller gives must be in range. A trace never changes: several threads may
// read it.
#ifndef PROFILER_TRACE_READER_H
#define PROFILER_TRACE_READER_H

#include "profiler/trace.h"

// NULL if nothing is readable (a trace holds at least the beginning, a profile or totals). If
// *ret_error is set although a trace is returned, the file is damaged or cut: the trace ends before
// the damage. progress (may be NULL) is called with bytes read and total; returning false
// cancels.
trace *trace_open(const char *path, bool (*progress)(void *data, uint64_t done, uint64_t total),
                  void *data, char **ret_error);
void trace_close(trace *t);

// What is wrong with a file. The text beside it is for people; code looks at the kind.
typedef enum {
    TRACE_SOUND,
    TRACE_CANNOT_READ,    // the system does not open or read the file
    TRACE_NOT_A_TRACE,    // the file begins like no trace
    TRACE_TOO_OLD,        // of a version of the format that is no longer read
    TRACE_TOO_NEW,        // of a later version of the format
    TRACE_DAMAGED_HEADER, // of the file
    TRACE_DAMAGED,        // after the file's header, at `offset`
    TRACE_UNENDED,        // whole chunks, but the last one is missing: the writer was killed
    TRACE_NO_MEMORY,      // to read it
    TRACE_CANCELLED,      // by `progress`
} trace_error_kind;

typedef struct {
    trace_error_kind kind;
    uint64_t offset; // of TRACE_DAMAGED, TRACE_UNENDED: bytes from the file's beginning
} trace_error;

// What reading a trace may take, in bytes; 0, the default: any amount. A trace that would need more is not
// read: TRACE_NO_MEMORY, and a text with both amounts.
void trace_limit_memory(uint64_t bytes);

// As trace_open(), and sets the kind of the error (TRACE_SOUND if there is none).
trace *trace_open_explained(const char *path,
                            bool (*progress)(void *data, uint64_t done, uint64_t total), void *data,
                            trace_error *ret_error, char **ret_text);

// Whether these first bytes of a file are those of a trace, sound or damaged.
bool trace_begins(const void *bytes, size_t size);

// Reads every chunk and checks every checksum without building a trace. True if sound.
bool trace_verify(const char *path, char **ret_error);

const char *trace_string(const trace *t, uint32_t string, size_t *ret_length); // NUL-terminated
// The same as a name for people: without control characters, as base_printable() writes them.
const char *trace_name(const trace *t, uint32_t string);
const char *trace_program(const trace *t);
trace_clock trace_get_clock(const trace *t);
static inline bool trace_is_measured(const trace *t)
{
    return trace_get_clock(t) == TRACE_MEASURED;
}
const char *trace_part(const trace *t); // as in trace_run: NULL if all is recorded in full
uint32_t trace_nplaces(const trace *t);  // workers; 0 if the clock is virtual
const char *trace_place_name(const trace *t, uint32_t place); // NULL if it has none
int64_t trace_elapsed(const trace *t);   // nanoseconds until the last reduction ended; 0 if virtual
uint32_t trace_raced(const trace *t);    // see tw_raced(); 0 while TRACE_UNFINISHED
// NULL unless the trace reached its size limit and the run went on. A goal that such a trace does
// not reduce may have been reduced later.
const trace_cut *trace_get_cut(const trace *t);
trace_ending trace_get_ending(const trace *t);
int trace_exit_status(const trace *t);      // -1 while TRACE_UNFINISHED
const char *trace_message(const trace *t);  // what the run said when it ended badly, or ""
uint32_t trace_failed_goal(const trace *t); // or TRACE_NONE
uint64_t trace_file_size(const trace *t);
uint32_t trace_version(const trace *t);
// Whether it is a history of a Fleng program in which `=` counts as having read what it passes on,
// and heads and guards are not told: a file before version 5. Its figures are those of that time.
bool trace_is_older_definition(const trace *t);

uint32_t trace_nsources(const trace *t);
uint32_t trace_nmodules(const trace *t);
uint32_t trace_npredicates(const trace *t);
uint32_t trace_nclauses(const trace *t);
const trace_source *trace_get_source(const trace *t, uint32_t source);
const char *trace_module_name(const trace *t, uint32_t module);
const trace_module *trace_get_module(const trace *t, uint32_t module);
const trace_predicate *trace_get_predicate(const trace *t, uint32_t predicate);
const trace_clause *trace_get_clause(const trace *t, uint32_t clause);
// What a string means in a measured run; none if it has no such meaning, or if it is TRACE_NONE.
trace_key trace_string_key(const trace *t, uint32_t string);
trace_schedule trace_string_schedule(const trace *t, uint32_t string);
trace_edge trace_string_edge(const trace *t, uint32_t string);

// Reductions, 0 (the beginning) .. n-1, in order of time.
uint32_t trace_nreductions(const trace *t);
int64_t trace_time(const trace *t, uint32_t reduction);
// How long it took by the virtual clock of a measured run, in nanoseconds; else 1.
int64_t trace_cost(const trace *t, uint32_t reduction);
// Of a real or measured run (else TRACE_NONE, 0, 0): worker, nanoseconds since the run began.
uint32_t trace_place(const trace *t, uint32_t reduction);
int64_t trace_start(const trace *t, uint32_t reduction);
int64_t trace_end(const trace *t, uint32_t reduction);
uint32_t trace_reduction_goal(const trace *t, uint32_t reduction); // TRACE_NONE for 0
uint32_t trace_reduction_clause(const trace *t, uint32_t reduction);
uint32_t trace_reads(const trace *t, uint32_t reduction, const uint32_t **ret_variables);
uint32_t trace_followed(const trace *t, uint32_t reduction, const uint32_t **ret_variables);
// The next three are also defined for reduction n, where they give the total.
uint32_t trace_first_binding(const trace *t, uint32_t reduction); // bindings [first(r), first(r+1))
uint32_t trace_first_cell(const trace *t, uint32_t reduction);    // cells [first(r), first(r+1))
uint32_t trace_first_goal(const trace *t, uint32_t reduction);    // goals [first(r), first(r+1))

// Goals 0..n-1 in order of creation.
uint32_t trace_ngoals(const trace *t);
uint32_t trace_goal_parent(const trace *t, uint32_t goal);    // the reduction that created it
uint32_t trace_goal_reduction(const trace *t, uint32_t goal); // that reduced it, or TRACE_NONE
uint32_t trace_goal_predicate(const trace *t, uint32_t goal);
uint32_t trace_goal_item(const trace *t, uint32_t goal); // body item of the parent's clause that
                                                         // created it; TRACE_NONE if dynamic
// The goal of a clause's body from which it comes: itself, or of a goal that a built-in made (`call`,
// `merge`) where the built-in's goal comes from. A goal that the beginning made is its own origin.
uint32_t trace_goal_origin(const trace *t, uint32_t goal);
trace_value trace_goal_arg(const trace *t, uint32_t goal, uint32_t argument); // from 0
void trace_goal_args(const trace *t, uint32_t goal, trace_value *ret); // all of them at once
// Variables a suspended goal waits for (goals still suspended at the end only).
uint32_t trace_waits(const trace *t, uint32_t goal, const uint32_t **ret_variables);

// Bindings 0..n-1 in the order they were made.
uint32_t trace_nbindings(const trace *t);
uint32_t trace_binding_variable(const trace *t, uint32_t binding);
uint32_t trace_binding_maker(const trace *t, uint32_t binding); // reduction
// Is the maker older than the reduction? Faster than to ask for the maker.
bool trace_bound_before(const trace *t, uint32_t binding, uint32_t reduction);
uint32_t trace_binding_item(const trace *t, uint32_t binding);
trace_value trace_binding_value(const trace *t, uint32_t binding);
// The variables whose bindings the `=` followed on the side that it passed on: the value came
// through them, but the `=` did not need them. Their bindings have lower numbers than this one. None
// in a file of the older definition.
uint32_t trace_passed(const trace *t, uint32_t binding, const uint32_t **ret_variables);

// Cells 0..n-1.
uint32_t trace_ncells(const trace *t);
uint32_t trace_cell_maker(const trace *t, uint32_t cell);           // the reduction that created it
trace_cell_kind trace_cell_get_kind(const trace *t, uint32_t cell); // UPDATE shows as TC_VECTOR
uint32_t trace_cell_binding(const trace *t, uint32_t variable);     // or TRACE_NONE while unbound
// Source name of a variable or functor of a structure (string), TRACE_NONE if it has none. The
// place of a variable among the cells of its reduction is cell - trace_first_cell(maker).
uint32_t trace_cell_name(const trace *t, uint32_t cell);
uint32_t trace_cell_arity(const trace *t, uint32_t cell);
trace_value trace_cell_arg(const trace *t, uint32_t cell, uint32_t argument); // from 0
// Whether it is name(arg); if so, name and argument at once.
bool trace_cell_pair(const trace *t, uint32_t cell, uint32_t *ret_name, trace_value *ret_arg);

// The value of hole h of a static reduction; ... of a template node of its clause.
trace_value trace_hole(const trace *t, uint32_t reduction, uint32_t hole);
// False: the structures that it made hold no older structure or vector. True: they may. Decodes no terms.
bool trace_got_structures(const trace *t, uint32_t reduction);
trace_value trace_node_value(const trace *t, uint32_t reduction, uint32_t node);

#endif
