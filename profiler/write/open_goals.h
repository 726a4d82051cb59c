// SPDX-License-Identifier: MIT
//
// Goals that are not reduced yet, by number. They stand in pages of goals that were created one after the
// other. A page of which few are left is given up; these few are in a hash table then. So the memory is
// that of the goals that wait, not that of the run.
#ifndef PROFILER_OPEN_GOALS_H
#define PROFILER_OPEN_GOALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

#define OPEN_PAIRS (1u << 30) // numbers of pairs are below

typedef struct {
    uint32_t pair : 30;     // module and predicate, a number of who adds it
    uint32_t starts : 1;    // a process
    uint32_t beginning : 1; // the beginning made it
    uint32_t parent;        // place of its parent among the reductions of the step
    int64_t created;        // -1: the goal is not open
} open_goal;

#define PAGE_GOALS 512u

typedef struct {
    uint32_t nopen;
    open_goal goals[PAGE_GOALS];
} goal_page;

typedef struct {
    uint32_t goal;
    open_goal is;
} old_goal;

typedef struct {
    uint32_t ngoals;             // were added so far
    ARRAY_OF(goal_page *) pages; // by number / PAGE_GOALS; NULL: given up
    ARRAY_OF(goal_page *) spare;
    old_goal *old;     // open addressing
    size_t nold, size; // size: 0 or a power of two
} open_goals;

void trace_open_goals_finish(open_goals *g);
// Its number is the next.
void trace_open_goals_new_page(open_goals *g);
static inline void open_goals_add(open_goals *g, open_goal goal)
{
    if (g->ngoals % PAGE_GOALS == 0)
        trace_open_goals_new_page(g);
    goal_page *page = g->pages.at[g->ngoals / PAGE_GOALS];
    page->goals[g->ngoals++ % PAGE_GOALS] = goal;
    page->nopen++;
}

// Takes it out; false if it is not there.
bool trace_open_goals_take(open_goals *g, uint32_t goal, open_goal *ret);
// Calls visit for all that are left.
void trace_open_goals_visit(const open_goals *g, void (*visit)(void *data, const open_goal *goal),
                            void *data);

#endif
