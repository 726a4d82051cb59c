// SPDX-License-Identifier: MIT
//
// The critical path while a run goes on.
#include "profiler/sums/critical.h"

#include <string.h>

#include "base/memory.h"

#define PATH_STRETCH   (1u << 31)
#define COMPACT_FIRST  (1u << 13) // nodes: they stay in the cache
#define FIRST_NODES    1024u
#define FIRST_WINDOW   4096u
#define LARGEST_WINDOW (1u << 30)
#define FIRST_PLACES   64u

void trace_path_init(critical *p, bool cycles)
{
    *p = (critical){.compact_at = COMPACT_FIRST, .oldest = UINT32_MAX};
    if (cycles)
        p->cycles = base_allocate(1, sizeof *p->cycles);
    p->window = base_allocate(FIRST_WINDOW, sizeof *p->window);
    p->window_mask = FIRST_WINDOW - 1;
    p->made_from = 1; // the beginning does not count
    trace_path_enlarge(p);
    p->nodes[0] = (path_node){0};
    p->making[0] = (path_making){0};
    p->nnodes = 1;
}

void trace_path_finish(critical *p)
{
    free(p->nodes);
    free(p->making);
    free(p->stretches.at);
    free(p->tallies.at);
    free(p->visits.at);
    free(p->runs.at);
    free(p->module_of.at);
    path_cycles_finish(p->cycles);
    free(p->cycles);
    free(p->window);
    free(p->made.places);
    free(p->made_before.places);
    free(p->counts.at);
    free(p->counted.at);
    *p = (critical){.lost = true};
}

void trace_path_enlarge(critical *p)
{
    p->capacity = p->capacity > 0 ? 2 * p->capacity : FIRST_NODES;
    p->nodes = base_resize(p->nodes, p->capacity, sizeof *p->nodes);
    p->making = base_resize(p->making, p->capacity, sizeof *p->making);
}

// ---------------------------------------------------------------------------------------------
// Bindings of a step beside the window

// Neighbours stand beside each other: mostly they are asked for one after the other.
static size_t place_of(const path_bindings *b, uint32_t cell)
{
    return ((cell / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 24) * 16 + cell % 16) & (b->size - 1);
}

static void put_binding(path_bindings *b, path_made made)
{
    size_t i = place_of(b, made.cell);
    while (b->places[i].maker >= b->first)
        i = (i + 1) & (b->size - 1);
    b->places[i] = made;
    b->n++;
}

static void enlarge(path_bindings *b)
{
    path_made *before = b->places;
    size_t n = b->size;
    b->size = n > 0 ? 2 * n : FIRST_PLACES;
    b->places = base_allocate(b->size, sizeof *b->places);
    b->n = 0;
    for (size_t i = 0; i < n; i++)
        if (before[i].maker >= b->first)
            put_binding(b, before[i]);
    free(before);
}

void trace_path_bind_beside(critical *p, path_made made)
{
    if (2 * (p->made.n + 1) > p->made.size)
        enlarge(&p->made);
    put_binding(&p->made, made);
}

uint32_t trace_path_maker_beside(const path_bindings *b, uint32_t cell)
{
    size_t i = place_of(b, cell);
    while (b->places[i].maker >= b->first && b->places[i].cell != cell)
        i = (i + 1) & (b->size - 1);
    return b->places[i].maker >= b->first ? b->places[i].maker : PATH_NONE;
}

// ---------------------------------------------------------------------------------------------
// Summing what comes from one reduction only

static void count_key(critical *p, uint32_t key, uint64_t n)
{
    while (p->counts.n <= key)
        ARRAY_PUSH(p->counts, 0);
    if (p->counts.at[key] == 0)
        ARRAY_PUSH(p->counted, key);
    p->counts.at[key] += n;
}

// n nodes of the key.
static void count_nodes(critical *p, uint32_t key, uint32_t n)
{
    if (!(key & PATH_STRETCH)) {
        count_key(p, key, n);
        return;
    }
    const path_stretch *s = &p->stretches.at[key & ~PATH_STRETCH];
    for (uint32_t i = s->first; i < s->first + s->n; i++)
        count_key(p, p->tallies.at[i].key, n * p->tallies.at[i].count);
}

static void begin_visits(critical *p, const path_visit *visits, const path_stretch *s)
{
    path_cycles_begin(p->cycles, visits + s->first_visit, s->nvisits);
}

static void forget_counts(critical *p)
{
    for (size_t i = 0; i < p->counted.n; i++)
        p->counts.at[p->counted.at[i]] = 0;
    p->counted.n = 0;
}

// The nodes that the present step comes from, as they are made anew.
typedef struct {
    critical *p;
    uint32_t leaf;     // the first node of the step; those before are summed
    uint8_t *children; // by old node: 0, 1, or 2 for more
    uint32_t *moved;   // by old node that has several: the new one
    path_node *nodes;  // new ones, not more than there were
    uint32_t nnodes;
    ARRAY_OF(path_stretch) stretches;
    ARRAY_OF(path_tally) tallies;
    ARRAY_OF(path_visit) visits;
} compaction;

// From the newest node to the oldest: each that has a child is one itself.
static void mark(compaction *c)
{
    const critical *p = c->p;
    for (uint32_t i = p->nnodes - 1; i > PATH_START; i--)
        if (i >= c->leaf || c->children[i] > 0) {
            uint8_t *children = &c->children[p->nodes[i].before];
            *children += *children < 2;
        }
}

// Counts the nodes of the way back from `end` to the start or, if there are several ways on from it, to an
// older node, which is returned. With cycles: where the path is there goes on to where it is at the end.
static uint32_t count_back(critical *p, const compaction *c, uint32_t end)
{
    uint32_t i = end, known = PATH_NONE; // known: the newest stretch
    p->runs.n = 0;
    do {
        uint32_t key = p->nodes[i].key, n = 0; // mostly several in succession
        do {
            i = p->nodes[i].before;
            n++;
        } while (i != PATH_START && (!c || c->children[i] < 2) && p->nodes[i].key == key);
        count_nodes(p, key, n);
        if (p->cycles && known == PATH_NONE && key & PATH_STRETCH)
            known = key & ~PATH_STRETCH;
        else if (p->cycles && known == PATH_NONE)
            ARRAY_PUSH(p->runs, ((path_run){p->module_of.at[key / TALLIES], n}));
    } while (i != PATH_START && (!c || c->children[i] < 2));
    if (!p->cycles)
        return i;
    if (known != PATH_NONE)
        begin_visits(p, p->visits.at, &p->stretches.at[known]);
    else if (i != PATH_START)
        begin_visits(p, c->visits.at, &c->stretches.at[c->nodes[c->moved[i]].key & ~PATH_STRETCH]);
    else
        path_cycles_begin(p->cycles, NULL, 0);
    while (p->runs.n > 0) {
        path_run run = p->runs.at[--p->runs.n];
        path_cycles_step(p->cycles, run.module, run.n);
    }
    return i;
}

static void count_rounds(critical *p)
{
    path_cycles *cycles = p->cycles;
    for (size_t i = 0; i < cycles->touched.n; i++) {
        path_cycle *cycle = &cycles->list.at[cycles->touched.at[i]];
        uint32_t key = cycles->touched.at[i] * TALLIES;
        count_key(p, key + TALLY_ROUNDS, cycle->rounds);
        if (cycle->steps > 0)
            count_key(p, key + TALLY_STEPS, cycle->steps);
    }
}

// The stretch that ends with the node becomes one node. Returns its number.
static uint32_t sum_stretch(compaction *c, uint32_t end)
{
    critical *p = c->p;
    uint32_t i = count_back(p, c, end);
    path_stretch s = {.first = (uint32_t)c->tallies.n, .first_visit = (uint32_t)c->visits.n};
    if (p->cycles) {
        count_rounds(p);
        s.nvisits = (uint32_t)p->cycles->stack.n;
        for (uint32_t k = 0; k < s.nvisits; k++)
            ARRAY_PUSH(c->visits, p->cycles->stack.at[k]);
    }
    s.n = (uint32_t)p->counted.n;
    for (size_t k = 0; k < p->counted.n; k++)
        ARRAY_PUSH(c->tallies,
                   (path_tally){p->counted.at[k], p->counts.at[p->counted.at[k]]});
    forget_counts(p);
    uint32_t before = i == PATH_START ? PATH_START : c->moved[i];
    c->nodes[c->nnodes] = (path_node){before, PATH_STRETCH | (uint32_t)c->stretches.n};
    ARRAY_PUSH(c->stretches, s);
    return c->nnodes++;
}

// The step's nodes follow the ones that they come from.
static void replace_nodes(critical *p, const compaction *c)
{
    uint32_t nleaves = p->nnodes - c->leaf;
    memcpy(c->nodes + c->nnodes, p->nodes + c->leaf, nleaves * sizeof *p->nodes);
    memmove(p->making + c->nnodes, p->making + c->leaf, nleaves * sizeof *p->making);
    free(p->nodes);
    free(p->stretches.at);
    free(p->tallies.at);
    free(p->visits.at);
    p->nodes = c->nodes;
    p->nnodes = c->nnodes + nleaves;
    p->base = p->first - c->nnodes;
    memcpy(&p->stretches, &c->stretches, sizeof p->stretches);
    memcpy(&p->tallies, &c->tallies, sizeof p->tallies);
    memcpy(&p->visits, &c->visits, sizeof p->visits);
}

// When a step is over: its nodes stay, of the older ones what they come from.
static void compact(critical *p)
{
    compaction c = {.p = p, .leaf = p->first - p->base, .nnodes = 1};
    c.children = base_allocate(c.leaf, 1);
    c.moved = base_resize(NULL, c.leaf, sizeof *c.moved);
    c.nodes = base_resize(NULL, p->capacity, sizeof *c.nodes);
    mark(&c);
    for (uint32_t i = 1; i < c.leaf; i++)
        if (c.children[i] == 2)
            c.moved[i] = sum_stretch(&c, i);
    for (uint32_t leaf = c.leaf; leaf < p->nnodes; leaf++) {
        uint32_t i = p->nodes[leaf].before;
        if (i != PATH_START)
            p->nodes[leaf].before = c.children[i] == 2 ? c.moved[i] : sum_stretch(&c, i);
    }
    replace_nodes(p, &c);
    free(c.children);
    free(c.moved);
    if (p->cycles && p->cycles->too_many) {
        trace_path_finish(p);
        return;
    }
    p->compact_at = 4 * (p->nnodes + p->tallies.n);
    if (p->compact_at < COMPACT_FIRST)
        p->compact_at = COMPACT_FIRST;
}

// ---------------------------------------------------------------------------------------------
// Steps

// Variables that had different places have different ones in the larger window, too.
static void enlarge_window(critical *p)
{
    uint32_t mask = 2 * p->window_mask + 1;
    path_made *window = base_allocate(mask + (size_t)1, sizeof *window);
    for (uint32_t i = 0; i <= p->window_mask; i++)
        if (p->window[i].maker >= p->made_from)
            window[p->window[i].cell & mask] = p->window[i];
    free(p->window);
    p->window = window;
    p->window_mask = mask;
}

void trace_path_begin_step(critical *p, uint32_t first, bool adjoins)
{
    if (p->lost)
        return;
    if (p->nnodes > p->compact_at)
        compact(p);
    if (p->lost)
        return;
    if (p->made.n > p->window_mask / 8 && p->window_mask < LARGEST_WINDOW - 1)
        enlarge_window(p);
    path_bindings made = p->made_before;
    p->made_before = p->made;
    p->made = made;
    p->made.n = 0;
    p->made.first = first;
    if (!adjoins)
        p->made_before.n = 0;
    p->made_from = !adjoins ? first : p->first > 0 ? p->first : 1;
    p->first_before = adjoins ? p->first : first;
    p->first = first;
    p->oldest = UINT32_MAX;
}

bool trace_path_sum(critical *p, uint64_t *ret_creation)
{
    if (p->lost)
        return false;
    *ret_creation = p->making[p->oldest_at].creation;
    if (p->oldest_at != PATH_START)
        count_back(p, NULL, p->oldest_at);
    if (p->cycles)
        count_rounds(p);
    return !p->cycles || !p->cycles->too_many;
}
