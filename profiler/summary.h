// SPDX-License-Identifier: MIT
//
// Summaries: the figures of a run by module, kept behind its reductions, so that a first picture needs
// none of these. They belong to one partition: the writer's default.
//
// P_m(t) is the number of goals of module m that are reduced at step t, W_m(t) the number of its goals
// that were created before t and are not reduced by t. Bucket i covers steps i * width to
// (i + 1) * width - 1, and width is a power of two. Coarser levels are sums and largest values of
// pairs of buckets.
#ifndef PROFILER_SUMMARY_H
#define PROFILER_SUMMARY_H

#include "profiler/trace_writer.h"

// Goals of the predicate start processes of the module.
typedef struct {
    uint32_t predicate, module;
} trace_sum_entry;

typedef struct {
    uint32_t name;         // string; TRACE_NONE: all modules together
    uint32_t suspended;    // goals never reduced
    uint32_t processes;    // with a first goal that was reduced
    int64_t first, last;   // steps of its first and last reduction; 0, 0 if it has none
    // By bucket: the sum of P and its largest value, the sum of W and its largest value.
    const uint64_t *reduced, *most_reduced, *waiting, *most_waiting;
} trace_sum_row;

// Goals of a predicate in a module: reductions, steps that they waited, and how many of the reductions
// are on the critical path, reached by control and by data.
typedef struct {
    uint32_t module, predicate;
    uint64_t work, waiting, control, data;
} trace_sum_pair;

// Reductions by a clause, and the module of the last of them (TRACE_NONE: there are none).
typedef struct {
    uint64_t work;
    uint32_t module;
} trace_sum_clause;

typedef struct {
    int64_t span, width; // steps
    uint32_t nbuckets;   // just enough for steps 0 to span
    bool has_path;       // the critical path is known
    uint64_t creation;   // steps of it that went into making processes
    uint32_t nmodules;   // the first is `main`
    const trace_sum_row *rows; // nmodules, then all together
    uint32_t nentries, npairs, nclauses;
    const trace_sum_entry *entries; // ascending by predicate
    const trace_sum_pair *pairs;    // those with any goals
    const trace_sum_clause *clauses;
} trace_summary;

#define TRACE_SUM_BUCKETS 8192u // at most

// The modules that a run is summed by.
typedef struct {
    uint32_t nmodules;
    const char *const *names;  // the first is `main`
    uint32_t npredicates;      // all that were written
    const uint32_t *module_of; // by predicate: whose processes its goals start, or TRACE_NONE
} trace_sum_modules;

// Asks for a summary, of a writer whose run->summed is set; to be called when the tables are written
// and nothing was reduced yet. A trace of fewer reductions than `least` gets none, and neither does
// one that is cut, or whose figures need what is not known.
void tw_summarise(tw *w, const trace_sum_modules *modules, uint32_t least);

// A trace with its tables, its end and its summary, and without reductions (trace_nreductions() is 0),
// goals, cells and bindings; NULL if the file has no summary, or anything of this is wrong, or it is a
// pipe. Chunks of reductions are not looked at.
trace *trace_open_head(const char *path);

// NULL: there is none.
const trace_summary *trace_get_summary(const trace *t);

#endif
