// SPDX-License-Identifier: MIT
//
// Regions that are too small together. A time step that begins several regions one after the other pays for
// each; one region around the loop replaces all of them, so they are one cause.
#include "iotree/findings/measured_run.h"

enum { LITTLE = 20000 }; // nanoseconds: what is done alone between two regions that could be one

static bool same_line(const measured_run *m, uint32_t a, uint32_t b)
{
    const trace_clause *x = trace_get_clause(m->t, a), *y = trace_get_clause(m->t, b);
    return x->source == y->source && x->line == y->line;
}

static bool is_small_region(const cause *c)
{
    return c->kind == FEWER_REGIONS && c->weight > 0;
}

// By clause: the number of the cause whose fork it is; INDEX_NONE: of none.
static uint32_t *causes_of_forks(const measured_run *m)
{
    uint32_t *of = base_allocate((size_t)trace_nclauses(m->t) + 1, sizeof *of);
    for (uint32_t i = 0; i < trace_nclauses(m->t); i++)
        of[i] = INDEX_NONE;
    for (uint32_t i = 0; i < m->causes.n; i++)
        if (is_small_region(&m->causes.at[i]))
            of[m->causes.at[i].clause] = i;
    return of;
}

// By cause: which region its place begins next, mostly (the one with most votes), with next to nothing in
// between.
typedef struct {
    uint32_t next, votes, times;
} successor;

static void vote_for(successor *s, uint32_t next)
{
    s->times++;
    if (s->next == next)
        s->votes++;
    else if (s->votes > 0)
        s->votes--;
    else
        *s = (successor){next, 1, s->times};
}

static successor *find_successors(const measured_run *m, const uint32_t *of)
{
    const replay *r = m->r;
    successor *list = base_allocate(m->causes.n + 1, sizeof *list);
    for (size_t i = 0; i < m->causes.n; i++)
        list[i].next = INDEX_NONE;
    for (uint32_t p = 0; p < r->nplaces; p++) {
        uint32_t last = INDEX_NONE;
        int64_t alone = 0;
        for (uint32_t k = r->at_place[p]; k < r->at_place[p + 1]; k++) {
            uint32_t x = r->by_place[k];
            trace_kind kind = kind_of(m, x);
            alone += kind == TRACE_KIND_SERIAL && !r->waits[x] ? r->costs[x] : 0;
            if (kind != TRACE_KIND_FORK || iot_is_execution(m, x))
                continue;
            uint32_t next = of[clause_of(m, x)];
            if (last != INDEX_NONE && next != INDEX_NONE && alone < LITTLE)
                vote_for(&list[last], next);
            last = next;
            alone = 0;
        }
    }
    return list;
}

static uint32_t first_of(uint32_t *parents, uint32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

// The cause takes over what the other one has.
static void take(cause *to, cause *from)
{
    to->weight += from->weight;
    to->mean += from->mean;
    to->count += from->count;
    to->later = from->clause;
    from->weight = 0;
}

static void join(measured_run *m, uint32_t *parents, const successor *next)
{
    for (uint32_t i = 0; i < m->causes.n; i++)
        parents[i] = i;
    for (uint32_t i = 0; i < m->causes.n; i++) {
        const cause *c = &m->causes.at[i];
        if (next[i].next == INDEX_NONE || next[i].next == i || 2 * next[i].votes < c->count)
            continue;
        uint32_t x = first_of(parents, i), y = first_of(parents, next[i].next);
        parents[x > y ? x : y] = x > y ? y : x;
    }
}

void iot_join_small_regions(measured_run *m)
{
    uint32_t n = trace_nclauses(m->t), *of = causes_of_forks(m);
    uint32_t *parents = base_allocate(m->causes.n + 1, sizeof *parents);
    successor *next = find_successors(m, of);
    join(m, parents, next);
    m->region_group = base_allocate((size_t)n + 1, sizeof *m->region_group);
    memset(m->region_group, 0xff, ((size_t)n + 1) * sizeof *m->region_group);
    for (uint32_t i = 0; i < m->causes.n; i++) {
        const cause *c = &m->causes.at[i];
        for (uint32_t k = 0; is_small_region(c) && k < n; k++)
            if (same_line(m, k, c->clause))
                m->region_group[k] = m->causes.at[first_of(parents, i)].clause;
    }
    for (uint32_t i = 0; i < m->causes.n; i++)
        if (first_of(parents, i) != i)
            take(&m->causes.at[first_of(parents, i)], &m->causes.at[i]);
    free(of);
    free(parents);
    free(next);
}
