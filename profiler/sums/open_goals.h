// SPDX-License-Identifier: MIT
//
// Goals that are not reduced yet, by number. The newest stand in a ring, where adding and taking one is
// a few instructions. A goal that waits for longer than the ring goes round moves to a hash table; the
// ring grows if it is filled with goals that wait. So the memory is that of the goals that wait, not that
// of the run.
#ifndef PROFILER_OPEN_GOALS_H
#define PROFILER_OPEN_GOALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOT_OPEN UINT32_MAX // no reduction has this number

typedef struct {
    uint32_t who;    // twice a pair of a module and a predicate; + 1: it starts a process
    uint32_t parent; // the reduction that made it, or NOT_OPEN
    uint32_t process;
    uint32_t first_cell; // that its parent made
    int64_t created;
} open_goal;

typedef struct {
    uint32_t goal;
    open_goal is;
} old_goal;

typedef struct {
    uint32_t ngoals;   // were added so far
    uint32_t ntaken;   // of these
    uint32_t mask;     // places in the ring - 1; their number is a power of two
    open_goal *ring;   // goal g is at g & mask, if so few were added since
    old_goal *old;     // open addressing
    size_t nold, size; // size: 0 or a power of two
} open_goals;

void trace_open_goals_init(open_goals *g);
void trace_open_goals_finish(open_goals *g);
// The place of the next goal, where an open one stands, is made free.
open_goal *trace_open_goals_make_room(open_goals *g) __attribute__((noinline));
// Takes it out of the table; false if it is not there.
bool trace_open_goals_take_old(open_goals *g, uint32_t goal, open_goal *ret)
    __attribute__((noinline));
// Calls visit for all that are left.
void trace_open_goals_visit(const open_goals *g, void (*visit)(void *data, const open_goal *goal),
                            void *data);

// Its number is the next.
static inline void open_goals_add(open_goals *g, open_goal goal)
{
    open_goal *place = &g->ring[g->ngoals & g->mask];
    if (__builtin_expect(place->parent != NOT_OPEN, 0))
        place = trace_open_goals_make_room(g);
    *place = goal;
    g->ngoals++;
}

// Takes it out; false if it is not there. In the table may be goals that are not too old for the ring, since
// it has grown.
static inline bool open_goals_take(open_goals *g, uint32_t goal, open_goal *ret)
{
    open_goal *place = &g->ring[goal & g->mask];
    if (__builtin_expect(g->ngoals - 1 - goal > g->mask || place->parent == NOT_OPEN, 0))
        return trace_open_goals_take_old(g, goal, ret);
    *ret = *place;
    place->parent = NOT_OPEN;
    g->ntaken++;
    return true;
}

#endif
