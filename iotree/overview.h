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
// critical path, no inputs, outputs, dependencies and findings, and nobody may ask it for more than the
// figures above. NULL: the summary has no critical path, or the run was by a real clock, which it tells
// nothing of.
iot *iot_overview(const trace *t);
bool iot_is_overview(const iot *a);

// How many steps a stretch of time must have at least, and be a multiple of, so that its P and W are
// exact; 1 unless it is an overview.
int64_t iot_finest(const iot *a);

// Compares the summary of the analysed trace with the analysis, if this has the same modules. NULL: there
// is no summary, or no difference; else the first difference (malloc'ed).
char *iot_check_summary(const iot *a);

#endif
