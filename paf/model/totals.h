// SPDX-License-Identifier: MIT
//
// totals: what a trace's totals say - sums over nodes, rows in order, what a unit's time consists
// of, and the one sentence that says most. Numbers that were not observed are TRACE_UNOBSERVED.
#ifndef PAF_TOTALS_H
#define PAF_TOTALS_H

#include "profiler/totals.h"

#include <glib.h>

// Which node, or what over all that observed something.
#define PAF_NODES_SUM  UINT32_MAX
#define PAF_NODES_MAX  (UINT32_MAX - 1)
#define PAF_NODES_MIN  (UINT32_MAX - 2)
#define PAF_NODES_MEAN (UINT32_MAX - 3)

// Of a place, by each number of its own.
trace_measure paf_total_measure(const trace_totals *t, uint32_t total, uint32_t nodes);

// Own time; where only the inclusive one is known, that.
static inline int64_t paf_own_time(const trace_measure *m)
{
    return m->time >= 0 ? m->time : m->inclusive;
}

typedef struct {
    uint32_t total;
    trace_measure m;
    int64_t value; // what it is sorted by
} paf_total_row;

// The places of a kind that were measured, those of one unit only (or TRACE_NONE: all), largest
// first: by own time, or by executions. Free with g_array_unref().
GArray *paf_total_rows(const trace_totals *t, trace_total_kind kind, uint32_t unit, uint32_t nodes,
                       bool counts);
// Input and output by statement, by the program unit these stand in, by file.
typedef enum { PAF_IO_STATEMENTS, PAF_IO_UNITS, PAF_IO_FILES, PAF_IO_GROUPS } paf_io_group;
// Of units and files; a row's total is the unit's, or that of all totals and the file's number.
GArray *paf_io_rows(const trace_totals *t, paf_io_group group, uint32_t nodes, bool counts);
char *paf_file_name(const trace *t, const trace_totals *all, uint32_t file);
bool paf_is_of_file(const trace *t, const trace_totals *all, uint32_t total, uint32_t file);

// The sum of a kind's times over what `nodes` says, as a report gives it or added up.
int64_t paf_totals_sum(const trace_totals *t, trace_total_kind kind, uint32_t nodes);

// Its part of that sum, 0..1, as a report gives it or computed; below 0: not observed.
double paf_total_share(const trace_totals *t, uint32_t total, const trace_measure *m, int64_t sum);

// What the inclusive time of a unit consists of; each may be unobserved.
typedef struct {
    int64_t communication, calls, loops, io, rest; // calls: units that it calls
} paf_total_split;

paf_total_split paf_split_of(const trace_totals *t, uint32_t unit, uint32_t nodes);

// "SOLVE", "loop 20 of SOLVE", "write to unit 6 of MAIN", "MPI_SEND of RING"; "solve.f:41" or NULL.
// To be freed with g_free().
char *paf_total_name(const trace *t, const trace_totals *all, const trace_total *place);
char *paf_total_place(const trace *t, const trace_total *place);
const char *paf_total_text(const trace *t, uint32_t string); // NULL for TRACE_NONE
char *paf_process_name(const trace_totals *t, uint32_t node); // without its thread
// How many processes the nodes belong to, threads of one standing together; ret, unless it is NULL:
// which one each node does, from 0.
uint32_t paf_count_processes(const trace_totals *t, uint32_t *ret);
char *paf_node_name(const trace_totals *t, uint32_t node);   // "rank 3"; of a choice: "sum" ...

// A table of predicates for a trace that has a history and no totals: how often each was reduced,
// and of a measured run how long that took. NULL without a history.
typedef struct paf_totals paf_totals;

paf_totals *paf_totals_of_history(const trace *t);
const trace_totals *paf_totals_get(const paf_totals *own);
void paf_totals_free(paf_totals *own); // NULL: nothing

// "61 % of the time is loop 20 of SOLVE at solve.f:41"; g_free().
char *paf_totals_finding(const trace *t, const trace_totals *all);

#endif
