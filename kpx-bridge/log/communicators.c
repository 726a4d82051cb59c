// SPDX-License-Identifier: MIT
//
// Reads communicators and neighbours from the events of a process.
#include "kpx-bridge/log/communicators.h"

#include <stdlib.h>

static void take(kpx_communicators *c, const kpx_event *e)
{
    kpx_communicator it = {.identity = e->b,
                           .rank = (uint32_t)(e->a >> 32),
                           .size = (uint32_t)e->a,
                           .side = e->flags & 3u};
    uint64_t index = map_get(&c->index_of, e->value);
    if (index == MAP_ABSENT) {
        map_set(&c->index_of, e->value, c->list.n);
        ARRAY_PUSH(c->list, it);
    } else {
        c->list.at[index] = it;
    }
}

static int by_communicator(const void *x, const void *y)
{
    const kpx_neighbour *a = x, *b = y;
    if (a->communicator != b->communicator)
        return a->communicator < b->communicator ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

// Keeps each rank once: in a torus of two, both neighbours are the same rank.
static void sort_neighbours(kpx_communicators *c)
{
    uint32_t kept = 0;
    if (c->neighbours.n > 0)
        qsort(c->neighbours.at, c->neighbours.n, sizeof *c->neighbours.at, by_communicator);
    for (uint32_t i = 0; i < c->neighbours.n; i++) {
        const kpx_neighbour *n = &c->neighbours.at[i];
        uint64_t index = map_get(&c->index_of, n->communicator);
        if (index == MAP_ABSENT || n->rank >= c->list.at[index].size ||
            (kept > 0 && by_communicator(n, &c->neighbours.at[kept - 1]) == 0))
            continue;
        kpx_communicator *of = &c->list.at[index];
        of->first_neighbour = of->nneighbours++ == 0 ? kept : of->first_neighbour;
        c->neighbours.at[kept++] = *n;
    }
    c->neighbours.n = kept;
}

kpx_communicators kpx_find_communicators(const kpx_process_log *p)
{
    kpx_communicators c = {0};
    for (uint32_t i = 0; i < p->threads.n; i++)
        for (uint32_t k = 0; k < p->threads.at[i].n; k++) {
            const kpx_event *e = &p->threads.at[i].events[k];
            kpx_store_at(k);
            if (e->kind == KPX_MPI_NEIGHBOUR)
                ARRAY_PUSH(c.neighbours, ((kpx_neighbour){e->value, (uint32_t)e->a}));
            else if (e->kind == KPX_MPI_COMM)
                take(&c, e);
        }
    sort_neighbours(&c);
    return c;
}

const kpx_communicator *kpx_communicator_of(const kpx_communicators *c, uint32_t number)
{
    uint64_t index = map_get(&c->index_of, number);
    return index == MAP_ABSENT ? NULL : &c->list.at[index];
}

void kpx_communicators_free(kpx_communicators *c)
{
    map_free(&c->index_of);
    free(c->list.at);
    free(c->neighbours.at);
}
