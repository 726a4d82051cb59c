// SPDX-License-Identifier: MIT
//
// Totals, a flat profile: how often places in the source were executed and how long they took, by
// node (a process or thread). A file holds them beside a history or instead of one.
#ifndef PROFILER_TOTALS_H
#define PROFILER_TOTALS_H

#include "profiler/trace.h"

// A figure that nobody observed is TRACE_UNOBSERVED, never 0.
#define TRACE_UNOBSERVED INT64_C(-1)

typedef enum {
    TT_UNIT, // a program unit: main program, subroutine, function
    TT_LOOP, // a DO loop
    TT_IO,   // a statement for input or output
    TT_CALL, // a call of MPI
    TRACE_TOTAL_KINDS,
} trace_total_kind;

typedef enum { TRACE_ELAPSED, TRACE_CPU, TRACE_NO_CLOCK } trace_totals_clock;

// A process or a thread that was measured. Each field may be unobserved.
typedef struct {
    int64_t rank, pid, thread;
    int64_t elapsed;  // nanoseconds from its begin to its end
    int64_t overhead; // of all TT_CALL of this node as a report gives it, nanoseconds
} trace_total_node;

// One place in the source. A field that is unknown or does not apply is TRACE_NONE, 0 or
// TRACE_UNOBSERVED.
typedef struct {
    trace_total_kind kind;
    uint32_t name;    // string. UNIT: its name; IO: the file read or written; CALL: the routine
    uint32_t type;    // string. UNIT: `program` ...; IO: `read` ...; CALL: `Subroutine`, `Function`
    uint32_t label;   // string. LOOP: statement label; IO: the unit where it is no number
    uint32_t unit;    // LOOP, IO, CALL: the total of the unit that contains it
    uint32_t source;  // index into the sources
    uint32_t line;
    uint32_t seq;     // LOOP, IO, CALL: from 1 in order of the text, within the unit
    int64_t number;   // IO: logical unit; CALL: from 1 in order of all calls
    int64_t definite; // LOOP: 1: iterations are known when it begins, 0: they are not
    int64_t share, mean, average; // as a report gives them: 1/1000 % of its table, nanoseconds
} trace_total;

// A place at a node. Own times exclude other places that ran inside it (of a unit: called units; of
// a loop: all other places), so each moment counts for one unit and for at most one other place.
typedef struct {
    uint32_t total, node;
    int64_t times;           // executions
    int64_t time, inclusive; // nanoseconds: own, and with all that ran inside
    int64_t rotation;        // LOOP: iterations of all executions
    int64_t bytes;           // IO, CALL
} trace_measure;

typedef struct {
    uint32_t from, to; // nodes
    int64_t messages, bytes;
} trace_traffic;

// A file that input and output statements read or wrote, or a logical unit whose file is unknown,
// with the sums of its statements.
typedef struct {
    uint32_t name;  // string, or TRACE_NONE
    uint32_t label; // string: the unit where it is no number, or TRACE_NONE
    int64_t number; // logical unit, or TRACE_UNOBSERVED
    int64_t share;  // as a report gives it: 1/1000 %
} trace_data_file;

typedef struct {
    bool observed;    // false: the recorder did not look for such places
    int64_t reported; // the table's sum (CALL: mean overhead of the nodes), nanoseconds
} trace_total_table;

typedef struct {
    trace_totals_clock clock;
    bool messages; // true: they were observed, so a pair of nodes without an entry sent none
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

// At most once, after the sources and strings that it names. A file may hold totals alone.
void tw_totals(tw *w, const trace_totals *t);

// NULL if the file has none. A file may have totals without a history (trace_nreductions() is 0).
const trace_totals *trace_get_totals(const trace *t);
// The figures of a place at a node; all are unobserved if there are none.
trace_measure trace_total_at(const trace_totals *t, uint32_t total, uint32_t node);
trace_measure trace_file_at(const trace_totals *t, uint32_t file, uint32_t node); // the same of files
// The number by which views and reports name a node: its rank, else its process, else its position
// in the table, from 1.
int64_t trace_node_number(const trace_totals *t, uint32_t node);
// The first node with that number, or TRACE_NONE.
uint32_t trace_find_node(const trace_totals *t, int64_t number);
// The numbers of all nodes, for messages: "rank 0 to 3", "process 4711, 4712". Cut to `size`.
void trace_describe_nodes(const trace_totals *t, char *buffer, size_t size);

#endif
