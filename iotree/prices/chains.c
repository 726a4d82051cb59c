// SPDX-License-Identifier: MIT
//
// Chains of goals that follow each other, by creation or by one read.
#include "iotree/prices/chains.h"

#define MANY IOT_NONE // of a link: more than one

static void link_by_creation(const wait_graph *g, goal_chains *c, const uint8_t *predicates)
{
    uint32_t *child = base_allocate(g->n, sizeof *child); // 0: none, or MANY
    for (uint32_t r = 1; r < g->n; r++)
        if (is_of(g, r, predicates))
            child[g->parents[r]] = child[g->parents[r]] ? MANY : r;
    for (uint32_t r = 1; r < g->n; r++)
        if (is_of(g, r, predicates) && is_of(g, g->parents[r], predicates) &&
            child[g->parents[r]] == r)
            c->before[r] = g->parents[r];
    free(child);
}

// The one maker among the predicates that a reduction awaits, if it does so in one read only; else
// 0.
static uint32_t only_maker(const wait_graph *g, uint32_t r, const uint8_t *predicates,
                           uint64_t *ret_read)
{
    uint32_t maker = 0;
    for (uint64_t i = g->first[r], end = g->first[r + 1], next; i < end; i = next) {
        next = end_of_read(g, i, end);
        for (uint64_t w = i; w < next; w++) {
            if (!is_of(g, g->makers[w], predicates))
                continue;
            if (maker && (maker != g->makers[w] || *ret_read != i))
                return 0;
            maker = g->makers[w];
            *ret_read = i;
        }
    }
    return maker;
}

static void link_by_reads(const wait_graph *g, goal_chains *c, const uint8_t *predicates)
{
    uint8_t *made = bits_allocate(g->n); // is in a chain of creation
    uint32_t *readers = base_allocate(g->n, sizeof *readers);
    uint64_t read = NO_READ;
    for (uint32_t r = 1; r < g->n; r++) {
        if (c->before[r]) {
            bit_set(made, r);
            bit_set(made, c->before[r]);
        }
    }
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t maker = is_of(g, r, predicates) ? only_maker(g, r, predicates, &read) : 0;
        if (maker)
            readers[maker] = readers[maker] ? MANY : r;
    }
    for (uint32_t m = 1; m < g->n; m++) {
        uint32_t r = readers[m];
        if (!r || r == MANY || bit_get(made, r) || bit_get(made, m))
            continue;
        c->before[r] = only_maker(g, r, predicates, &c->read[r]);
    }
    free(readers);
    free(made);
}

// Length and oldest goal of each chain: first of the part up to here, then of the whole.
static void measure(const wait_graph *g, const trace *t, goal_chains *c, const uint8_t *predicates)
{
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t before = c->before[r];
        c->oldest[r] = r;
        c->length[r] = is_of(g, r, predicates);
        if (!before)
            continue;
        c->length[r] += c->length[before];
        if (trace_reduction_goal(t, c->oldest[before]) < trace_reduction_goal(t, r))
            c->oldest[r] = c->oldest[before];
    }
    for (uint32_t r = g->n - 1; r > 0; r--) {
        uint32_t before = c->before[r];
        if (before) {
            c->length[before] = c->length[r];
            c->oldest[before] = c->oldest[r];
        }
    }
}

goal_chains iot_find_chains(const wait_graph *g, const trace *t, const uint8_t *predicates)
{
    goal_chains c;
    c.length = base_allocate(g->n, sizeof *c.length);
    c.oldest = base_allocate(g->n, sizeof *c.oldest);
    c.before = base_allocate(g->n, sizeof *c.before);
    c.read = base_allocate(g->n, sizeof *c.read);
    for (uint32_t r = 0; r < g->n; r++)
        c.read[r] = NO_READ;
    link_by_creation(g, &c, predicates);
    link_by_reads(g, &c, predicates);
    measure(g, t, &c, predicates);
    return c;
}

void iot_free_chains(goal_chains *c)
{
    free(c->length);
    free(c->oldest);
    free(c->before);
    free(c->read);
}
