// SPDX-License-Identifier: MIT
//
// The graph of waits, made in one pass over the trace.
#include "iotree/prices/waits.h"

#include "iotree/graph/stage.h"
#include "iotree/prices/classes.h"
#include "iotree/prices/places.h"
#include "iotree/prices/relays.h"
#include "iotree/prices/sites.h"
#include "iotree/terms/values.h"

#define CACHED_KINDS    4096u // a power of two
#define PROGRESS_PERIOD (1u << 17)

// What makes a wait of a kind.
typedef struct {
    uint32_t reader, maker;
    uint32_t place; // the wait_place_kind, the number and whether it was passed, as one number
} kind_key;

typedef struct {
    const trace *t;
    wait_graph *g;
    site_table sites;
    ARRAY_OF(uint32_t) makers;
    ARRAY_OF(uint32_t) kinds;
    ARRAY_OF(uint8_t) begins; // bits by wait
    ARRAY_OF(wait_kind) list;
    base_index index; // of the list
    uint32_t cache[CACHED_KINDS]; // kinds by hash
    // Bindings that the read in hand passed on: those to look at, and by binding the last read that
    // came by (NULL until a binding passed something on).
    ARRAY_OF(uint32_t) stack;
    uint64_t *seen;
    ARRAY_OF(uint32_t) passed; // their makers, at most MOST_PASSED
    relay_table relays;
    ARRAY_OF(far_wait) far_waits;
    uint64_t nreads;
    read_places places;
    size_t more; // of `places.more`, those of the read in hand
} builder;

// ---------------------------------------------------------------------------------------------
// Kinds

static uint32_t pack_place(wait_place_kind kind, uint32_t place, bool passed)
{
    return (uint32_t)kind | (uint32_t)passed << 2 | place << 3;
}

static bool is_kind(const wait_kind *k, kind_key key)
{
    return k->reader == key.reader && k->maker == key.maker &&
           pack_place(k->place_kind, k->place, k->passed) == key.place;
}

static uint32_t find_kind(builder *b, kind_key key)
{
    uint64_t hash = hash_word(hash_word(key.reader, key.maker), key.place);
    uint32_t *cached = &b->cache[hash % CACHED_KINDS], found;
    if (*cached < b->list.n && is_kind(&b->list.at[*cached], key))
        return *cached;
    INDEX_FIND(found, &b->index, hash, i, is_kind(&b->list.at[i], key));
    if (found == INDEX_NONE) {
        wait_kind kind = {.reader = key.reader,
                          .maker = key.maker,
                          .place_kind = (wait_place_kind)(key.place & 3),
                          .place = key.place >> 3,
                          .passed = key.place >> 2 & 1};
        found = (uint32_t)b->list.n;
        index_add(&b->index, hash, found);
        ARRAY_PUSH(b->list, kind);
    }
    return *cached = found;
}

// ---------------------------------------------------------------------------------------------
// Waits

static void add_wait(builder *b, uint32_t reader, uint32_t maker, uint32_t place)
{
    if (maker == 0)
        return;
    kind_key key = {b->g->sites[reader], b->g->sites[maker], place};
    uint32_t kind = find_kind(b, key);
    b->list.at[kind].waits++;
    ARRAY_PUSH(b->makers, maker);
    ARRAY_PUSH(b->kinds, kind);
}

static void push_passed(builder *b, uint32_t binding)
{
    const uint32_t *passed;
    uint32_t n = trace_passed(b->t, binding, &passed);
    if (n && !b->seen)
        b->seen = base_allocate(trace_nbindings(b->t), sizeof *b->seen);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = trace_cell_binding(b->t, passed[i]);
        if (next == TRACE_NONE || b->seen[next] == b->nreads)
            continue;
        b->seen[next] = b->nreads;
        ARRAY_PUSH(b->stack, next);
    }
}

// The makers of what the binding passed on, and that passed on, and so on down. False if they are
// too many.
static bool find_passed(builder *b, uint32_t reader, uint32_t binding)
{
    b->passed.n = b->stack.n = 0;
    push_passed(b, binding);
    while (b->stack.n) {
        uint32_t next = b->stack.at[--b->stack.n];
        uint32_t maker = trace_binding_maker(b->t, next);
        if (b->passed.n == MOST_PASSED)
            return false;
        if (maker < reader)
            ARRAY_PUSH(b->passed, maker);
        push_passed(b, next);
    }
    return true;
}

static void add_far_waits(builder *b, uint32_t reader, relay_group g, uint32_t place)
{
    for (uint32_t i = g.first; i < g.first + g.n; i++) {
        kind_key key = {b->g->sites[reader], b->relays.list.at[i].site, place};
        uint32_t kind = find_kind(b, key);
        b->list.at[kind].waits++;
        ARRAY_PUSH(b->far_waits, (far_wait){reader, i, kind});
    }
}

static void add_at(builder *b, uint32_t reader, uint32_t binding, place_code code,
                   relay_group relays)
{
    wait_place_kind kind = (wait_place_kind)(code >> 14);
    uint32_t place = code & MOST_PLACE;
    add_wait(b, reader, trace_binding_maker(b->t, binding), pack_place(kind, place, false));
    for (size_t i = 0; i < b->passed.n; i++)
        add_wait(b, reader, b->passed.at[i], pack_place(kind, place, true));
    add_far_waits(b, reader, relays, pack_place(kind, place, true));
}

// The maker of the binding, and of all that it passed on, at each place where it was read.
static void add_read(builder *b, uint32_t reader, uint32_t binding, uint64_t read)
{
    size_t begin = b->makers.n;
    relay_group relays = {0};
    b->nreads++;
    if (!find_passed(b, reader, binding))
        relays = iot_relays_of(&b->relays, binding);
    add_at(b, reader, binding, b->places.codes[read], relays);
    for (; b->more < b->places.more.n && b->places.more.at[b->more].read <= read; b->more++)
        if (b->places.more.at[b->more].read == read)
            add_at(b, reader, binding, b->places.more.at[b->more].code, relays);
    for (size_t i = begin; i < b->makers.n; i++) {
        if (i % 8 == 0)
            ARRAY_PUSH(b->begins, 0);
        if (i == begin)
            b->begins.at[i / 8] |= (uint8_t)(1u << i % 8);
    }
}

static void add_reads(builder *b, uint32_t r)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(b->t, r, &reads);
    b->g->first[r] = b->makers.n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(b->t, reads[i]);
        if (binding != TRACE_NONE && trace_bound_before(b->t, binding, r))
            add_read(b, r, binding, b->places.first[r] + i);
    }
}

static void add_children(builder *b, uint32_t r)
{
    uint32_t end = trace_first_goal(b->t, r + 1);
    for (uint32_t goal = trace_first_goal(b->t, r); goal < end; goal++) {
        uint32_t child = trace_goal_reduction(b->t, goal);
        if (child != TRACE_NONE)
            b->g->parents[child] = r;
    }
}

// ---------------------------------------------------------------------------------------------
// Costs

// What a reduction took beyond the later of its creation and its reads.
static int64_t cost_of(const builder *b, uint32_t r)
{
    const wait_graph *g = b->g;
    int64_t latest = trace_time(b->t, g->parents[r]);
    for (size_t i = g->first[r]; i < b->makers.n; i++) {
        int64_t time = trace_time(b->t, b->makers.at[i]);
        latest = time > latest ? time : latest;
    }
    return trace_time(b->t, r) - latest;
}

static void add_cost(builder *b, uint32_t r)
{
    wait_graph *g = b->g;
    int64_t cost = cost_of(b, r);
    if (cost != 1 && !g->costs) {
        g->costs = base_allocate(g->n, sizeof *g->costs);
        for (uint32_t i = 1; i < r; i++)
            g->costs[i] = 1;
    }
    if (g->costs)
        g->costs[r] = cost;
}

// ---------------------------------------------------------------------------------------------
// The graph

// Half of the work is finding the places of reads.
static bool build(builder *b, iot_progress progress, void *data)
{
    wait_graph *g = b->g;
    uint32_t n = g->n;
    stage finding = {progress, data, 0, 0.5}, building = {progress, data, 0.5, 1};
    if (!iot_find_places(b->t, &b->places, tell_stage, &finding))
        return false;
    g->parents = base_allocate(n, sizeof *g->parents);
    g->sites = base_allocate(n, sizeof *g->sites);
    g->first = base_allocate((size_t)n + 1, sizeof *g->first);
    b->relays.sites = g->sites;
    for (uint32_t r = 0; r < n; r++) {
        add_children(b, r);
        g->sites[r] = iot_site_of(&b->sites, r, g->sites[g->parents[r]]);
        if (r) {
            add_reads(b, r);
            add_cost(b, r);
        }
        if (r % PROGRESS_PERIOD == 0 && !tell_stage(&building, (double)r / n))
            return false;
    }
    g->first[n] = b->makers.n;
    return tell_stage(&building, 1);
}

static void free_graph(wait_graph *g)
{
    if (!g)
        return;
    free(g->parents);
    free(g->first);
    free(g->makers);
    free(g->kinds);
    free(g->begins);
    free(g->sites);
    free(g->costs);
    free(g->all_sites);
    free(g->kinds_of);
    free(g->relays);
    free(g->inputs);
    free(g->far_waits);
    free(g);
}

static wait_graph *make_graph(const iot *a, iot_progress progress, void *data)
{
    builder *b = base_allocate(1, sizeof *b);
    wait_graph *g = base_allocate(1, sizeof *g);
    *g = (wait_graph){.n = a->n, .span = a->span};
    b->t = a->t;
    b->g = g;
    iot_begin_sites(&b->sites, a->t);
    b->relays.t = a->t;
    bool done = build(b, progress, data);
    iot_end_sites(&b->sites);
    g->makers = b->makers.at;
    g->kinds = b->kinds.at;
    g->begins = b->begins.at;
    g->far_waits = b->far_waits.at;
    g->nfar_waits = (uint32_t)b->far_waits.n;
    iot_end_relays(&b->relays, g);
    g->kinds_of = b->list.at;
    g->nkinds = (uint32_t)b->list.n;
    g->all_sites = b->sites.list.at;
    g->nsites = (uint32_t)b->sites.list.n;
    index_free(&b->index);
    free(b->stack.at);
    free(b->seen);
    free(b->passed.at);
    iot_free_places(&b->places);
    free(b);
    if (!done) {
        free_graph(g);
        return NULL;
    }
    return g;
}

const wait_graph *iot_waits(const iot *analysis, iot_progress progress, void *data)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->locks.graph);
    if (!a->graph)
        a->graph = make_graph(a, progress, data);
    pthread_mutex_unlock(&a->locks.graph);
    return a->graph;
}

void iot_destroy_waits(iot *a)
{
    iot_free_classes(a->classes);
    free_graph(a->graph);
    a->classes = NULL;
    a->graph = NULL;
}
