// SPDX-License-Identifier: MIT
//
// The ring of goals that are not reduced yet, and the table of those that wait for long.
#include "profiler/sums/open_goals.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_RING   1024u
#define LARGEST_RING (UINT32_C(1) << 31)
#define FIRST_PLACES 1024u

// n places where no goal stands.
static open_goal *free_ring(uint32_t n)
{
    open_goal *ring = base_allocate(n, sizeof *ring);
    memset(ring, 0xff, n * sizeof *ring); // NOT_OPEN
    return ring;
}

void trace_open_goals_init(open_goals *g)
{
    *g = (open_goals){.ring = free_ring(FIRST_RING), .mask = FIRST_RING - 1};
}

void trace_open_goals_finish(open_goals *g)
{
    free(g->ring);
    free(g->old);
}

// ---------------------------------------------------------------------------------------------
// The table

static bool is_free(const old_goal *place)
{
    return place->is.parent == NOT_OPEN;
}

static old_goal *free_places(size_t n)
{
    old_goal *places = base_allocate(n, sizeof *places);
    for (size_t i = 0; i < n; i++)
        places[i].is.parent = NOT_OPEN;
    return places;
}

static size_t place_of(const open_goals *g, uint32_t goal)
{
    return goal * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (g->size - 1);
}

static void put_old(open_goals *g, old_goal goal)
{
    size_t i = place_of(g, goal.goal);
    while (!is_free(&g->old[i]))
        i = (i + 1) & (g->size - 1);
    g->old[i] = goal;
    g->nold++;
}

static void add_old(open_goals *g, old_goal goal)
{
    if (2 * (g->nold + 1) > g->size) {
        old_goal *before = g->old;
        size_t n = g->size;
        g->size = n > 0 ? 2 * n : FIRST_PLACES;
        g->old = free_places(g->size);
        g->nold = 0;
        for (size_t i = 0; i < n; i++)
            if (!is_free(&before[i]))
                put_old(g, before[i]);
        free(before);
    }
    put_old(g, goal);
}

// Closes the gap: what stands behind it, and was pushed on by it, moves forward.
static void remove_old(open_goals *g, size_t gap)
{
    size_t mask = g->size - 1;
    for (size_t i = (gap + 1) & mask; !is_free(&g->old[i]); i = (i + 1) & mask) {
        size_t wanted = place_of(g, g->old[i].goal);
        if (((i - wanted) & mask) >= ((i - gap) & mask)) {
            g->old[gap] = g->old[i];
            gap = i;
        }
    }
    g->old[gap].is.parent = NOT_OPEN;
    g->nold--;
}

bool trace_open_goals_take_old(open_goals *g, uint32_t goal, open_goal *ret)
{
    if (g->nold == 0)
        return false;
    size_t i = place_of(g, goal);
    while (!is_free(&g->old[i]) && g->old[i].goal != goal)
        i = (i + 1) & (g->size - 1);
    if (is_free(&g->old[i]))
        return false;
    *ret = g->old[i].is;
    g->ntaken++;
    remove_old(g, i);
    return true;
}

// ---------------------------------------------------------------------------------------------
// The ring

// Goals that the ring may hold begin with this one.
static uint32_t oldest_in_ring(const open_goals *g)
{
    return g->ngoals > g->mask ? g->ngoals - g->mask - 1 : 0;
}

static void enlarge_ring(open_goals *g)
{
    uint32_t mask = 2 * g->mask + 1;
    open_goal *ring = free_ring(mask + 1);
    for (uint32_t i = oldest_in_ring(g); i < g->ngoals; i++)
        ring[i & mask] = g->ring[i & g->mask];
    free(g->ring);
    g->ring = ring;
    g->mask = mask;
}

// The ring grows if a quarter of its goals are open: then more of them would soon go to the table.
open_goal *trace_open_goals_make_room(open_goals *g)
{
    uint64_t nopen = g->ngoals - g->ntaken - g->nold;
    uint32_t oldest = oldest_in_ring(g);
    if (4 * nopen > g->mask && g->mask < LARGEST_RING - 1)
        enlarge_ring(g);
    else
        add_old(g, (old_goal){oldest, g->ring[oldest & g->mask]});
    return &g->ring[g->ngoals & g->mask];
}

void trace_open_goals_visit(const open_goals *g, void (*visit)(void *data, const open_goal *goal),
                            void *data)
{
    for (uint32_t i = oldest_in_ring(g); i < g->ngoals; i++)
        if (g->ring[i & g->mask].parent != NOT_OPEN)
            visit(data, &g->ring[i & g->mask]);
    for (size_t i = 0; i < g->size; i++)
        if (!is_free(&g->old[i]))
            visit(data, &g->old[i].is);
}
