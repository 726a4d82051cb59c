// SPDX-License-Identifier: MIT
//
// Loading: each kind of chunk is decoded, checked against everything before it and appended to the
// trace. tables.c loads tables; history.c loads reductions, places and waiting goals; profile.c,
// totals.c, regions.c, samples.c, summary.c and dependencies.c load the figures of their names.
#ifndef PROFILER_LOADER_H
#define PROFILER_LOADER_H

#include "base/table.h"
#include "profiler/read/steps.h"

// Sources of a file of version 3 by their names.
typedef struct {
    base_index by_name;      // the first of each name
    ARRAY_OF(bool) repeated; // by source: another one has the name, too
} version3_sources;

// What is needed only while a file is read.
typedef struct {
    trace *t;
    coding k;
    uint32_t waiting_goal; // predicted for the next waiting record
    bool begun, ended;     // RUN and END were read
    bool head;             // reductions are left out
    bool lost_terms;       // of reductions that are loaded: no memory to keep them
    uint32_t record;       // being read
    const char *reason;    // what is wrong with it
    column_in columns[COLUMNS];
    version3_sources version3;
    ARRAY_OF(uint32_t) skips;     // see history.c
    ARRAY_OF(int64_t) place_ends; // the last reduction at each place
} loader;

// Each takes `count` records from the columns, checks them and appends them; false with a reason
// after those before the wrong one.
bool trace_load_strings(loader *l, uint32_t count);
bool trace_load_sources(loader *l, uint32_t count);
bool trace_load_meanings(loader *l, uint32_t count);
bool trace_load_modules(loader *l, uint32_t count);
bool trace_load_place_names(loader *l, uint32_t count);
bool trace_load_predicates(loader *l, uint32_t count);
bool trace_load_clauses(loader *l, uint32_t count);
bool trace_load_steps(loader *l, steps *s); // takes the stored terms
bool trace_load_profile(loader *l, uint32_t count);
bool trace_load_totals(loader *l, uint32_t count);
bool trace_load_data_files(loader *l, uint32_t count);
bool trace_load_regions(loader *l, uint32_t count);
bool trace_load_figures_ran(loader *l, uint32_t count);
bool trace_load_dropped(loader *l, uint32_t count);
bool trace_load_machine(loader *l, uint32_t count);
bool trace_load_workers(loader *l, uint32_t count);
bool trace_load_samples(loader *l, uint32_t count);
bool trace_load_ready(loader *l, uint32_t count);
bool trace_load_summary(loader *l, uint32_t count);
bool trace_load_dependencies(loader *l, uint32_t count); // of the summary, which comes before
bool trace_load_standing(loader *l, uint32_t count);
bool trace_summary_fits(const trace_summary *s, const end_record *end);
bool trace_finish_samples(trace *t); // after the last; false without memory
bool trace_load_places(loader *l, uint32_t count);
bool trace_load_waiting(loader *l, uint32_t count);
bool trace_finish_waiting(loader *l); // after the last
void trace_finish_places(trace *t);
bool trace_finish_passing(trace *t); // false without memory

bool trace_refuse(loader *l, const char *reason); // false
bool trace_column_sound(loader *l, const column_in *in);

#endif
