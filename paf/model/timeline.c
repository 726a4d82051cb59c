// SPDX-License-Identifier: MIT
//
// Making a timeline: rows, kinds of intervals, iterations, edges, sums of blocks.
#include "paf/model/timeline.h"
#include "paf/model/calls.h"
#include "paf/model/messages.h"
#include "base/search.h"

#include "profiler/regions.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Kinds of intervals

static trace_kind kind_of_clause(const trace *t, uint32_t clause)
{
    return trace_get_predicate(t, trace_get_clause(t, clause)->predicate)->kind;
}

// How an activity in a construct of the kind is drawn; waits: as its clause has it.
static paf_interval_kind interval_of_kind(trace_kind kind, bool waits)
{
    switch (trace_kind_role(kind, waits)) {
    case TRACE_ROLE_BASE:
        return PAF_INTERVAL_BASE;
    case TRACE_ROLE_ALONE:
        return PAF_INTERVAL_INNER;
    case TRACE_ROLE_BARRIER:
        return PAF_INTERVAL_USER;
    case TRACE_ROLE_IMPLIED:
        return PAF_INTERVAL_IMPLIED;
    case TRACE_ROLE_TURN:
        return PAF_INTERVAL_MUTEX;
    case TRACE_ROLE_OTHERS:
        return PAF_INTERVAL_OTHER;
    case TRACE_ROLE_WORK:
    case TRACE_ROLE_CALL:
        break;
    }
    return PAF_INTERVAL_WORK;
}

static paf_interval_kind interval_of(const trace *t, uint32_t clause)
{
    if (!trace_is_measured(t))
        return PAF_INTERVAL_WORK;
    return interval_of_kind(kind_of_clause(t, clause), trace_get_clause(t, clause)->waits);
}

// ---------------------------------------------------------------------------------------------
// Order at each place

static int by_start(gconstpointer x, gconstpointer y, gpointer data)
{
    const paf_timeline *l = data;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    int64_t s = paf_timeline_start(l, a), u = paf_timeline_start(l, b);
    if (s != u)
        return s < u ? -1 : 1;
    s = paf_timeline_end(l, a), u = paf_timeline_end(l, b);
    if (s != u)
        return s < u ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void sort_each(paf_timeline *l)
{
    for (uint32_t p = 0; p < l->nplaces; p++)
        g_qsort_with_data(l->by_place + l->first_of[p], (gint)(l->first_of[p + 1] - l->first_of[p]),
                          sizeof *l->by_place, by_start, l);
}

// Reductions of Fleng are many, and the analysis has their order.
static void sort_places(paf_timeline *l, const iot *a)
{
    uint32_t n = trace_nreductions(l->t);
    const uint32_t *order = NULL;
    if (!trace_is_measured(l->t))
        iot_in_order_of_start(a, &order);
    l->first_of = g_new0(uint32_t, l->nplaces + 1);
    l->by_place = g_new(uint32_t, n);
    for (uint32_t r = 1; r < n; r++)
        l->first_of[trace_place(l->t, r) + 1]++;
    for (uint32_t p = 0; p < l->nplaces; p++)
        l->first_of[p + 1] += l->first_of[p];
    uint32_t *next = g_memdup2(l->first_of, (l->nplaces + 1) * sizeof *next);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t r = order ? order[i - 1] : i;
        l->by_place[next[trace_place(l->t, r)]++] = r;
    }
    g_free(next);
    if (!order)
        sort_each(l);
}

// Whether a place does two things at a time.
static bool overlaps(const paf_timeline *l)
{
    for (uint32_t p = 0; p < l->nplaces; p++)
        for (uint32_t i = l->first_of[p] + 1; i < l->first_of[p + 1]; i++)
            if (paf_timeline_start(l, l->by_place[i]) < paf_timeline_end(l, l->by_place[i - 1]))
                return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// Loops

// An activity that carries out iterations has arguments key(value) that say which.
enum { LOOP, SCHEDULE, FIRST, ITERATIONS, EVERY, OF, CHUNK_KEYS };

static int chunk_key(trace_key key)
{
    switch (key) {
    case TRACE_KEY_LOOP:
        return LOOP;
    case TRACE_KEY_SCHEDULE:
        return SCHEDULE;
    case TRACE_KEY_FIRST:
        return FIRST;
    case TRACE_KEY_ITERATIONS:
        return ITERATIONS;
    case TRACE_KEY_EVERY:
        return EVERY;
    case TRACE_KEY_OF:
        return OF;
    default:
        return CHUNK_KEYS;
    }
}

// All of them in one pass over the goal's arguments, since there are as many goals as activities.
// The first of a key counts; TV_NODE: there is none.
static void read_arguments(const trace *t, uint32_t goal, uint32_t arity,
                           trace_value ret[CHUNK_KEYS])
{
    trace_value all[8];
    for (int i = 0; i < CHUNK_KEYS; i++)
        ret[i] = (trace_value){.kind = TV_NODE};
    trace_value *args = all;
    if (arity > G_N_ELEMENTS(all))
        args = g_new(trace_value, arity);
    trace_goal_args(t, goal, args);
    for (uint32_t i = 0; i < arity; i++) {
        uint32_t string;
        trace_value arg;
        if (args[i].kind != TV_CELL || !trace_cell_pair(t, args[i].id, &string, &arg))
            continue;
        int key = chunk_key(trace_string_key(t, string));
        if (key < CHUNK_KEYS && ret[key].kind == TV_NODE)
            ret[key] = arg;
    }
    if (args != all)
        g_free(args);
}

static int64_t number_or_none(trace_value v)
{
    return v.kind == TV_INT ? v.i : 0;
}

static bool read_chunk(const trace *t, uint32_t goal, uint32_t arity, paf_chunk *ret)
{
    trace_value v[CHUNK_KEYS];
    read_arguments(t, goal, arity, v);
    if (v[LOOP].kind != TV_INT || v[LOOP].i < 0 || v[LOOP].i >= IOT_NONE ||
        v[SCHEDULE].kind != TV_ATOM || v[FIRST].kind != TV_INT || v[ITERATIONS].kind != TV_INT)
        return false;
    *ret = (paf_chunk){.loop = (uint32_t)v[LOOP].i,
                       .schedule = v[SCHEDULE].id,
                       .first = v[FIRST].i,
                       .n = v[ITERATIONS].i,
                       .every = number_or_none(v[EVERY]),
                       .total = number_or_none(v[OF])};
    return ret->n > 0 && ret->every >= 0;
}

static bool same_chunk(const paf_chunk *a, const paf_chunk *b)
{
    return a->loop == b->loop && a->schedule == b->schedule && a->first == b->first &&
           a->n == b->n && a->every == b->every && a->total == b->total;
}

// A chunk that other constructs interrupt is several activities of its place.
static void read_chunks(paf_timeline *l)
{
    uint32_t *latest = g_new(uint32_t, l->nplaces); // by place
    memset(latest, 0xff, l->nplaces * sizeof *latest);
    uint32_t n = trace_nreductions(l->t);
    GArray *chunks = g_array_new(FALSE, FALSE, sizeof(paf_chunk));
    l->chunk_of = g_new(uint32_t, n);
    memset(l->chunk_of, 0xff, n * sizeof *l->chunk_of);
    for (uint32_t r = 1; r < n; r++) {
        uint32_t goal = trace_reduction_goal(l->t, r);
        uint32_t arity = trace_get_predicate(l->t, trace_goal_predicate(l->t, goal))->arity;
        paf_chunk c;
        if (arity < 4 || !read_chunk(l->t, goal, arity, &c))
            continue;
        uint32_t *last = &latest[trace_place(l->t, r)];
        if (*last == IOT_NONE || !same_chunk(&c, &g_array_index(chunks, paf_chunk, *last))) {
            *last = chunks->len;
            g_array_append_val(chunks, c);
        }
        l->chunk_of[r] = *last;
    }
    g_free(latest);
    l->nchunks = chunks->len;
    l->chunks = (paf_chunk *)(void *)g_array_free(chunks, FALSE);
}

static int by_loop(const void *x, const void *y)
{
    const paf_loop_part *a = x, *b = y;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void find_parts(paf_timeline *l, const iot *a)
{
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(paf_loop_part));
    for (uint32_t p = 0; p < l->nplaces; p++) {
        paf_loop_part *open = NULL;
        for (uint32_t i = l->first_of[p]; i < l->first_of[p + 1]; i++) {
            uint32_t r = l->by_place[i], chunk = l->chunk_of[r];
            if (chunk == IOT_NONE)
                continue;
            if (!open || open->loop != l->chunks[chunk].loop) {
                uint32_t module = iot_module_of_goal(a, trace_reduction_goal(l->t, r));
                paf_loop_part part = {
                    l->chunks[chunk].loop, p, module, i, i, paf_timeline_start(l, r),
                    paf_timeline_end(l, r)};
                g_array_append_val(parts, part);
                open = &g_array_index(parts, paf_loop_part, parts->len - 1);
            }
            open->last = i;
            open->end = MAX(open->end, paf_timeline_end(l, r));
        }
    }
    l->nparts = parts->len;
    l->parts = (paf_loop_part *)(void *)g_array_free(parts, FALSE);
    if (l->nparts > 0)
        qsort(l->parts, l->nparts, sizeof *l->parts, by_loop);
}

// ---------------------------------------------------------------------------------------------
// Who handed over to whom

// How the timeline draws an edge between two locations. False: not at all.
static bool hand_of_edge(trace_edge edge, paf_hand_kind *ret)
{
    switch (trace_edge_hand(edge)) {
    case TRACE_MUTEX_HAND:
        *ret = PAF_HAND_MUTEX;
        return true;
    case TRACE_TASK_HAND:
        *ret = PAF_HAND_TASK;
        return true;
    case TRACE_MESSAGE_HAND:
        *ret = PAF_HAND_MESSAGE;
        return true;
    case TRACE_COLLECTIVE_HAND:
        *ret = PAF_HAND_COLLECTIVE;
        return true;
    case TRACE_NO_HAND:
        break;
    }
    return false;
}

static int by_number(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

// When regions begin, ascending.
static GArray *forks_of(const trace *t)
{
    const trace_regions *all = trace_get_regions(t);
    GArray *forks = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (uint32_t i = 0; all && i < all->nregions; i++)
        for (uint32_t k = 0; k < all->regions[i].nteams; k++)
            g_array_append_val(forks, all->regions[i].teams[k].start);
    g_array_sort(forks, by_number);
    return forks;
}

// Whether a region begins between the two times.
static bool forks_between(const GArray *forks, int64_t from, int64_t to)
{
    size_t first;
    FIRST_NOT(first, forks->len, i, g_array_index(forks, int64_t, i) < from);
    return first < forks->len && g_array_index(forks, int64_t, first) < to;
}

static void add_hand(const paf_timeline *l, GArray *hands, uint32_t from, uint32_t to,
                     paf_hand_kind kind)
{
    paf_hand hand = {from, to, kind};
    if (from > 0 && trace_place(l->t, from) != trace_place(l->t, to))
        g_array_append_val(hands, hand);
}

static void add_hands_of(const paf_timeline *l, GArray *hands, uint32_t r)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(l->t, r, &reads);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(l->t, reads[i]);
        trace_edge edge = trace_string_edge(l->t, trace_cell_name(l->t, reads[i]));
        paf_hand_kind kind;
        if (binding != TRACE_NONE && hand_of_edge(edge, &kind))
            add_hand(l, hands, trace_binding_maker(l->t, binding), r, kind);
    }
    if (kind_of_clause(l->t, trace_reduction_clause(l->t, r)) == TRACE_KIND_TASK)
        add_hand(l, hands, trace_goal_parent(l->t, trace_reduction_goal(l->t, r)), r,
                 PAF_HAND_TASK);
}

static int by_end(gconstpointer x, gconstpointer y, gpointer data)
{
    const paf_timeline *l = data;
    const paf_hand *a = x, *b = y;
    int64_t e = paf_timeline_end(l, a->to), f = paf_timeline_end(l, b->to);
    if (e != f)
        return e < f ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

// A lock's way from one region to the next is no order of these sections.
static void drop_old_hands(const paf_timeline *l, GArray *hands)
{
    GArray *forks = forks_of(l->t);
    guint kept = 0;
    for (guint i = 0; i < hands->len; i++) {
        paf_hand hand = g_array_index(hands, paf_hand, i);
        if (hand.kind == PAF_HAND_MUTEX &&
            forks_between(forks, trace_end(l->t, hand.from), trace_start(l->t, hand.to)))
            continue;
        g_array_index(hands, paf_hand, kept++) = hand;
    }
    g_array_set_size(hands, kept);
    g_array_unref(forks);
}

// A goal that waited is reduced where it is woken. If what it waited for came from that worker it was not
// taken.
static bool was_woken_there(const trace *t, uint32_t r, int64_t created)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(t, r, &reads), last = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(t, reads[i]);
        uint32_t maker = binding == TRACE_NONE ? 0 : trace_binding_maker(t, binding);
        if (maker > 0 && trace_end(t, maker) > created &&
            (last == 0 || trace_end(t, maker) > trace_end(t, last)))
            last = maker;
    }
    return last > 0 && trace_place(t, last) == trace_place(t, r);
}

// Goals of Fleng that one worker took from another one.
static void add_taken(const paf_timeline *l, GArray *hands, uint32_t r)
{
    uint32_t parent = trace_goal_parent(l->t, trace_reduction_goal(l->t, r));
    if (parent > 0 && trace_place(l->t, parent) != trace_place(l->t, r) &&
        !was_woken_there(l->t, r, trace_end(l->t, parent)))
        add_hand(l, hands, parent, r, PAF_HAND_TASK);
}

static void find_hands(paf_timeline *l)
{
    GArray *hands = g_array_new(FALSE, FALSE, sizeof(paf_hand));
    bool measured = trace_is_measured(l->t);
    for (uint32_t r = 1; r < trace_nreductions(l->t); r++)
        if (measured)
            add_hands_of(l, hands, r);
        else
            add_taken(l, hands, r);
    drop_old_hands(l, hands);
    g_array_sort_with_data(hands, by_end, l);
    l->nhands = hands->len;
    l->hands = (paf_hand *)(void *)g_array_free(hands, FALSE);
}

// ---------------------------------------------------------------------------------------------

// By place. Workers of Fleng have no waits of their own.
static int64_t *sum_waits(const paf_timeline *l)
{
    int64_t *waited = g_new0(int64_t, l->nplaces + 1);
    for (uint32_t p = 0; p < l->nplaces && trace_is_measured(l->t); p++)
        for (uint32_t i = l->first_of[p]; i < l->first_of[p + 1]; i++)
            if (paf_interval_waits(paf_interval_of(l, l->by_place[i])))
                waited[p] += paf_timeline_end(l, l->by_place[i]) - paf_timeline_start(l, l->by_place[i]);
    return waited;
}

paf_timeline *paf_timeline_create(const iot *a, iot_clock clock)
{
    paf_timeline *l = g_new0(paf_timeline, 1);
    l->t = iot_trace(a);
    l->clock = clock;
    l->nplaces = trace_nplaces(l->t);
    l->interval_of = g_new0(uint8_t, trace_nclauses(l->t) + 1);
    for (uint32_t c = 0; c < trace_nclauses(l->t); c++)
        l->interval_of[c] = (uint8_t)interval_of(l->t, c);
    sort_places(l, a);
    if (clock != IOT_REAL_TIME && overlaps(l)) {
        paf_timeline_destroy(l);
        return NULL;
    }
    bool measured = trace_is_measured(l->t);
    if (measured) {
        read_chunks(l);
        find_parts(l, a);
    }
    find_hands(l);
    l->groups = paf_place_groups_create(l->t, sum_waits(l));
    if (clock == IOT_REAL_TIME && measured)
        paf_find_executions(l, a);
    return l;
}

uint32_t paf_timeline_layer(const paf_timeline *l, const iot *a, const uint32_t *ranks,
                            uint32_t nmodules, uint32_t reduction)
{
    uint32_t layers = MIN(nmodules + 2, PAF_LAYERS);
    if (paf_interval_waits(paf_interval_of(l, reduction)))
        return layers - 1;
    uint32_t module = iot_module_of_goal(a, trace_reduction_goal(l->t, reduction));
    return MIN(ranks[module], layers - 2);
}

void paf_timeline_make_blocks(paf_timeline *l, const iot *a, const uint32_t *ranks,
                              uint32_t nmodules)
{
    uint32_t n = 0;
    l->layers = MIN(nmodules + 2, PAF_LAYERS);
    l->first_block = g_new(uint32_t, l->nplaces + 1);
    for (uint32_t p = 0; p < l->nplaces; p++) {
        l->first_block[p] = n;
        n += (l->first_of[p + 1] - l->first_of[p]) / PAF_BLOCK;
    }
    l->first_block[l->nplaces] = n;
    l->blocks = g_new0(float, (size_t)n * l->layers + 1);
    for (uint32_t p = 0; p < l->nplaces; p++)
        for (uint32_t k = 0; k < (l->first_block[p + 1] - l->first_block[p]) * PAF_BLOCK; k++) {
            uint32_t r = l->by_place[l->first_of[p] + k];
            float *sums = l->blocks + (size_t)(l->first_block[p] + k / PAF_BLOCK) * l->layers;
            sums[paf_timeline_layer(l, a, ranks, nmodules, r)] +=
                (float)(paf_timeline_end(l, r) - paf_timeline_start(l, r));
        }
}

void paf_timeline_destroy(paf_timeline *l)
{
    if (!l)
        return;
    g_free(l->first_of);
    g_free(l->by_place);
    g_free(l->interval_of);
    g_free(l->chunks);
    g_free(l->chunk_of);
    g_free(l->parts);
    g_free(l->hands);
    g_free(l->executions);
    g_free(l->first_execution);
    g_free(l->blocks);
    g_free(l->first_block);
    paf_place_groups_destroy(l->groups);
    paf_calls_free(l->calls);
    paf_messages_free(l->messages);
    paf_message_log_free(l->message_log);
    g_free(l);
}

uint32_t paf_timeline_at(const paf_timeline *l, uint32_t place, double time)
{
    uint32_t base = l->first_of[place], n = l->first_of[place + 1] - base;
    size_t first;
    FIRST_NOT(first, n, i, (double)paf_timeline_end(l, l->by_place[base + i]) <= time);
    return base + (uint32_t)first;
}

uint32_t paf_timeline_activity(const paf_timeline *l, uint32_t place, double time)
{
    uint32_t i = paf_timeline_at(l, place, time);
    if (i >= l->first_of[place + 1] || (double)paf_timeline_start(l, l->by_place[i]) > time)
        return IOT_NONE;
    return l->by_place[i];
}

uint32_t paf_timeline_loop(const paf_timeline *l, uint32_t loop, uint32_t *ret_first)
{
    size_t first;
    FIRST_NOT(first, l->nparts, i, l->parts[i].loop < loop);
    size_t end = first;
    while (end < l->nparts && l->parts[end].loop == loop)
        end++;
    *ret_first = (uint32_t)first;
    return (uint32_t)(end - first);
}
