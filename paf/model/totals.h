// SPDX-License-Identifier: MIT
//
// totals: what a flat profile says. Sums over nodes, rows in order, the parts of a unit's time, and
// the one sentence that says most. A number that was not observed is TRACE_UNOBSERVED.
#ifndef PAF_TOTALS_H
#define PAF_TOTALS_H

#include "iotree/iotree.h"
#include "profiler/totals.h"

#include <glib.h>

// Which node, or how to combine all nodes that observed something.
#define PAF_NODES_SUM  UINT32_MAX
#define PAF_NODES_MAX  (UINT32_MAX - 1)
#define PAF_NODES_MIN  (UINT32_MAX - 2)
#define PAF_NODES_MEAN (UINT32_MAX - 3)

// The numbers of a total, each combined on its own.
trace_measure paf_total_measure(const trace_totals *t, uint32_t total, uint32_t nodes);

// The exclusive time, or the inclusive time if only that is known.
static inline int64_t paf_own_time(const trace_measure *m)
{
    return m->time >= 0 ? m->time : m->inclusive;
}

typedef struct {
    uint32_t total;
    trace_measure m;
    int64_t value; // what it is sorted by
} paf_total_row;

// The rows of a kind that were measured, of one unit only (or TRACE_NONE: of all), by exclusive
// time or by executions, the largest first. Freed with g_array_unref().
GArray *paf_total_rows(const trace_totals *t, trace_total_kind kind, uint32_t unit, uint32_t nodes,
                       bool counts);
// Input and output by statement, by the program unit of the statements, by file.
typedef enum { PAF_IO_STATEMENTS, PAF_IO_UNITS, PAF_IO_FILES, PAF_IO_GROUPS } paf_io_group;
// Rows of units or of files. A row's `total` is the unit, or the number of totals plus the file's
// number.
GArray *paf_io_rows(const trace_totals *t, paf_io_group group, uint32_t nodes, bool counts);
char *paf_file_name(const trace *t, const trace_totals *all, uint32_t file);
bool paf_is_of_file(const trace *t, const trace_totals *all, uint32_t total, uint32_t file);

// The sum of a kind's times over these nodes: as the report gives it, or added up.
int64_t paf_totals_sum(const trace_totals *t, trace_total_kind kind, uint32_t nodes);

// The share of that sum, 0..1: as the report gives it, or computed. Negative: not observed.
double paf_total_share(const trace_totals *t, uint32_t total, const trace_measure *m, int64_t sum);

// The parts of a unit's inclusive time. Each may be unobserved.
typedef struct {
    int64_t communication, calls, loops, io, rest; // calls: units that it calls
} paf_total_split;

paf_total_split paf_split_of(const trace_totals *t, uint32_t unit, uint32_t nodes);

// "SOLVE", "loop 20 of SOLVE", "write to unit 6 of MAIN", "MPI_SEND of RING"; "solve.f:41" or NULL.
// Freed with g_free().
char *paf_total_name(const trace *t, const trace_totals *all, const trace_total *place);
char *paf_total_place(const trace *t, const trace_total *place);
const char *paf_total_text(const trace *t, uint32_t string); // NULL for TRACE_NONE
char *paf_process_name(const trace_totals *t, uint32_t node); // without the thread
// How many processes the nodes belong to; the threads of a process are neighbours. ret (or NULL):
// the process of each node, from 0.
uint32_t paf_count_processes(const trace_totals *t, uint32_t *ret);
char *paf_node_name(const trace_totals *t, uint32_t node);   // "rank 3"; of a choice: "sum" ...

// A flat profile for a trace that has a history and no totals. Of a measured run: how often each of its
// predicates was reduced, and how long that took. Of Fleng: predicates (units) and, of an analysis, its
// modules (calls): reductions, and the figures below. What was never reduced has no row. NULL without a
// history.
typedef struct paf_totals paf_totals;

typedef struct {
    uint64_t critical; // of the critical path
    uint64_t waited;   // sum over goals: steps between creation and reduction
    uint32_t hue;      // of its module, for paf_module_colour()
} paf_history_figures;

paf_totals *paf_totals_of_history(const trace *t, const iot *a); // a: NULL if there is none
// Of a total of Fleng's history; NULL: of other totals there are none. ret_path (or NULL): what critical is
// of; 0: unknown.
const paf_history_figures *paf_history_of(const trace_totals *all, uint32_t total, uint64_t *ret_path);
bool paf_is_fleng_history(const trace_totals *all);
// Of the totals of a history: reductions by clause. NULL: of others.
const uint64_t *paf_clause_times(const trace_totals *all);
const trace_totals *paf_totals_get(const paf_totals *own);
void paf_totals_free(paf_totals *own); // NULL: nothing

// "61 % of the time is loop 20 of SOLVE at solve.f:41"; g_free().
char *paf_totals_finding(const trace *t, const trace_totals *all);

#endif
