// SPDX-License-Identifier: MIT
//
// The critical path of a run whose reductions come in order of time, without keeping the run.
//
// Each reduction at t has one predecessor, and where all goals cost one step that is at t - 1. So who
// reads a binding needs to find its maker only if that is of the step before, and a reduction whose
// step is over is kept only as long as some reduction of the last step comes from it. What comes from
// one reduction only is summed: of each stretch between two forks the file keeps how often each key
// occurs. The memory is that of the widest steps.
//
// Reductions have numbers; number 0 is the beginning.
#ifndef PROFILER_CRITICAL_H
#define PROFILER_CRITICAL_H

#include <stdint.h>

#include "base/array.h"
#include "profiler/format/predict.h"
#include "profiler/path_cycles.h"

#define PATH_START 0u         // the node of the beginning
#define PATH_NONE  UINT32_MAX // no reduction

typedef struct {
    uint32_t before; // an older node
    uint32_t key;    // four times a pair; + 1 by data. Or PATH_STRETCH | a stretch
} path_node;

// Part of `tallies`; and, if cycles are wanted, of `visits`: where the path is at its end.
typedef struct {
    uint32_t first, n;
    uint32_t first_visit, nvisits;
} path_stretch;

// Keys as of nodes; or four times a cycle; + 2: its rounds, + 3: its steps.
typedef struct {
    uint32_t key;
    uint64_t count;
} path_tally;

// So many steps in succession in a module.
typedef struct {
    uint32_t module, n;
} path_run;

enum { TALLY_CONTROL, TALLY_DATA, TALLY_ROUNDS, TALLY_STEPS, TALLIES };

// Steps by control in succession until here, and steps that went into making processes.
typedef struct {
    uint32_t chain, creation;
} path_making;

typedef struct {
    uint32_t cell, maker; // maker: a reduction
} path_made;

// The bindings of a step that find no place in the window.
typedef struct {
    path_made *places; // open addressing; those whose maker is before the step are free
    size_t n, size;    // size: 0 or a power of two
    uint32_t first;    // reduction of the step
} path_bindings;

typedef struct {
    bool lost;                    // some predecessor is not of the step before: there is no path
    uint32_t first, first_before; // reductions: the first of this step; of the step before
    uint32_t base;                // nodes of these two are at their number - base
    uint32_t nnodes, capacity;
    path_node *nodes;
    path_making *making; // by node of these two steps
    size_t compact_at;
    ARRAY_OF(path_stretch) stretches;
    ARRAY_OF(path_tally) tallies;
    path_cycles *cycles; // NULL: they are not wanted
    ARRAY_OF(path_visit) visits;
    ARRAY_OF(path_run) runs; // while a stretch is summed
    ARRAY_OF(uint32_t) module_of; // by pair, for cycles
    path_made *window; // by cell & window_mask: bindings of this step and of the step before
    uint32_t window_mask;
    uint32_t made_from; // reduction: makers of the step before are from here on
    path_bindings made, made_before;
    uint32_t oldest, oldest_at; // of the step: the goal that was created first, its node
    ARRAY_OF(uint64_t) counts;  // by key, while stretches are summed
    ARRAY_OF(uint32_t) counted;
} critical;

// A reduction of a goal.
typedef struct {
    uint32_t number, goal;
    uint32_t who;    // twice a pair; + 1: it starts a process
    uint32_t parent; // the reduction that made the goal
    uint32_t nreads, nbindings;
    const uint32_t *reads;
    const step_binding *bindings;
} path_step;

void trace_path_init(critical *p, bool cycles);
void trace_path_finish(critical *p) __attribute__((noinline)); // it is lost then
// The next reductions are of another step; `first` is the number of the first of them. adjoins: the step
// before is one less.
void trace_path_begin_step(critical *p, uint32_t first, bool adjoins);
// How often each key is on the path, and how often it went round each cycle, in p->counts by key for the
// p->counted ones; and the steps that made processes. False: it is lost.
bool trace_path_sum(critical *p, uint64_t *ret_creation);
void trace_path_enlarge(critical *p) __attribute__((noinline)); // room for more nodes
void trace_path_bind_beside(critical *p, path_made made) __attribute__((noinline));
uint32_t trace_path_maker_beside(const path_bindings *b, uint32_t cell) __attribute__((noinline));

// ---------------------------------------------------------------------------------------------
// Bindings of a step

// The reduction `maker`, the last one, binds the cell.
static inline void path_bind(critical *p, uint32_t cell, uint32_t maker)
{
    path_made *place = &p->window[cell & p->window_mask];
    if (place->maker < p->made_from)
        *place = (path_made){cell, maker};
    else
        trace_path_bind_beside(p, (path_made){cell, maker});
}

// Who bound the cell in the step before, or PATH_NONE.
static inline uint32_t path_maker_of(const critical *p, uint32_t cell)
{
    const path_made *place = &p->window[cell & p->window_mask];
    if (place->cell == cell && place->maker - p->made_from < p->first - p->made_from)
        return place->maker;
    return p->made_before.n > 0 ? trace_path_maker_beside(&p->made_before, cell) : PATH_NONE;
}

// ---------------------------------------------------------------------------------------------
// Reductions

// The next reduction; the path is not lost.
static inline void path_take(critical *p, const path_step *s)
{
    uint32_t before = PATH_NONE; // the oldest maker of what it reads
    for (uint32_t i = 0; i < s->nreads; i++) {
        uint32_t maker = path_maker_of(p, s->reads[i]);
        before = maker < before ? maker : before;
    }
    bool data = before != PATH_NONE;
    if (!data)
        before = s->parent;
    if (__builtin_expect(before - p->first_before >= p->first - p->first_before, 0)) {
        trace_path_finish(p);
        return;
    }
    if (__builtin_expect(p->nnodes == p->capacity, 0))
        trace_path_enlarge(p);
    before -= p->base;
    uint32_t node = p->nnodes++;
    path_making m = p->making[before];
    m.chain = data ? 0 : m.chain + 1;
    if (s->who % 2 == 1) {
        m.creation += m.chain;
        m.chain = 0;
    }
    p->making[node] = m;
    p->nodes[node] = (path_node){before, 2 * (s->who - s->who % 2) + data};
    if (s->goal < p->oldest) {
        p->oldest = s->goal;
        p->oldest_at = node;
    }
    for (uint32_t i = 0; i < s->nbindings; i++)
        path_bind(p, s->bindings[i].variable, s->number);
}

#endif
