// SPDX-License-Identifier: MIT
//
// timeline: what a measured run did at each location, or a real run of Fleng on each worker, prepared
// once so that a layout only looks things up: the activities of each location in order, the
// iterations of loops that they carried out, and the edges between locations.
#ifndef PAF_TIMELINE_H
#define PAF_TIMELINE_H

#include "iotree/iotree.h"
#include "paf/model/place_groups.h"

#include <glib.h>

// Shares of a pixel have at most this many layers: one for each module in order of rank, one for
// the other modules, and one for waiting.
#define PAF_LAYERS 14
// So many consecutive activities of a location have their sums stored.
#define PAF_BLOCK 16

// How an interval is drawn.
typedef enum {
    PAF_INTERVAL_BASE,    // running outside of inner constructs: serial part, region, between calls
    PAF_INTERVAL_WORK,    // running: loop, single, master, task ...
    PAF_INTERVAL_INNER,   // running under mutual exclusion: critical, ordered, a lock
    PAF_INTERVAL_USER,    // waiting at an explicit barrier
    PAF_INTERVAL_IMPLIED, // at the implicit barrier of a construct
    PAF_INTERVAL_MUTEX,   // for a critical section, an ordered one, a lock
    PAF_INTERVAL_OTHER,   // for tasks, messages
} paf_interval_kind;

static inline bool paf_interval_waits(paf_interval_kind s)
{
    return s >= PAF_INTERVAL_USER;
}

// The iterations of a loop that an activity carried out: [first, first + n). In a static loop with
// chunks the same range repeats every `every` iterations up to the end of the loop.
typedef struct {
    uint32_t loop;                  // which execution of which loop; equal for all its threads
    uint32_t schedule;              // string
    int64_t first, n, every, total; // every 0: once; total: of all threads
} paf_chunk;

// The part of one execution of a loop that one location carried out: by_place[first .. last], which
// has chunks and interruptions between them.
typedef struct {
    uint32_t loop, place, module;
    uint32_t first, last;
    int64_t start, end;
} paf_loop_part;

typedef enum { PAF_HAND_MUTEX, PAF_HAND_TASK, PAF_HAND_MESSAGE, PAF_HAND_COLLECTIVE } paf_hand_kind;

// An edge between two locations: from the end of `from` to the end of `to` (of a task: to its
// start). Of a real run of Fleng: from where a goal was created to the worker that took it.
typedef struct {
    uint32_t from, to; // reductions
    paf_hand_kind kind;
} paf_hand;

// One execution of a routine, a loop or an I/O statement, with everything inside it.
typedef struct {
    int64_t start, end;
    uint32_t module;    // IOT_NONE: all of its time belongs to executions inside it
    uint32_t reduction; // its first interval, or the first one inside it
} paf_execution;

#define PAF_LEVELS 64 // of nested executions; deeper ones are left out

typedef struct {
    const trace *t;
    iot_clock clock;
    uint32_t nplaces;
    uint32_t *first_of;  // by place, nplaces + 1: index into by_place
    uint32_t *by_place;  // reductions, in order of their starts at each place
    uint8_t *interval_of; // by clause: paf_interval_kind
    // Nanoseconds by layer of by_place[first_of[p] + k * PAF_BLOCK ..], for each place p of its
    // blocks from first_block[p] on: [block * layers + layer]. NULL: not made.
    float *blocks;
    uint32_t *first_block, layers;
    uint32_t nchunks;
    paf_chunk *chunks;
    uint32_t *chunk_of; // by reduction: index into chunks, or IOT_NONE; NULL: there are no loops
    uint32_t nparts;
    paf_loop_part *parts; // by loop, then by place
    uint32_t nhands;
    paf_hand *hands; // in order of the ends of `to`
    uint32_t nlevels;          // of nested executions; 0: none were recorded
    paf_execution *executions; // by place, level (outermost first), start; on one level
                               // they do not overlap
    uint32_t *first_execution; // by place * nlevels + level, and one more: index into executions
    paf_place_groups *groups;
    // Caches, filled by whoever holds the session's lock (calls.h, messages.h); or NULL.
    struct paf_calls *calls;
    struct paf_messages *messages;
    struct paf_message_log *message_log;
} paf_timeline;

// Needs the analysis of a measured run, or of a real run of Fleng and the real clock. By the virtual
// clock, which is the clock of the replay, the result is NULL if a thread does two things at a time: a
// replay starts tasks, and processes that several threads work for, as soon as it can, whichever thread
// executed them.
paf_timeline *paf_timeline_create(const iot *a, iot_clock clock);
void paf_timeline_destroy(paf_timeline *l); // NULL: nothing
// The layer of an activity if modules have these ranks.
uint32_t paf_timeline_layer(const paf_timeline *l, const iot *a, const uint32_t *ranks,
                            uint32_t nmodules, uint32_t reduction);
// Makes the sums of blocks, for pictures of runs with very many activities.
void paf_timeline_make_blocks(paf_timeline *l, const iot *a, const uint32_t *ranks,
                              uint32_t nmodules);
void paf_find_executions(paf_timeline *l, const iot *a); // a part of the former (executions.c)

// The iterations that an activity carried out, or NULL.
static inline const paf_chunk *paf_timeline_chunk(const paf_timeline *l, uint32_t reduction)
{
    uint32_t chunk = l->chunk_of ? l->chunk_of[reduction] : IOT_NONE;
    return chunk == IOT_NONE ? NULL : &l->chunks[chunk];
}

static inline paf_interval_kind paf_interval_of(const paf_timeline *l, uint32_t reduction)
{
    return (paf_interval_kind)l->interval_of[trace_reduction_clause(l->t, reduction)];
}

// When an activity begins and ends by the timeline's clock. In a replay a wait lasts from the end
// of the activity before it to the end of the activity that it waits for.
static inline int64_t paf_timeline_end(const paf_timeline *l, uint32_t reduction)
{
    return l->clock == IOT_REAL_TIME ? trace_end(l->t, reduction) : trace_time(l->t, reduction);
}

static inline int64_t paf_timeline_start(const paf_timeline *l, uint32_t reduction)
{
    if (l->clock == IOT_REAL_TIME)
        return trace_start(l->t, reduction);
    if (trace_get_clause(l->t, trace_reduction_clause(l->t, reduction))->waits)
        return trace_time(l->t, trace_goal_parent(l->t, trace_reduction_goal(l->t, reduction)));
    return trace_time(l->t, reduction) - trace_cost(l->t, reduction);
}

// The place's first activity (an index into by_place) that ends after the time.
uint32_t paf_timeline_at(const paf_timeline *l, uint32_t place, double time);
// The activity of the place at the time, or IOT_NONE.
uint32_t paf_timeline_activity(const paf_timeline *l, uint32_t place, double time);
// A place's first execution on a level (an index into executions) that ends after the time.
uint32_t paf_timeline_execution(const paf_timeline *l, uint32_t place, uint32_t level, double time);
// The parts of one execution of a loop: parts[*ret_first ..].
uint32_t paf_timeline_loop(const paf_timeline *l, uint32_t loop, uint32_t *ret_first);

#endif
