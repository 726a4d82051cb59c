// SPDX-License-Identifier: MIT
//
// Pages of goals that are not reduced yet, and the table of the few that are left of old pages.
#include "profiler/write/open_goals.h"

#include "base/memory.h"

#define FEW_GOALS    (PAGE_GOALS / 16)
#define FIRST_PLACES 1024u

void trace_open_goals_finish(open_goals *g)
{
    for (size_t i = 0; i < g->pages.n; i++)
        free(g->pages.at[i]);
    for (size_t i = 0; i < g->spare.n; i++)
        free(g->spare.at[i]);
    free(g->pages.at);
    free(g->spare.at);
    free(g->old);
}

// ---------------------------------------------------------------------------------------------
// The table

static bool is_free(const old_goal *place)
{
    return place->is.created < 0;
}

static old_goal *free_places(size_t n)
{
    old_goal *places = base_allocate(n, sizeof *places);
    for (size_t i = 0; i < n; i++)
        places[i].is.created = -1;
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
    g->old[gap].is.created = -1;
    g->nold--;
}

static bool take_old(open_goals *g, uint32_t goal, open_goal *ret)
{
    if (g->nold == 0)
        return false;
    size_t i = place_of(g, goal);
    while (!is_free(&g->old[i]) && g->old[i].goal != goal)
        i = (i + 1) & (g->size - 1);
    if (is_free(&g->old[i]))
        return false;
    *ret = g->old[i].is;
    remove_old(g, i);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Pages

void trace_open_goals_new_page(open_goals *g)
{
    goal_page *page = g->spare.n > 0 ? g->spare.at[--g->spare.n] : base_allocate(1, sizeof *page);
    page->nopen = 0;
    ARRAY_PUSH(g->pages, page);
}

static void give_up(open_goals *g, size_t number)
{
    goal_page *page = g->pages.at[number];
    for (uint32_t i = 0; i < PAGE_GOALS && page->nopen > 0; i++)
        if (page->goals[i].created >= 0) {
            add_old(g, (old_goal){(uint32_t)number * PAGE_GOALS + i, page->goals[i]});
            page->nopen--;
        }
    g->pages.at[number] = NULL;
    ARRAY_PUSH(g->spare, page);
}

bool trace_open_goals_take(open_goals *g, uint32_t goal, open_goal *ret)
{
    size_t number = goal / PAGE_GOALS;
    if (goal >= g->ngoals)
        return false;
    goal_page *page = g->pages.at[number];
    if (!page)
        return take_old(g, goal, ret);
    open_goal *place = &page->goals[goal % PAGE_GOALS];
    if (place->created < 0)
        return false;
    *ret = *place;
    place->created = -1;
    if (--page->nopen < FEW_GOALS && number + 1 < g->pages.n)
        give_up(g, number);
    return true;
}

void trace_open_goals_visit(const open_goals *g, void (*visit)(void *data, const open_goal *goal),
                            void *data)
{
    for (uint32_t i = 0; i < g->ngoals; i++) {
        const goal_page *page = g->pages.at[i / PAGE_GOALS];
        if (!page)
            i |= PAGE_GOALS - 1;
        else if (page->goals[i % PAGE_GOALS].created >= 0)
            visit(data, &page->goals[i % PAGE_GOALS]);
    }
    for (size_t i = 0; i < g->size; i++)
        if (!is_free(&g->old[i]))
            visit(data, &g->old[i].is);
}
