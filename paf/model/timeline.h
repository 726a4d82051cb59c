// SPDX-License-Identifier: MIT
//
// timeline: what a measured run did at each place over real time, prepared once so that a layout
// only looks up: the activities of each place in order, which iterations of which loop they carried
// out, and who handed something over to whom.
#ifndef PAF_TIMELINE_H
#define PAF_TIMELINE_H

#include "iotree/iotree.h"

#include <glib.h>

// What is drawn as shares of a pixel has this many layers at most: modules in order of their ranks,
// one for the rest of them, and one for waiting.
#define PAF_LAYERS 14
// So many activities that follow each other at a place have their sums.
#define PAF_BLOCK 16

// How a stretch of time is drawn.
typedef enum {
    PAF_STRETCH_BASE,    // running, in nothing in particular: serial part, region, between calls
    PAF_STRETCH_WORK,    // running: loop, single, master, task ...
    PAF_STRETCH_INNER,   // running while nobody else may: critical, ordered, a lock
    PAF_STRETCH_USER,    // waiting at a barrier of the text
    PAF_STRETCH_IMPLIED, // at one implied by a construct
    PAF_STRETCH_MUTEX,   // for a critical section, an ordered one, a lock
    PAF_STRETCH_OTHER,   // for tasks, messages
} paf_stretch;

static inline bool paf_stretch_waits(paf_stretch s)
{
    return s >= PAF_STRETCH_USER;
}

// How an activity in a construct of the kind is drawn; waits: as its clause has it.
paf_stretch paf_stretch_of_kind(trace_kind kind, bool waits);

// Iterations of a loop that an activity carried out: [first, first + n), and, of a static loop with
// chunks, the same again every `every` ones below the end of the loop.
typedef struct {
    uint32_t loop;                  // which execution of which loop; equal for all its threads
    uint32_t schedule;              // string
    int64_t first, n, every, total; // every 0: once; total: of all threads
} paf_chunk;

// What one place had of one execution of a loop: by_place[first .. last], chunks and what
// interrupts them.
typedef struct {
    uint32_t loop, place, module;
    uint32_t first, last;
    int64_t start, end;
} paf_loop_part;

typedef enum { PAF_HAND_MUTEX, PAF_HAND_TASK, PAF_HAND_MESSAGE, PAF_HAND_COLLECTIVE } paf_hand_kind;

// How an edge between two places is drawn; false: not at all.
bool paf_hand_of_edge(trace_edge edge, paf_hand_kind *ret);

// From a place to another one: from's end to to's end (to a task's start).
typedef struct {
    uint32_t from, to; // reductions
    paf_hand_kind kind;
} paf_hand;

// An execution of a routine, a loop or an I/O statement, with all that was done within.
typedef struct {
    int64_t start, end;
    uint32_t module;    // IOT_NONE: all of its time is other executions'
    uint32_t reduction; // its first stretch, or the first one within
} paf_execution;

#define PAF_LEVELS 64 // of executions within each other; what is deeper is left out

typedef struct {
    const trace *t;
    iot_clock clock;
    uint32_t nplaces;
    uint32_t *first_of;  // by place, nplaces + 1: index into by_place
    uint32_t *by_place;  // reductions, in order of their starts at each place
    uint8_t *stretch_of; // by clause: paf_stretch
    // Nanoseconds by layer of by_place[first_of[p] + k * PAF_BLOCK ..], for each place p of its
    // blocks from first_block[p] on: [block * layers + layer]. NULL: not made.
    float *blocks;
    uint32_t *first_block, layers;
    uint32_t nchunks;
    paf_chunk *chunks;
    uint32_t *chunk_of; // by reduction: index into chunks, or IOT_NONE
    uint32_t nparts;
    paf_loop_part *parts; // by loop, then by place
    uint32_t nhands;
    paf_hand *hands; // in order of the ends of `to`
    uint32_t nlevels;         // of executions; 0: none were recorded
    paf_execution *executions; // by place, level (outermost first), start; those of a level are apart
    uint32_t *first_execution; // by place * nlevels + level, and one more: index into executions
} paf_timeline;

// The analysis is of a measured run. By the virtual clock, that of the replay, there are rows of
// threads if none does two things at a time there: else NULL. (Tasks are carried out as soon as
// they can be, whoever did it; so are processes that several threads work for.)
paf_timeline *paf_timeline_create(const iot *a, iot_clock clock);
void paf_timeline_destroy(paf_timeline *l); // NULL: nothing
// The layer of an activity where modules have these ranks.
uint32_t paf_timeline_layer(const paf_timeline *l, const iot *a, const uint32_t *ranks,
                            uint32_t nmodules, uint32_t reduction);
// Sums of blocks, for pictures of runs with very many activities.
void paf_timeline_make_blocks(paf_timeline *l, const iot *a, const uint32_t *ranks,
                              uint32_t nmodules);
void paf_find_executions(paf_timeline *l, const iot *a); // a part of the former (executions.c)

static inline paf_stretch paf_stretch_of(const paf_timeline *l, uint32_t reduction)
{
    return (paf_stretch)l->stretch_of[trace_reduction_clause(l->t, reduction)];
}

// When an activity begins and ends by the timeline's clock. A wait of the replay lasts from the end
// of what made it to the end of what it is for.
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

// The first of the place's activities (an index into by_place) that ends after the time.
uint32_t paf_timeline_at(const paf_timeline *l, uint32_t place, double time);
// The activity of the place at the time, or IOT_NONE.
uint32_t paf_timeline_activity(const paf_timeline *l, uint32_t place, double time);
// The first of a place's executions on a level (an index into executions) that ends after the time.
uint32_t paf_timeline_execution(const paf_timeline *l, uint32_t place, uint32_t level, double time);
// The parts of one execution of a loop: parts[*ret_first ..].
uint32_t paf_timeline_loop(const paf_timeline *l, uint32_t loop, uint32_t *ret_first);

#endif
