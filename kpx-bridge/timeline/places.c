// SPDX-License-Identifier: MIT
//
// Logs are numbered as threads come to record something, which tells nothing of their numbers in a team.
// The events at the beginning of a thread's part of a region do.
#include "kpx-bridge/timeline/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "base/table.h"

enum { DEEPEST = 4, NO_TEAM = UINT32_MAX };

// The team that the program's own thread `team` makes, and the numbers in it and in inner teams.
typedef struct {
    uint32_t team;
    uint32_t depth; // how many numbers; 0: in no region
    uint32_t path[DEEPEST];
    uint32_t index; // of the thread
} thread_number;

typedef struct {
    const kpx_process_log *p;
    thread_number *of;  // by index of the thread
    base_map inner;     // regions that a thread began in another one
} numbering;

static bool is_part(const kpx_event *e, kpx_kind kind)
{
    return e->kind == kind && !(e->flags & 1); // not the initial task
}

// Regions are numbered by the thread that begins them: its number + 1 << 40 | count.
static uint32_t beginner(const numbering *n, uint64_t region)
{
    uint64_t number = (region >> 40) - 1;
    uint32_t first;
    FIRST_NOT(first, n->p->threads.n, i, n->p->threads.at[i].number < number);
    bool found = first < n->p->threads.n && n->p->threads.at[first].number == number;
    return found ? first : NO_TEAM;
}

static void find_inner_regions(numbering *n, const kpx_thread_log *log)
{
    uint32_t depth = 0;
    for (uint64_t i = 0; i < log->n; i++) {
        const kpx_event *e = &log->events[i];
        kpx_store_at(i);
        if (is_part(e, KPX_IMPLICIT_BEGIN))
            depth++;
        else if (is_part(e, KPX_IMPLICIT_END) && depth > 0)
            depth--;
        else if (e->kind == KPX_PARALLEL_BEGIN && depth > 0)
            map_set(&n->inner, e->a, 1);
    }
}

// The first part of an outermost region (of an inner one) that the thread has, or NULL.
static const kpx_event *first_part(const numbering *n, const kpx_thread_log *log, bool of_inner)
{
    for (uint64_t i = 0; i < log->n; i++) {
        kpx_store_at(i);
        if (is_part(&log->events[i], KPX_IMPLICIT_BEGIN) && log->events[i].a != 0 &&
            (map_get(&n->inner, log->events[i].a) != MAP_ABSENT) == of_inner)
            return &log->events[i];
    }
    return NULL;
}

static void number_outermost(numbering *n, uint32_t index)
{
    const kpx_event *e = first_part(n, &n->p->threads.at[index], false);
    n->of[index] = (thread_number){.team = NO_TEAM, .index = index};
    if (!e)
        return;
    n->of[index].team = e->value >> 16 == 0 ? index : beginner(n, e->a);
    n->of[index].depth = 1;
    n->of[index].path[0] = e->value >> 16;
}

// False: the thread that began the inner region is in none that is known.
static bool number_inner(numbering *n, uint32_t index)
{
    const kpx_event *e = first_part(n, &n->p->threads.at[index], true);
    uint32_t by = e ? beginner(n, e->a) : NO_TEAM;
    if (by == NO_TEAM || n->of[by].depth == 0 || n->of[by].depth == DEEPEST)
        return false;
    n->of[index] = n->of[by];
    n->of[index].index = index;
    n->of[index].path[n->of[index].depth++] = e->value >> 16;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const thread_number *x = a, *y = b;
    if ((x->depth == 0) != (y->depth == 0))
        return x->depth == 0 ? 1 : -1;
    if (x->team != y->team)
        return x->team < y->team ? -1 : 1;
    for (uint32_t i = 0; i < x->depth && i < y->depth; i++)
        if (x->path[i] != y->path[i])
            return x->path[i] < y->path[i] ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_same(const thread_number *x, const thread_number *y)
{
    return x->depth > 0 && x->depth == y->depth && x->team == y->team &&
           memcmp(x->path, y->path, x->depth * sizeof *x->path) == 0;
}

// teams: how many there are up to that of the thread; same: how many of this number came before.
static char *name_of_number(const thread_number *t, uint32_t teams, uint32_t same, uint32_t *next)
{
    char *name = t->depth == 0 ? base_format("thread %u", (*next)++)
                 : teams > 1   ? base_format("team %u thread %u", teams, t->path[0])
                               : base_format("thread %u", t->path[0]);
    *next = t->depth > 0 && t->path[0] >= *next ? t->path[0] + 1 : *next;
    for (uint32_t i = 1; i < t->depth; i++) {
        char *longer = base_format("%s.%u", name, t->path[i]);
        free(name);
        name = longer;
    }
    if (same > 0) {
        char *longer = base_format("%s (%u)", name, same + 1);
        free(name);
        name = longer;
    }
    return name;
}

static kpx_thread_place *name_all(const thread_number *of, uint32_t n)
{
    kpx_thread_place *places = base_allocate((size_t)n + 1, sizeof *places);
    uint32_t next = 0, teams = 0, same = 0;
    for (uint32_t i = 0; i < n; i++) {
        teams += of[i].depth > 0 && (i == 0 || of[i].team != of[i - 1].team);
        same = i > 0 && is_same(&of[i], &of[i - 1]) ? same + 1 : 0;
        places[i] = (kpx_thread_place){name_of_number(&of[i], teams, same, &next), of[i].index};
    }
    return places;
}

kpx_thread_place *kpx_make_places(const kpx_process_log *p)
{
    uint32_t n = (uint32_t)p->threads.n;
    numbering all = {.p = p, .of = base_allocate((size_t)n + 1, sizeof *all.of)};
    for (uint32_t i = 0; i < n; i++)
        find_inner_regions(&all, &p->threads.at[i]);
    for (uint32_t i = 0; i < n; i++)
        number_outermost(&all, i);
    for (uint32_t level = 1, found = 1; level < DEEPEST && found > 0; level++) {
        found = 0;
        for (uint32_t i = 0; i < n; i++)
            found += all.of[i].depth == 0 && number_inner(&all, i);
    }
    qsort(all.of, n, sizeof *all.of, by_place);
    kpx_thread_place *places = name_all(all.of, n);
    free(all.of);
    map_free(&all.inner);
    return places;
}
