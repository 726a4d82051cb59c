// SPDX-License-Identifier: MIT
//
// The critical path while a run goes on.
#include "profiler/write/critical.h"

#include "base/memory.h"

#define PATH_STRETCH (1u << 31)
#define COMPACT_FIRST (1u << 18)
#define FIRST_PLACES 64u

void trace_path_finish(critical *p)
{
    free(p->nodes.at);
    free(p->stretches.at);
    free(p->tallies.at);
    free(p->making.at);
    free(p->making_before.at);
    free(p->made.places);
    free(p->made_before.places);
    free(p->counts.at);
    free(p->counted.at);
    *p = (critical){.lost = p->lost};
}

static void lose(critical *p)
{
    p->lost = true;
    trace_path_finish(p);
}

// ---------------------------------------------------------------------------------------------
// Bindings of a step

// Neighbours stand beside each other: mostly they are asked for one after the other.
static size_t place_of(const path_bindings *b, uint32_t cell)
{
    return ((cell / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 24) * 16 + cell % 16) & (b->size - 1);
}

static void put_binding(path_bindings *b, path_made made)
{
    size_t i = place_of(b, made.cell);
    while (b->places[i].step == b->step)
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
        if (before[i].step == b->step)
            put_binding(b, before[i]);
    free(before);
}

void trace_path_bind(critical *p, uint32_t cell, uint32_t maker)
{
    path_bindings *b = &p->made;
    if (p->lost)
        return;
    if (2 * (b->n + 1) > b->size)
        enlarge(b);
    put_binding(b, (path_made){cell, maker, b->step});
}

// The place of the oldest maker among what was bound in the step before; UINT32_MAX: none was.
static uint32_t oldest_maker(const critical *p, const path_step *s)
{
    const path_bindings *b = &p->made_before;
    uint32_t best = UINT32_MAX;
    if (b->n == 0)
        return best;
    for (uint32_t k = 0; k < s->nreads; k++) {
        size_t i = place_of(b, s->reads[k]);
        while (b->places[i].step == b->step && b->places[i].cell != s->reads[k])
            i = (i + 1) & (b->size - 1);
        if (b->places[i].step == b->step && b->places[i].maker < best)
            best = b->places[i].maker;
    }
    return best;
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

static void count_node(critical *p, const path_node *node)
{
    if (!(node->key & PATH_STRETCH)) {
        count_key(p, node->key, 1);
        return;
    }
    const path_stretch *s = &p->stretches.at[node->key & ~PATH_STRETCH];
    for (uint32_t i = s->first; i < s->first + s->n; i++)
        count_key(p, p->tallies.at[i].key, p->tallies.at[i].count);
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
    uint8_t *children; // by old node: 0, 1, or 2 for more
    uint32_t *moved;   // by old node that has several: the new one
    ARRAY_OF(path_node) nodes;
    ARRAY_OF(path_stretch) stretches;
    ARRAY_OF(path_tally) tallies;
} compaction;

static void mark(compaction *c)
{
    const critical *p = c->p;
    for (size_t leaf = p->first; leaf < p->nodes.n; leaf++) {
        uint32_t i = p->nodes.at[leaf].before;
        for (bool go_on = true; i != PATH_START && go_on; i = p->nodes.at[i].before) {
            go_on = c->children[i] == 0;
            c->children[i] += c->children[i] < 2;
        }
    }
}

// The stretch that ends with the node becomes one node. Returns its number.
static uint32_t sum_stretch(compaction *c, uint32_t end)
{
    critical *p = c->p;
    uint32_t i = end;
    do {
        count_node(p, &p->nodes.at[i]);
        i = p->nodes.at[i].before;
    } while (i != PATH_START && c->children[i] < 2);
    path_stretch s = {(uint32_t)c->tallies.n, (uint32_t)p->counted.n};
    for (size_t k = 0; k < p->counted.n; k++)
        ARRAY_PUSH(c->tallies,
                   (path_tally){p->counted.at[k], p->counts.at[p->counted.at[k]]});
    forget_counts(p);
    path_node node = {i == PATH_START ? PATH_START : c->moved[i],
                      PATH_STRETCH | (uint32_t)c->stretches.n};
    ARRAY_PUSH(c->stretches, s);
    ARRAY_PUSH(c->nodes, node);
    return (uint32_t)c->nodes.n - 1;
}

static void replace_nodes(critical *p, const compaction *c)
{
    free(p->nodes.at);
    free(p->stretches.at);
    free(p->tallies.at);
    memcpy(&p->nodes, &c->nodes, sizeof p->nodes);
    memcpy(&p->stretches, &c->stretches, sizeof p->stretches);
    memcpy(&p->tallies, &c->tallies, sizeof p->tallies);
}

// When a step is over: its nodes stay, of the older ones what they come from.
static void compact(critical *p)
{
    compaction c = {.p = p};
    c.children = base_allocate(p->first + 1, 1);
    c.moved = base_allocate(p->first + 1, sizeof *c.moved);
    mark(&c);
    for (uint32_t i = 0; i < p->first; i++)
        if (c.children[i] == 2)
            c.moved[i] = sum_stretch(&c, i);
    for (size_t leaf = p->first; leaf < p->nodes.n; leaf++) {
        uint32_t i = p->nodes.at[leaf].before;
        if (i != PATH_START)
            p->nodes.at[leaf].before = c.children[i] == 2 ? c.moved[i] : sum_stretch(&c, i);
    }
    size_t first = c.nodes.n;
    for (size_t leaf = p->first; leaf < p->nodes.n; leaf++)
        ARRAY_PUSH(c.nodes, p->nodes.at[leaf]);
    replace_nodes(p, &c);
    p->first = first;
    free(c.children);
    free(c.moved);
    p->compact_at = 4 * (p->nodes.n + p->tallies.n);
    if (p->compact_at < COMPACT_FIRST)
        p->compact_at = COMPACT_FIRST;
}

// ---------------------------------------------------------------------------------------------
// Steps

static void begin_step(critical *p, int64_t time)
{
    if (p->nodes.n > p->compact_at && p->compact_at > 0)
        compact(p);
    else if (p->compact_at == 0)
        p->compact_at = COMPACT_FIRST;
    path_bindings made = p->made_before;
    p->made_before = p->made;
    made.n = 0;
    made.step = ++p->step;
    p->made = made;
    ARRAY_OF(path_making) making;
    memcpy(&making, &p->making_before, sizeof making);
    memcpy(&p->making_before, &p->making, sizeof making);
    memcpy(&p->making, &making, sizeof making);
    p->making.n = 0;
    p->first_before = p->first;
    p->first = p->nodes.n;
    p->time_before = p->begun ? p->time : 0;
    p->time = time;
    p->begun = true;
}

// Of a step by control from a goal's parent, or by data.
static void add_step(critical *p, const path_step *s, uint32_t before, bool data)
{
    bool first = before == UINT32_MAX;
    path_making m = first ? (path_making){0} : p->making_before.at[before];
    m.chain = data ? 0 : m.chain + 1;
    if (s->starts) {
        m.creation += m.chain;
        m.chain = 0;
    }
    ARRAY_PUSH(p->making, m);
    path_node node = {first ? PATH_START : (uint32_t)p->first_before + before, 2 * s->who + data};
    ARRAY_PUSH(p->nodes, node);
}

uint32_t trace_path_take(critical *p, const path_step *s)
{
    if (p->lost)
        return 0;
    if (!p->begun || s->time != p->time)
        begin_step(p, s->time);
    uint32_t place = (uint32_t)p->making.n;
    uint32_t maker = p->time_before + 1 == s->time ? oldest_maker(p, s) : UINT32_MAX;
    bool data = maker != UINT32_MAX;
    if (!data && s->created + 1 != s->time) {
        lose(p);
        return 0;
    }
    add_step(p, s, data ? maker : s->created > 0 ? s->parent : UINT32_MAX, data);
    if (place == 0 || s->goal < p->oldest) {
        p->oldest = s->goal;
        p->oldest_at = place;
    }
    return place;
}

bool trace_path_sum(critical *p, uint64_t *ret_creation)
{
    if (p->lost)
        return false;
    *ret_creation = 0;
    if (!p->begun)
        return true;
    *ret_creation = p->making.at[p->oldest_at].creation;
    uint32_t i = (uint32_t)p->first + p->oldest_at;
    for (; i != PATH_START; i = p->nodes.at[i].before)
        count_node(p, &p->nodes.at[i]);
    return true;
}
