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

// First reads of bindings by another process: how many, how long the readers' goals had been there before
// the bindings were made, and how long after these the reads were.
typedef struct {
    uint64_t count, wait;
    int64_t lag;
} trace_sum_waits;

// What processes of a module read of those of another one, or of other processes of their own.
typedef struct {
    uint32_t from, to;           // the maker's, the reader's
    trace_sum_waits all;
    const trace_sum_waits *bins; // by time of the reader
} trace_sum_dependency;

// The same as it is coded: bin by bin, each figure for itself.
typedef struct {
    int64_t bin;
    uint32_t nbins;
} trace_sum_flows;
typedef struct {
    uint32_t from, to; // TRACE_NONE: the sums of all rows
    const uint64_t *count, *wait, *lag; // lag: zigzag
} trace_sum_flow;

// Modules that the critical path goes round: it returned to the first of them so many times.
typedef struct {
    const uint32_t *modules;
    uint32_t nmodules;
    uint64_t rounds, steps;
} trace_sum_cycle;

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

    // Not of every file. Bins are `bin` steps wide, a power of two, and begin at step 0.
    bool has_dependencies;
    int64_t bin;
    uint32_t nbins; // just enough for steps 0 to span
    uint32_t ndependencies;
    const trace_sum_dependency *dependencies; // ascending by from, to

    // Never of a file (trace_sum_up()).
    bool has_more;
    uint32_t ncycles;
    const trace_sum_cycle *cycles;
    bool has_aliases;         // some `=` binds what the parent of its goal had been given
    int64_t step_width;       // P by module, the last of all, in stretches of so many steps from step 1 on
    uint32_t nsteps;          // stretches
    const uint64_t *in_steps; // [module * nsteps + stretch]
} trace_summary;

#define TRACE_SUM_BUCKETS 8192u // at most

// P and W of a stretch of time, step by step or in buckets that are narrower than those of the summary.
typedef struct {
    uint64_t reduced, most_reduced, waiting, most_waiting;
} trace_sum_bucket;
typedef struct {
    int64_t from, width; // bucket i covers steps from + i * width to from + (i + 1) * width - 1
    uint32_t n;
    const trace_sum_bucket *rows; // [module * n + bucket], the last row is all modules together
} trace_sum_stretch;
#define TRACE_STRETCH_VALUES (UINT32_C(1) << 21) // buckets of all rows

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

// Like trace_open_head(), but the file needs no summary: for its tables and its end. It has the first few
// reductions.
trace *trace_open_tables(const char *path);
uint64_t trace_told_reductions(const trace *t); // by its end, without the beginning; 0 without an end
// The tables of a file, as long as they are sound, and of its chunks of reductions only how many reductions they
// say that they have (trace_told_reductions()): what a file holds before it is read. NULL: it is a pipe or no trace.
trace *trace_open_outline(const char *path);
// Like trace_open_head(); the summary is made from the reductions, by these modules, in one pass that holds a
// few chunks of them. `more`: with dependencies and all that no file has. NULL: the run was by a real
// clock, the file is damaged or not ended, or its figures need what is not known; or it was cancelled.
trace *trace_sum_up(const char *path, const trace_sum_modules *modules, bool more,
                    bool (*progress)(void *data, uint64_t done, uint64_t total), void *data);

// Like trace_open_head(), with such a stretch: of the reductions only the chunks are read that it needs, one
// after the other. NULL, too, if the file does not tell what stands before these chunks (files before version
// 10), or if the rows would have more than TRACE_STRETCH_VALUES buckets, or if it was cancelled.
trace *trace_open_stretch(const char *path, int64_t from, int64_t width, uint32_t n,
                          bool (*progress)(void *data, uint64_t done, uint64_t total), void *data);
const trace_sum_stretch *trace_get_stretch(const trace *t); // NULL: of another trace

// NULL: there is none.
const trace_summary *trace_get_summary(const trace *t);

#endif
