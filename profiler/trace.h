// SPDX-License-Identifier: MIT
//
// What a trace is: the types that writer and reader share.
//
// A trace is the history of one run: a list of *reductions* in order of time (within a step the older
// goal first) and the tables that give them meaning. It needs no other file: source text, predicates
// and clause templates are inside. FORMAT.md describes the bytes.
//
//   goal       Exactly one reduction creates it, at most one reduces it. Goals are numbered in order
//              of creation: 0, 1, 2, ...
//   reduction  Number 0 is the *beginning*: nobody creates its goal, it happens at time 0, and its
//              clause is the body of `-e` (or the single goal `main`). It is not counted as work.
//              Reductions 1 .. nreductions - 1 are the work.
//   cell       A variable, a structure or a vector that a reduction makes. Cells are numbered in
//              order of creation; the cells of one reduction are consecutive. A variable is bound at
//              most once, so the variable's cell names the binding.
//   value      What an argument, a binding or an element of a structure holds: a cell or a constant.
//
// A clause's template stores once what all its reductions have in common. A reduction stores only the
// values of the template's *holes*: the clause variables of the body that come from the head or that
// the guard computes. A built-in predicate has no template; its reductions list their cells and goals
// themselves (a "dynamic" clause).
//
// The other public headers: trace_writer.h and trace_reader.h write and read histories; profile.h,
// totals.h and regions.h are about the figures that a file may hold beside or instead of a history.
#ifndef PROFILER_TRACE_H
#define PROFILER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/kinds.h"

#define TRACE_NONE UINT32_MAX

typedef struct trace trace; // a file that was opened: trace_reader.h
typedef struct tw tw;       // a file that is being written: trace_writer.h

// ---------------------------------------------------------------------------------------------
// Values, templates and tables

typedef enum {
    TV_CELL,   // .id: a cell: variable, structure or vector
    TV_INT,    // .i: an integer that fits in 64 bits
    TV_ATOM,   // .id: string table index of its name
    TV_STRING, // .id: string table index of its text
    TV_BIG,    // .id: string table index of its decimal digits
    TV_FLOAT,  // .d
    TV_NODE,   // .id: only inside templates: another node of the template
} trace_value_kind;

typedef struct {
    trace_value_kind kind;
    union {
        uint32_t id;
        int64_t i;
        double d;
    };
} trace_value;

// A node of a clause's template. Children are indices into the clause's `children` array. A node
// comes after its children, and no two nodes or items share an entry of `children`. A cell has one
// node; a variable or a hole may have several.
typedef enum {
    TN_FRESH,  // a variable of the clause that the reduction creates: cell base + index
    TN_HOLE,   // a clause variable whose value the reduction stores: hole number index
    TN_CONST,  // value
    TN_CONS,   // [head|tail]: cell base + index, 2 children
    TN_STRUCT, // name(children...): cell base + index
    TN_VECTOR, // {children...}: cell base + index
} trace_node_kind;

typedef struct {
    trace_node_kind kind;
    uint32_t index;    // see kind
    trace_value value; // TN_CONST; TN_STRUCT: .id of TV_ATOM is its name
    uint32_t first, n; // children: clause->children[first .. first+n)
} trace_node;

typedef enum { TI_UNIFY, TI_GOAL } trace_item_kind;

// A body item. TI_UNIFY: children are the two sides. TI_GOAL: children are the arguments.
typedef struct {
    trace_item_kind kind;
    uint32_t predicate; // TI_GOAL
    uint32_t line, column;
    uint32_t first, n; // clause->children[first .. first+n): node indices
} trace_item;

// A guard of a clause, as the text has it; a clause below `otherwise` has the guard otherwise/0
// first. Alternatives are one guard ;/n, of which each argument is a conjunction: a structure named
// after its test, or ','/n of several.
typedef struct {
    uint32_t name; // string: "<", "integer", "otherwise", ...
    uint32_t line, column;
    uint32_t first, n; // arguments: pattern_children[first .. first+n), indices of patterns
} trace_guard;

// Cells of a reduction of this clause: its nfresh variables, then its nstructs structures and
// vectors, in that order; an index in a node counts from the first of all of them.
typedef struct {
    uint32_t predicate;
    uint32_t number; // 1, 2, ... within the predicate, in the order of the text; 0: built-in
    uint32_t source; // TRACE_NONE for a built-in
    uint32_t line, column, end_line;
    bool dynamic;          // a built-in: reductions carry cells and goals themselves
    bool waits;            // of a measured run: its reductions are waits, which cost nothing
    uint32_t nlooks;       // argument positions (from 0) at which the head has a pattern, or
    const uint32_t *looks; // a variable that is repeated in the head or used in the guard
    // Head and guards. A pattern is a node of them: TN_HOLE (index: the hole, so the body uses this
    // variable of head or guards), TN_FRESH (index: into `unused`, a variable that the body does not
    // use), TN_CONST, TN_CONS, TN_STRUCT or TN_VECTOR (index 0: the reduction makes no such cell);
    // their children are indices into `pattern_children`. A file before version 5 tells none of
    // this, nor does a built-in: then nhead is 0, else it is the arity of the predicate.
    uint32_t nhead, nguards, nunused, npatterns, npattern_children;
    const uint32_t *head; // by argument: a pattern
    const trace_guard *guards;
    const uint32_t *unused; // strings: names
    const trace_node *patterns;
    const uint32_t *pattern_children;
    uint32_t nfresh, nstructs, nholes;
    const uint32_t *names; // string indices: nfresh names, then nholes names
    uint32_t nnodes, nchildren, nitems;
    const trace_node *nodes;
    const uint32_t *children;
    const trace_item *items;
} trace_clause;

// Where a predicate is from. Built-ins and library predicates belong to the process that calls
// them, unless a partition names them.
typedef enum { TRACE_PROGRAM, TRACE_BUILTIN, TRACE_LIBRARY } trace_origin;

typedef struct {
    uint32_t module;
    uint32_t name; // string
    uint32_t arity;
    uint8_t origin;  // trace_origin
    trace_kind kind; // of a measured run: the construct that its activities are in; else none
} trace_predicate;

// In a measured run a module is a construct of the program: its kind (or none), and its place in the
// source if that is known.
typedef struct {
    uint32_t name;   // string, with file and line
    uint32_t source; // index into the sources, or TRACE_NONE
    uint32_t line;   // 0: not known
    trace_kind kind;
} trace_module;

typedef struct {
    uint32_t name; // string
    uint32_t text; // string: the whole source
} trace_source;

// Every trace has a virtual clock, which orders the reductions; trace_time() reads it. A real run
// also tells where (on which worker) and when each reduction ran. A measured run has both, too;
// there the virtual clock counts the nanoseconds of a replay with unlimited processors, in which
// each reduction takes its measured duration (trace_cost()).
typedef enum { TRACE_VIRTUAL, TRACE_REAL, TRACE_MEASURED } trace_clock;

#define TRACE_PLACES 65536u // places are numbered below

// How the run ended.
typedef enum {
    TRACE_NORMAL,
    TRACE_FAILED,
    TRACE_HALTED,
    TRACE_STOPPED,
    TRACE_INTERRUPTED,
    TRACE_DEADLOCK,
    TRACE_UNFINISHED, // the file ends before the run did (the writer was killed)
} trace_ending;

// Of a trace that reached its size limit: it ends after a whole step, and the run went on.
typedef struct {
    uint64_t recorded, reductions; // in the trace; of the run
    int64_t last, span;            // steps: the last that is recorded; of the run
    uint64_t bytes; // a limit that would have been enough; 0: no trace can be so large
} trace_cut;

typedef struct {
    uint32_t program; // string: base name of the first source file
    trace_clock clock;
    uint32_t places; // not TRACE_VIRTUAL: how many workers; more if a reduction names a higher one
    // The modules that are recorded in full, with commas between them; NULL: all. Of the other
    // modules only the reads that decided the time of a reduction are recorded.
    const char *part;
    bool summed; // written only: the trace may get a summary (summary.h)
} trace_run;

typedef enum { TC_VARIABLE, TC_CONS, TC_STRUCT, TC_VECTOR, TC_VECTOR_UPDATE } trace_cell_kind;

// A cell made by a dynamic reduction. `args` are its arguments. For TC_VECTOR_UPDATE args are
// {old vector, index (TV_INT, from 0), new element}: a vector that differs from an older one in one
// element. A long vector of one repeated value is TC_VECTOR with n = its length and nargs = 1.
typedef struct {
    trace_cell_kind kind;
    uint32_t name;  // string: functor, or the variable's source name (TRACE_NONE: none)
    uint32_t n;     // arity or length
    uint32_t nargs; // values present in args
    const trace_value *args;
} trace_cell;

// A goal created by a dynamic reduction (`call`, merge).
typedef struct {
    uint32_t predicate;
    uint32_t nargs;
    const trace_value *args;
} trace_goal;

typedef struct {
    uint32_t variable; // cell
    uint32_t item;     // index of the clause's body item that made it; 0 for a built-in
    trace_value value;
} trace_binding;

typedef struct {
    uint32_t goal;
    uint32_t clause;
    int64_t time;       // virtual time
    uint32_t place;     // not TRACE_VIRTUAL: the worker, from 0,
    int64_t start, end; // and nanoseconds since the run began
    uint32_t nreads;
    const uint32_t *reads; // variables whose bindings head and guard dereferenced
    uint32_t nfollowed;
    const uint32_t *followed; // variables whose bindings `=` in the body read (no delay)
    uint32_t nbindings;
    const trace_binding *bindings; // in the order they were made
    // Variables whose bindings `=` followed on the side that it passed on: those of binding i are
    // passed[passed_ends[i - 1] .. passed_ends[i]). If npassed is 0 there need be no lists.
    uint32_t npassed;
    const uint32_t *passed, *passed_ends;
    const trace_value *holes;      // clause->nholes of them
    // dynamic clauses only
    uint32_t ncells, ngoals;
    const trace_cell *cells;
    const trace_goal *goals;
} trace_reduction;

#endif
