// SPDX-License-Identifier: MIT
//
// The critical path of a run whose reductions come in order of time, without keeping the run.
//
// Each reduction at t has one predecessor, and where all goals cost one step that is at t - 1. So who
// reads a binding needs to find its maker only if that is of the step before, and a reduction whose
// step is over is kept only as long as some reduction of the last step comes from it. What comes from
// one reduction only is summed: of each stretch between two forks the file keeps how often each key
// occurs. The memory is that of the widest steps.
#ifndef PROFILER_CRITICAL_H
#define PROFILER_CRITICAL_H

#include <stdint.h>

#include "base/array.h"

#define PATH_START UINT32_MAX // the predecessor is the beginning

typedef struct {
    uint32_t before; // PATH_START, or an older node
    uint32_t key;    // twice who; + 1 by data. Or PATH_STRETCH | a stretch
} path_node;

// Part of `tallies`.
typedef struct {
    uint32_t first, n;
} path_stretch;

typedef struct {
    uint32_t key;
    uint64_t count;
} path_tally;

// Steps by control in succession until here, and steps that went into making processes.
typedef struct {
    uint32_t chain, creation;
} path_making;

// A binding of a step: the place of its maker there.
typedef struct {
    uint32_t cell, maker, step;
} path_made;

typedef struct {
    path_made *places; // open addressing; those of another step are free
    size_t n, size;    // size: 0 or a power of two
    uint32_t step;
} path_bindings;

typedef struct {
    bool lost;       // some predecessor is not of the step before: there is no path
    bool begun;      // there was a reduction
    int64_t time;    // of the step
    uint32_t step;   // counts the steps that had reductions
    ARRAY_OF(path_node) nodes;
    size_t first, first_before; // nodes of this step; of the step before
    size_t compact_at;
    ARRAY_OF(path_stretch) stretches;
    ARRAY_OF(path_tally) tallies;
    ARRAY_OF(path_making) making, making_before; // by place in the step
    path_bindings made, made_before;
    int64_t time_before;
    uint32_t oldest, oldest_at; // of the step: the goal that was created first, its place
    ARRAY_OF(uint64_t) counts;  // by key, while stretches are summed
    ARRAY_OF(uint32_t) counted;
} critical;

typedef struct {
    int64_t time, created;
    uint32_t goal, who;
    uint32_t parent; // place in its step
    bool starts;     // a process
    const uint32_t *reads;
    uint32_t nreads;
} path_step;

void trace_path_finish(critical *p);
// The next reduction that is not the beginning; returns its place in the step.
uint32_t trace_path_take(critical *p, const path_step *s);
// What it binds.
void trace_path_bind(critical *p, uint32_t cell, uint32_t maker);
// How often each key is on the path, in p->counts by key for the p->counted ones, and the steps that
// made processes. False: it is lost, or there is none.
bool trace_path_sum(critical *p, uint64_t *ret_creation);

#endif
