// SPDX-License-Identifier: MIT
//
// A chunk of reductions, decoded for itself and checked as far as the tables and the chunk alone
// allow. Several threads may decode chunks at once; history.c checks the rest, in the order of the
// file.
#ifndef PROFILER_STEPS_H
#define PROFILER_STEPS_H

#include "profiler/read/input.h"
#include "profiler/read/opened.h"

// How long the tables were when a chunk was reached: what it may refer to.
typedef struct {
    uint32_t strings, sources, modules, place_names, predicates, clauses, totals;
} table_sizes;

// A chunk of reductions, decoded for itself.
typedef struct {
    const trace *t; // its tables
    bool summing;   // for figures: terms are not kept
    table_sizes tables;
    unpacked columns;
    ZSTD_DCtx *zstd;
    arena scratch; // of a single reduction's lists
    block work;
    coding k;
    predictor p;

    before_record before;
    uint32_t n;         // reductions that are sound by themselves;
    const char *reason; // what is wrong with the next, or NULL
    bool broken;        // the chunk itself could not be read
    uint8_t *stored_terms;
    uint32_t stored_size;
    slot_size size;
    work_size work_size;
#define STEP_LIST(type, name) ARRAY_OF(type) name;
#define PART_LIST(type, name) ARRAY_OF(type) name;
#include "profiler/read/lists.def"
} steps;

// False without memory; trace_steps_finish() is due even so.
bool trace_steps_init(steps *s, const trace *t, bool summing);
void trace_steps_finish(steps *s);
// Decodes the chunk, whose columns must not be unpacked yet. An error is in s->reason.
void trace_steps_decode(steps *s, const chunk *c, table_sizes tables);
// Nothing of a chunk could be read.
void trace_steps_refuse(steps *s, const char *reason);

#endif
