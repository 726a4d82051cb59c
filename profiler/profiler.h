// SPDX-License-Identifier: MIT
//
// profiler: the `.paf` trace - one writer, one reader, one event table (events.def).
//
// A trace is the history of a run as a list of *reductions* in order of time (older goals first
// within a step), plus the tables that give them meaning. It is self-contained: source text,
// predicates and clause templates are inside. See ARCHITECTURE.md, "The .paf file".
//
//   goal      created by exactly one reduction, reduced by at most one. Goals are numbered in
//             order of creation: 0, 1, 2, ...
//   reduction number 0 is the *beginning*: it is made at time 0 by nobody, its clause is the body
//             of `-e` (or the single goal `main`). It is not counted as work. Reductions
//             1..nreductions-1 are the work.
//   cell      a variable, a structure or a vector made by a reduction. Cells are numbered in
//             order of creation; those of one reduction are consecutive. A variable is bound at
//             most once, so a binding is named by its variable's cell.
//   value     what an argument, a binding or a place in a structure holds: a cell or a constant.
//
// What a clause determines is stored once, in its template: a reduction stores only the values of
// the clause's *holes* (clause variables that come from the head or are computed by the guard and
// are used in the body). A built-in predicate has no template; its reductions carry their cells
// and goals explicitly (a "dynamic" clause).
#ifndef PROFILER_H
#define PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NONE UINT32_MAX

// ---------------------------------------------------------------------------------------------
// Values, templates and tables: shared by writer and reader

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

// A node of a clause's template. Children are indices into the clause's `children` array; a node
// stands after its children, and no two nodes or items share a place in `children`. A cell has one
// node, a variable or a hole may have several.
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
    uint32_t nfresh, nstructs, nholes;
    const uint32_t *names; // string indices: nfresh names, then nholes names
    uint32_t nnodes, nchildren, nitems;
    const trace_node *nodes;
    const uint32_t *children;
    const trace_item *items;
} trace_clause;

// Whose a predicate is. What is not the program's belongs to the process it occurs in, unless a
// partition names it.
typedef enum { TRACE_PROGRAM, TRACE_BUILTIN, TRACE_LIBRARY } trace_origin;

typedef struct {
    uint32_t module;
    uint32_t name; // string
    uint32_t arity;
    uint8_t origin; // trace_origin
} trace_predicate;

typedef struct {
    uint32_t name; // string
    uint32_t text; // string: the whole source
} trace_source;

// Every trace has the virtual clock: it orders the reductions and is what trace_time() tells. A
// real run has another one beside it: where (which worker) and when each reduction ran. In a
// measured run the virtual clock counts nanoseconds, too: it replays what was measured with as many
// processors as can be used, and a reduction takes as long as it took (trace_cost()).
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

// A trace that was not to grow beyond a size ends with a step; the run went on.
typedef struct {
    uint64_t recorded, reductions; // in the trace; of the run
    int64_t last, span;            // steps: the last that is recorded; of the run
    uint64_t bytes; // a limit that would have sufficed; 0: no trace can be as large
} trace_cut;

typedef struct {
    uint32_t program; // string: base name of the first source file
    trace_clock clock;
    uint32_t places; // not TRACE_VIRTUAL: workers there were; those that reduced count in any case
    // The modules that are recorded in full, with commas between them; NULL: all. What others read
    // is told only as far as it decided their times.
    const char *part;
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
    const uint32_t *followed; // variables whose bindings `=` in the body followed (no delay)
    uint32_t nbindings;
    const trace_binding *bindings; // in the order they were made
    const trace_value *holes;      // clause->nholes of them
    // dynamic clauses only
    uint32_t ncells, ngoals;
    const trace_cell *cells;
    const trace_goal *goals;
} trace_reduction;

// Figures of a run by module in place of its history: P_m(t), how many goals of module m were
// reduced at step t, and W_m(t), how many that were created before t were not reduced by t; each as
// sums over buckets of `width` steps, bucket i covering [1 + i * width, 1 + (i + 1) * width).
typedef struct {
    uint32_t name;       // string; TRACE_NONE: all modules together
    uint64_t suspended;  // goals never reduced
    int64_t first, last; // steps of its first and last reduction; 0, 0 if it has none
    uint64_t peak;       // largest P_m(t)
    const uint64_t *reduced, *waiting;
} trace_profile_row;

typedef struct {
    int64_t span, width; // steps
    uint32_t nbuckets;   // just enough for the span
    uint32_t nmodules;   // the first is `main`
    const trace_profile_row *rows; // nmodules, then all together
} trace_profile;

#define TRACE_BUCKETS (1u << 20) // at most

// Totals of a run: what places in the source took and how often each was executed, by node, without
// a history or beside one. What was not observed is TRACE_UNOBSERVED, never 0.
#define TRACE_UNOBSERVED INT64_C(-1)

typedef enum {
    TT_UNIT, // a program unit: main program, subroutine, function
    TT_LOOP, // a DO loop
    TT_IO,   // a statement for input or output
    TT_CALL, // a call of MPI
    TRACE_TOTAL_KINDS,
} trace_total_kind;

typedef enum { TRACE_ELAPSED, TRACE_CPU, TRACE_NO_CLOCK } trace_totals_clock;

// Where was measured: a process or a thread. Each field may be unobserved.
typedef struct {
    int64_t rank, pid, thread;
    int64_t elapsed;  // nanoseconds from its begin to its end
    int64_t overhead; // of all TT_CALL of this node as a report gives it, nanoseconds
} trace_total_node;

// One place. What is not known, or there is none of, is TRACE_NONE, 0 or TRACE_UNOBSERVED.
typedef struct {
    trace_total_kind kind;
    uint32_t name;    // string. UNIT: its name; IO: the file read or written; CALL: the routine
    uint32_t type;    // string. UNIT: `program` ...; IO: `read` ...; CALL: `Subroutine`, `Function`
    uint32_t label;   // string. LOOP: statement label; IO: the unit where it is no number
    uint32_t unit;    // LOOP, IO, CALL: the total of the unit it stands in
    uint32_t source;  // index into the sources
    uint32_t line;
    uint32_t seq;     // LOOP, IO, CALL: from 1 in order of the text, within the unit
    int64_t number;   // IO: logical unit; CALL: from 1 in order of all calls
    int64_t definite; // LOOP: 1: iterations are known when it begins, 0: they are not
    int64_t share, mean, average; // as a report gives them: 1/1000 % of its table, nanoseconds
} trace_total;

// A place at a node. Own times leave out what else ran within (of a unit: called units; of a loop:
// all other places), so that at any moment one unit and at most one other place is counted.
typedef struct {
    uint32_t total, node;
    int64_t times;           // executions
    int64_t time, inclusive; // nanoseconds: own, with what ran within
    int64_t rotation;        // LOOP: iterations of all executions
    int64_t bytes;           // IO, CALL
} trace_measure;

typedef struct {
    uint32_t from, to; // nodes
    int64_t messages, bytes;
} trace_traffic;

// A file that statements for input and output read or wrote, or a unit whose file is not known:
// what all of its statements took.
typedef struct {
    uint32_t name;  // string, or TRACE_NONE
    uint32_t label; // string: the unit where it is no number, or TRACE_NONE
    int64_t number; // logical unit, or TRACE_UNOBSERVED
    int64_t share;  // as a report gives it: 1/1000 %
} trace_data_file;

typedef struct {
    bool observed;    // else nobody looked for such places
    int64_t reported; // the table's sum (CALL: mean overhead of the nodes), nanoseconds
} trace_total_table;

typedef struct {
    trace_totals_clock clock;
    bool messages;                   // observed: a pair without traffic had none
    const trace_total_table *tables; // TRACE_TOTAL_KINDS of them
    uint32_t nnodes, ntotals, nmeasures, ntraffic;
    const trace_total_node *nodes;
    const trace_total *totals;
    const trace_measure *measures; // ascending by total, then node; each pair at most once
    const trace_traffic *traffic;  // ascending by from, then to; each pair at most once
    int64_t files_reported;        // sum of all files as a report gives it, or TRACE_UNOBSERVED
    uint32_t nfiles, nfile_measures;
    const trace_data_file *files;
    const trace_measure *file_measures; // as `measures`; `total` is a file
} trace_totals;

// The parallel regions of an OpenMP run and what was done in them, by kind of construct. Times are
// nanoseconds of all threads together: running within, and waiting for it. Of a barrier, of setting
// up and updating data, and of a reduction all time is waiting.
typedef enum {
    TRACE_MASTER,
    TRACE_SINGLE,
    TRACE_ATOMIC,
    TRACE_CRITICAL,
    TRACE_ORDERED,
    TRACE_USER_BARRIER,
    TRACE_IMPLIED_BARRIER,
    TRACE_DISTRIBUTED_BARRIER,
    TRACE_DATA_SETUP,
    TRACE_DATA_UPDATE,
    TRACE_REDUCTION,
    TRACE_FIGURES,
} trace_figure_kind;

typedef struct {
    bool observed;  // else the runtime does not tell of it
    uint64_t count; // executions; of a barrier those of a team, not of each thread
    uint64_t running, waiting;
} trace_figure;

// One execution of a region, from fork to join.
typedef struct {
    int64_t start, took; // nanoseconds since the run began
    uint32_t nplaces;
    const uint32_t *places; // of its threads, the master's first
} trace_team;

// All executions of one parallel directive. Of the whole program: `elapsed` is the time in which
// any region was executed, `thread_time` that of all threads of teams, each once; no file, no
// teams.
typedef struct {
    const char *file; // base name, "" if unknown
    uint64_t length;  // of `file`
    uint32_t line;    // 0: unknown
    uint32_t clause;  // TRACE_NONE, or that of its construct
    uint32_t threads; // of its largest team
    uint64_t elapsed; // from fork to join
    uint64_t thread_time; // the same times threads
    const trace_figure *figures; // by kind
    uint32_t nteams;
    const trace_team *teams; // in order of their ends
} trace_region;

typedef struct {
    uint32_t nodes;   // processes
    uint64_t elapsed; // of the program, nanoseconds
    uint32_t nregions;
    const trace_region *regions; // nregions, then the whole program
} trace_regions;

#define TRACE_MOST_EVENTS (INT64_MAX >> 17) // of a place; those of all are a number, too

// Events of a place (a thread) that a measured run does not know of.
typedef struct {
    uint32_t place;
    uint64_t kept, seen; // events in the log, and that there were: more
    bool capped;         // since no more were wanted: a cap of `seen` would have kept all
} trace_loss;

// What a row of the statistics has, and what it is called.
typedef struct {
    const char *title;
    bool counts, runs, waits;
} trace_figure_row;

const trace_figure_row *trace_get_figure_row(trace_figure_kind kind);
// Nanoseconds that count as waiting in a figure of this kind.
uint64_t trace_figure_waiting(trace_figure_kind kind, const trace_figure *figure);
// The statistics report, for people: the whole and each region. malloc'ed.
char *trace_statistics_text(const trace_regions *r, const char *program);

// ---------------------------------------------------------------------------------------------
// Writer. The first failure is kept and told by tw_error() and tw_finish(); after it all calls are
// harmless no-ops, so a caller may check only at the end. One thread at a time.

typedef struct tw tw;

// Creates the file. NULL with *ret_error set (malloc'ed) if it cannot be created. Of `program`, the
// path of the first source file, the base name is kept; run->program is ignored.
tw *tw_create(const char *path, const trace_run *run, const char *program, char **ret_error);

// The file is not to grow beyond `bytes`. What is recorded then ends with the last step that fits
// in; of a run that fits the file is the same as without a limit. Before anything else is written.
// ret_cut stays the caller's; tw_finish() fills it, with zeros if all was recorded.
void tw_limit(tw *w, uint64_t bytes, trace_cut *ret_cut);
// The least limit with which a trace can have the tables so far and the beginning of the run.
uint64_t tw_least(tw *w);

// Tables. Indices count from 0 in order of the calls. tw_string interns.
uint32_t tw_string(tw *w, const char *text, size_t length);
uint32_t tw_source(tw *w, const char *name, const char *text, size_t length);
uint32_t tw_module(tw *w, const char *name);
uint32_t tw_place(tw *w, const char *name); // a place has a number where it has no name
uint32_t tw_predicate(tw *w, uint32_t module, const char *name, uint32_t arity,
                      trace_origin origin);
uint32_t tw_clause(tw *w, const trace_clause *clause);

// One reduction, in order of (virtual) time. The first call writes the beginning (goal is ignored).
// Goals and cells are numbered by the writer as the reader will: a static clause creates its
// template's cells and its TI_GOAL items in order, a dynamic one its `cells` and `goals`.
// What is read and the holes are cells of earlier reductions; the rest may be the reduction's own.
void tw_reduction(tw *w, const trace_reduction *r);

// A shorter way for most reductions of static clauses of a virtual run: the caller fills in the
// lists itself. Values are words made by the functions below; a reduction with another one (an
// integer of more than 39 bits, a float, ...) has to go through tw_reduction().
typedef struct {
    uint32_t variable, item;
    uint64_t value;
} tw_binding;

typedef struct {
    uint32_t *reads, *followed; // as long as r says
    tw_binding *bindings;
    uint64_t *holes; // of the clause
} tw_lists;

static inline uint64_t tw_cell(uint32_t cell)
{
    return (uint64_t)cell << 3 | TV_CELL;
}

static inline uint64_t tw_atom(uint32_t string)
{
    return (uint64_t)string << 3 | TV_ATOM;
}

static inline bool tw_fits(int64_t i)
{
    return i >= -(INT64_C(1) << 39) && i < INT64_C(1) << 39;
}

static inline uint64_t tw_integer(int64_t i) // that fits
{
    return ((uint64_t)i << 1 ^ (uint64_t)(i >> 63)) << 3 | TV_INT;
}

// Of r: goal, clause, time, and how many there are of each list. False if this way cannot be taken.
// Without tw_end() as the next call of a function of this writer nothing happened.
bool tw_begin(tw *w, const trace_reduction *r, tw_lists *ret);
void tw_end(tw *w);

// n more reductions raced: another clause of the predicate would have fitted, too, by the bindings
// that the goal could see at its time, or its `=` met a variable that by virtual time was bound
// later. With another schedule there could be another answer, or other times.
void tw_raced(tw *w, uint32_t n);

// Once, and in place of all reductions: the file becomes a profile.
void tw_profile(tw *w, const trace_profile *p);

// At most once, after the sources and strings it names. It may be all that the file holds.
void tw_totals(tw *w, const trace_totals *t);

// Once, after the last reduction of a measured run.
void tw_regions(tw *w, const trace_regions *r);

// Once, after the last reduction of a measured run, if there are any: ascending by place.
void tw_losses(tw *w, const trace_loss *losses, uint32_t n);

// A goal still suspended at the end and the variables it waits for.
void tw_waiting(tw *w, uint32_t goal, const uint32_t *variables, uint32_t n);

// Completes the file: how it ended, exit status, the goal that failed (or TRACE_NONE), message.
// False (and *ret_error) if anything could not be written. Frees w.
bool tw_finish(tw *w, trace_ending ending, int status, uint32_t failed_goal, const char *message,
               char **ret_error);
// The same without an end: the file holds what a run has so far. Readers take it for that of a run
// that was killed.
bool tw_leave(tw *w, char **ret_error);

uint64_t tw_bytes(const tw *w);    // written so far
const char *tw_error(const tw *w); // what went wrong first, NULL while all is well

// ---------------------------------------------------------------------------------------------
// Reader. The whole skeleton is held in memory; terms are decoded on demand. All functions are
// safe on any bytes: a damaged file gives an error that names offset and reason, and what was
// readable up to there. Everything was checked when the trace was opened (indices exist, times do
// not decrease, a variable is bound and a goal reduced at most once ...), so that analyses need
// not. Indices given by the caller must be in range. A trace never changes: several threads may
// ask.

typedef struct trace trace;

// NULL if nothing is readable (a trace holds at least the beginning, a profile or totals). If
// *ret_error is set although a trace is returned, the file is damaged or cut: the trace holds what
// is before the damage. progress (may be NULL) is called with bytes read and total; returning false
// cancels.
trace *trace_open(const char *path, bool (*progress)(void *data, uint64_t done, uint64_t total),
                  void *data, char **ret_error);
void trace_close(trace *t);
// Whether a file that begins so is a trace, sound or not, and no other kind of file.
bool trace_begins(const void *bytes, size_t size);

// Reads every chunk and checks every checksum without building a trace. True if sound.
bool trace_verify(const char *path, char **ret_error);

const char *trace_string(const trace *t, uint32_t string, size_t *ret_length); // NUL-terminated
const char *trace_program(const trace *t);
trace_clock trace_get_clock(const trace *t);
const char *trace_part(const trace *t); // as in trace_run: NULL if all is recorded in full
uint32_t trace_nplaces(const trace *t);  // workers; 0 if the clock is virtual
const char *trace_place_name(const trace *t, uint32_t place); // NULL if it has none
int64_t trace_elapsed(const trace *t);   // nanoseconds until the last reduction ended; 0 if virtual
uint32_t trace_raced(const trace *t);    // see tw_raced(); 0 while TRACE_UNFINISHED
// NULL unless the run went on when the trace had reached its size. A goal that is not reduced in
// such a trace may have been later.
const trace_cut *trace_get_cut(const trace *t);
trace_ending trace_get_ending(const trace *t);
int trace_exit_status(const trace *t);      // -1 while TRACE_UNFINISHED
const char *trace_message(const trace *t);  // what the run said when it ended badly, or ""
uint32_t trace_failed_goal(const trace *t); // or TRACE_NONE
uint64_t trace_file_size(const trace *t);
uint32_t trace_version(const trace *t);

// NULL unless the file is a profile. That has sources, but else no tables, no reductions (not even
// the beginning), goals, cells or bindings.
const trace_profile *trace_get_profile(const trace *t);

// NULL if the file has none. A file without a history (trace_nreductions() is 0) may have them,
// too.
const trace_totals *trace_get_totals(const trace *t);
// What was measured of a place at a node: all unobserved if nothing was.
trace_measure trace_total_at(const trace_totals *t, uint32_t total, uint32_t node);
trace_measure trace_file_at(const trace_totals *t, uint32_t file, uint32_t node); // the same of files
// The number by which views and reports name a node: its rank, else its process, else its place in
// the table, from 1.
int64_t trace_node_number(const trace_totals *t, uint32_t node);
// The first node of that number, or TRACE_NONE.
uint32_t trace_find_node(const trace_totals *t, int64_t number);
// Which numbers there are, for messages: "rank 0 to 3", "process 4711, 4712". Cut to `size`.
void trace_describe_nodes(const trace_totals *t, char *buffer, size_t size);

const trace_regions *trace_get_regions(const trace *t); // NULL unless an OpenMP run was recorded
// What was not kept of a measured run, ascending by place. Returns how many places.
uint32_t trace_losses(const trace *t, const trace_loss **ret);

uint32_t trace_nsources(const trace *t);
uint32_t trace_nmodules(const trace *t);
uint32_t trace_npredicates(const trace *t);
uint32_t trace_nclauses(const trace *t);
const trace_source *trace_get_source(const trace *t, uint32_t source);
const char *trace_module_name(const trace *t, uint32_t module);
const trace_predicate *trace_get_predicate(const trace *t, uint32_t predicate);
const trace_clause *trace_get_clause(const trace *t, uint32_t clause);

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
trace_value trace_goal_arg(const trace *t, uint32_t goal, uint32_t argument); // from 0
void trace_goal_args(const trace *t, uint32_t goal, trace_value *ret); // all of them at once
// Variables a suspended goal waits for (goals still suspended at the end only).
uint32_t trace_waits(const trace *t, uint32_t goal, const uint32_t **ret_variables);

// Bindings 0..n-1 in the order they were made.
uint32_t trace_nbindings(const trace *t);
uint32_t trace_binding_variable(const trace *t, uint32_t binding);
uint32_t trace_binding_maker(const trace *t, uint32_t binding); // reduction
uint32_t trace_binding_item(const trace *t, uint32_t binding);
trace_value trace_binding_value(const trace *t, uint32_t binding);

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
trace_value trace_node_value(const trace *t, uint32_t reduction, uint32_t node);

#endif
