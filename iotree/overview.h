// SPDX-License-Identifier: MIT
//
// The figures of a run that its trace's summary has, as an analysis that needs no reductions: work,
// span, modules, predicates and clauses, P_m(t) and W_m(t) down to the buckets of the summary, and what
// the critical path consists of.
#ifndef IOTREE_OVERVIEW_H
#define IOTREE_OVERVIEW_H

#include "iotree/iotree.h"
#include "profiler/summary.h"

// Of a trace that has a summary: an analysis with these figures. It has no processes, no steps of the
// critical path, no inputs, outputs and findings, dependencies only if the summary has them, and nobody may
// ask it for more than the figures above. NULL: the summary has no critical path, or the run was by a real
// clock, which it tells nothing of.
iot *iot_overview(const trace *t);
bool iot_is_overview(const iot *a);
// Whether it knows all that a report without prices tells: also dependencies, cycles, aliases (there are
// none) and how the run ended.
bool iot_is_full_overview(const iot *a);
// The same by any partition whose entries are predicates, made from the reductions of the file, of which only
// a few chunks are held at a time; more: with all of the above. NULL as above, or if the file is damaged or
// has no end, or if it was cancelled. The trace is the caller's.
iot *iot_sum_up(const char *path, const trace *tables, const iot_partition *p, bool more,
                iot_progress progress, void *data, trace **ret_trace);

// How many steps a stretch of time must have at least, and be a multiple of, so that its P and W are
// exact; 1 unless it is an overview. Of one whose trace was opened for a stretch (trace_open_stretch()): within
// that; elsewhere it is the next.
int64_t iot_finest(const iot *a);
int64_t iot_finest_of_run(const iot *a);

// Compares the summary of the analysed trace with the analysis, if this has the same modules. NULL: there
// is no summary, or no difference; else the first difference (malloc'ed).
char *iot_check_summary(const iot *a);

#endif
