// SPDX-License-Identifier: MIT
//
// The summary of a run (profiler/summary.h), made while its reductions are encoded. Goals are counted
// where they are created and where they are reduced; at the end of each step that had any, P and W of
// the modules concerned go to buckets, which become wider as the run becomes longer.
#ifndef PROFILER_SUMS_H
#define PROFILER_SUMS_H

#include "profiler/format/predict.h"
#include "profiler/summary.h"
#include "profiler/sums/open_goals.h"
#include "profiler/sums/critical.h"
#include "profiler/sums/dependencies.h"

// From step `since` on W is `standing`, until a step in which something happens.
typedef struct {
    int64_t since, standing;
    uint32_t reduced, created; // in the present step
    trace_sum_row row;
} sum_module;

// The goals of a clause that has a template, for processes of one module: that of its last reduction.
typedef struct {
    uint32_t module; // TRACE_NONE: not prepared
    bool stays;      // all goals are of this module, too
    uint32_t *who;   // by goal, as in open_goal; NULL or as many as the clause has
} sum_body;

// What is summed beside the rest.
typedef struct {
    uint32_t least; // fewer reductions have no summary
    bool dependencies;
    dependency_limits limits;
    bool more; // see trace_summary
} sums_wanted;

// P by module from step 1 on, in stretches that become wider as the run becomes longer.
typedef struct {
    uint64_t *reduced; // [module * MOST_STRETCHES + stretch], all together last; NULL: not wanted
    unsigned shift;
} sum_stretches;

#define MOST_STRETCHES 100000u
#define NO_ALIAS       UINT32_MAX

typedef struct sums {
    sums_wanted wanted;
    uint32_t nmodules, npredicates;
    uint32_t *names;     // strings, by module
    uint32_t *module_of; // by predicate, or TRACE_NONE
    bool lost;           // what was written does not fit together, or came too late
    sum_module *modules; // nmodules, then all together
    uint32_t *touched;   // in the present step
    uint32_t ntouched;
    uint32_t *pair_of; // by predicate and module: a pair + 1
    ARRAY_OF(trace_sum_pair) pairs;
    ARRAY_OF(trace_sum_clause) clauses;
    ARRAY_OF(sum_body) bodies; // by clause
    trace_sum_bucket *buckets; // nbuckets of each module, then of all
    uint32_t nbuckets;
    unsigned shift;   // a bucket is 2^shift steps wide
    int64_t time;     // of the present step
    uint32_t module;  // of the last reduction's goal
    uint32_t nreductions;
    uint32_t first; // reduction of the present step
    bool has_root;  // a goal that the beginning made and that starts no process was reduced
    open_goals goals;
    critical path;
    dependencies dependencies; // lost if they are not wanted
    sum_stretches stretches;
    bool has_aliases;
    uint32_t ncells;    // that there are
    uint32_t root;      // the process of the beginning's goals that start none
    uint32_t nprocesses;
} sums;

// NULL: the modules are too many.
sums *trace_sums_create(const trace_sum_modules *m, const uint32_t *names, sums_wanted wanted);
void trace_sums_destroy(sums *s);
// A predicate that is written now; one of the program might have changed the modules.
void trace_sums_predicate(sums *s, trace_origin origin);
// The next reduction. youngest: of each of its `=` between two values of its head's variables the number
// of the younger one, if it is a cell, + 1; the least of these, or NO_ALIAS.
void trace_sums_take(sums *s, const clause_entry *c, const step_record *r, uint32_t youngest);
// Ends the run. False: there is no summary. Buckets are joined until the values of all rows are at
// most `most`; what ret points to is the caller's (trace_sums_free).
bool trace_sums_finish(sums *s, uint64_t most, trace_summary *ret);
void trace_sums_free(trace_summary *summary);

#endif
