// SPDX-License-Identifier: MIT
//
// Many changes of one run, several in one pass. Changes that only leave kinds of waits out cannot
// make a time later, so 32 bits are enough for most runs: sixteen of them go side by side. Others
// take eight lanes of doubles, which are exact for whole numbers of that size.
//
// A time is kept as long as somebody may still ask for it. So the times of all lanes take little
// memory, and mostly stay in the cache.
#include "iotree/prices/waits.h"

#include "base/search.h"
#include "iotree/graph/jobs.h"

#define MOST_LANES    16u
#define VECTOR_BYTES  64u
#define FETCHED_AHEAD 16u // times asked for so many reductions or waits before they are used
#define PERIOD        (1u << 18) // reductions between two looks at progress

// Places of times. `parents` and `makers` say again where the times of those are, in the order in
// which a pass asks for them.
struct time_slots {
    uint32_t *of; // by reduction, then by relay
    uint32_t *parents; // by reduction
    uint32_t *makers;  // by wait
    uint32_t n;
};

// One change, and where the pass is in its edits.
typedef struct {
    const wait_change *change;
    size_t wait, added, reduction; // the next of each
} lane;

typedef struct {
    uint32_t parent;
    double cost; // below 0: as it is
} lane_edit;

typedef struct {
    const wait_graph *g;
    const time_slots *slots;
    uint32_t far, relay;   // the next far wait, the next relay
    uint16_t *out;         // by kind: the lanes that leave it out
    lane lanes[MOST_LANES];
    uint32_t n;
    void *times, *spans; // vectors of 64 bytes
    ARRAY_OF(uint32_t) makers; // of the reduction in hand, in one lane
} batch;

// ---------------------------------------------------------------------------------------------
// Edits

static bool is_edited(const wait_graph *g, const lane *l, uint32_t r)
{
    const wait_change *c = l->change;
    return (l->wait < c->nwaits && c->waits[l->wait].wait < g->first[r + 1]) ||
           (l->added < c->nadded && c->added[l->added].reader == r) ||
           (l->reduction < c->nreductions && c->reductions[l->reduction].reduction == r);
}

// The makers go into b->makers, and far waits' relays behind them as n + relay.
static lane_edit take_edit(batch *b, lane *l, uint32_t r)
{
    const wait_graph *g = b->g;
    const wait_change *c = l->change;
    lane_edit edit = {g->parents[r], -1};
    b->makers.n = 0;
    for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++) {
        uint32_t maker = g->makers[w];
        if (l->wait < c->nwaits && c->waits[l->wait].wait == w)
            maker = c->waits[l->wait++].maker;
        else if (c->without_kinds && bit_get(c->without_kinds, g->kinds[w]))
            continue;
        if (maker < r)
            ARRAY_PUSH(b->makers, maker);
    }
    for (; l->added < c->nadded && c->added[l->added].reader == r; l->added++)
        if (c->added[l->added].maker < r)
            ARRAY_PUSH(b->makers, c->added[l->added].maker);
    for (uint32_t f = b->far; f < g->nfar_waits && g->far_waits[f].reader == r; f++)
        if (!(c->without_kinds && bit_get(c->without_kinds, g->far_waits[f].kind)))
            ARRAY_PUSH(b->makers, g->n + g->far_waits[f].relay);
    if (l->reduction < c->nreductions && c->reductions[l->reduction].reduction == r) {
        const reduction_edit *e = &c->reductions[l->reduction++];
        edit.parent = e->parent < r ? e->parent : edit.parent;
        edit.cost = e->cost;
    }
    return edit;
}

#define LANE            int32_t
#define LANES           16
#define LANE_MASK       int32_t
#define LANE_EDITS      0
#define LANE_PASS       pass_narrow
#define LANE_NAME(name) name##_narrow
#include "iotree/prices/lanes.h"

#define LANE            double
#define LANES           8
#define LANE_MASK       int64_t
#define LANE_EDITS      1
#define LANE_PASS       pass_wide
#define LANE_NAME(name) name##_wide
#include "iotree/prices/lanes.h"

// ---------------------------------------------------------------------------------------------
// Places of times

enum { SLOT_BEGINNING, SLOT_NOBODY, SLOTS_FIXED }; // times that nobody asks for share one

static void note_use(uint32_t *last, uint32_t used, uint32_t by)
{
    if (by > last[used])
        last[used] = by;
}

// A maker in an edit that is not older than its reader counts as left out.
static void note_edit(uint32_t *last, uint32_t used, uint32_t by)
{
    if (used < by)
        note_use(last, used, by);
}

static void note_edits(const wait_graph *g, const wait_change *c, uint32_t *last)
{
    for (size_t i = 0; i < c->nwaits; i++) {
        uint32_t reader;
        FIRST_NOT(reader, g->n, r, g->first[r + 1] <= c->waits[i].wait);
        note_edit(last, c->waits[i].maker, reader);
    }
    for (size_t i = 0; i < c->nadded; i++)
        note_edit(last, c->added[i].maker, c->added[i].reader);
    for (size_t i = 0; i < c->nreductions; i++)
        note_edit(last, c->reductions[i].parent, c->reductions[i].reduction);
}

// By reduction the last one that asks for its time, under any of the changes; 0: nobody.
static uint32_t *last_uses(const wait_graph *g, const wait_change *changes, uint32_t n)
{
    uint32_t *last = base_allocate((size_t)g->n + g->nrelays, sizeof *last);
    for (uint32_t r = 1; r < g->n; r++) {
        last[g->parents[r]] = r;
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
            last[g->makers[w]] = r;
    }
    for (uint32_t i = 0; i < g->nfar_waits; i++)
        note_use(last, g->n + g->far_waits[i].relay, g->far_waits[i].reader);
    for (uint32_t i = 0; i < g->nrelays; i++)
        for (uint32_t k = g->relays[i].first; k < g->relays[i + 1].first; k++)
            note_use(last, g->inputs[k], g->relays[i].at);
    for (uint32_t i = 0; i < n; i++)
        note_edits(g, &changes[i], last);
    return last;
}

typedef struct {
    const wait_graph *g;
    uint32_t *last;
    time_slots slots;
    ARRAY_OF(uint32_t) unused;
} slot_search;

static void take_slot(slot_search *s, uint32_t of)
{
    s->slots.of[of] = s->last[of] == 0   ? SLOT_NOBODY
                      : s->unused.n > 0 ? s->unused.at[--s->unused.n]
                                        : s->slots.n++;
}

static void give_slot_back(slot_search *s, uint32_t used, uint32_t by)
{
    if (used == 0 || s->last[used] != by)
        return;
    s->last[used] = 0; // so that it is given back once
    ARRAY_PUSH(s->unused, s->slots.of[used]);
}

// A slot is given back only after all that is computed with the reduction has its own.
static time_slots assign_slots(const wait_graph *g, const wait_change *changes, uint32_t n)
{
    slot_search s = {.g = g, .last = last_uses(g, changes, n)};
    s.slots.of = base_allocate((size_t)g->n + g->nrelays, sizeof *s.slots.of);
    s.slots.parents = base_allocate((size_t)g->n + FETCHED_AHEAD, sizeof *s.slots.parents);
    s.slots.makers = base_allocate(g->first[g->n] + FETCHED_AHEAD, sizeof *s.slots.makers);
    s.slots.n = SLOTS_FIXED;
    for (uint32_t r = 1, relay = 0, far = 0; r < g->n; r++) {
        uint32_t first_relay = relay;
        take_slot(&s, r);
        for (; relay < g->nrelays && g->relays[relay].at == r; relay++)
            take_slot(&s, g->n + relay);
        s.slots.parents[r] = s.slots.of[g->parents[r]];
        give_slot_back(&s, g->parents[r], r);
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++) {
            s.slots.makers[w] = s.slots.of[g->makers[w]];
            give_slot_back(&s, g->makers[w], r);
        }
        for (; far < g->nfar_waits && g->far_waits[far].reader == r; far++)
            give_slot_back(&s, g->n + g->far_waits[far].relay, r);
        for (uint32_t k = g->relays[first_relay].first; k < g->relays[relay].first; k++)
            give_slot_back(&s, g->inputs[k], r);
    }
    free(s.unused.at);
    free(s.last);
    return s.slots;
}

// ---------------------------------------------------------------------------------------------
// Batches

// One pass: of at most MOST_LANES changes.
typedef struct {
    bool narrow;
    uint32_t n, of[MOST_LANES]; // changes
} pass;

// Passes are jobs. Only the thread that asked for prices tells how far they are.
typedef struct {
    const wait_graph *g;
    const time_slots *slots;
    const wait_change *changes;
    double *spans;
    ARRAY_OF(pass) passes;
    iot_progress progress;
    void *data;
    pthread_t asking;
    uint64_t done, all; // reductions in all passes
    bool cancelled;
} pricing;

static void *vectors(size_t n)
{
    void *at = aligned_alloc(VECTOR_BYTES, n * VECTOR_BYTES);
    if (!at)
        base_out_of_memory(n * VECTOR_BYTES, __FILE__, __LINE__);
    memset(at, 0, n * VECTOR_BYTES);
    return at;
}

static void leave_out(batch *b, uint32_t i, const uint8_t *kinds)
{
    for (uint32_t k = 0; kinds && k < b->g->nkinds; k++)
        if (bit_get(kinds, k))
            b->out[k] |= (uint16_t)(1u << i);
}

// False: cancelled.
static bool tell_pass(pricing *p)
{
    if (p->progress && pthread_equal(p->asking, pthread_self()) &&
        !p->progress(p->data, (double)__atomic_load_n(&p->done, __ATOMIC_RELAXED) / (double)p->all))
        __atomic_store_n(&p->cancelled, true, __ATOMIC_RELAXED);
    return !__atomic_load_n(&p->cancelled, __ATOMIC_RELAXED);
}

static bool run_batch(batch *b, bool narrow, pricing *p)
{
    for (uint32_t i = 0; i < b->n; i++)
        leave_out(b, i, b->lanes[i].change->without_kinds);
    for (uint32_t from = 1; from < b->g->n; from += PERIOD) {
        uint32_t to = b->g->n - from < PERIOD ? b->g->n : from + PERIOD;
        if (!tell_pass(p))
            return false;
        if (narrow)
            pass_narrow(b, from, to);
        else
            pass_wide(b, from, to);
        __atomic_add_fetch(&p->done, to - from, __ATOMIC_RELAXED);
    }
    return true;
}

// Whether nothing is changed but kinds that are left out.
static bool is_simple(const wait_change *c)
{
    return !c->nwaits && !c->nadded && !c->nreductions && !c->costs;
}

// Lists passes for those of the changes that are simple, or those that are not.
static void list_passes(pricing *p, uint32_t n, bool narrow)
{
    bool fits = p->g->span < INT32_MAX;
    pass next = {.narrow = narrow};
    for (uint32_t i = 0; i < n; i++) {
        if ((fits && is_simple(&p->changes[i])) != narrow)
            continue;
        next.of[next.n++] = i;
        if (next.n == (narrow ? 16 : 8)) {
            ARRAY_PUSH(p->passes, next);
            next.n = 0;
        }
    }
    if (next.n > 0)
        ARRAY_PUSH(p->passes, next);
}

static void run_pass(void *data, uint32_t job)
{
    pricing *p = data;
    const pass *x = &p->passes.at[job];
    batch b = {.g = p->g, .slots = p->slots, .n = x->n};
    b.out = base_allocate(p->g->nkinds, sizeof *b.out);
    b.times = vectors(p->slots->n);
    b.spans = vectors(1);
    for (uint32_t i = 0; i < x->n; i++)
        b.lanes[i] = (lane){.change = &p->changes[x->of[i]]};
    if (run_batch(&b, x->narrow, p))
        for (uint32_t l = 0; l < x->n; l++)
            p->spans[x->of[l]] =
                x->narrow ? ((const int32_t *)b.spans)[l] : ((const double *)b.spans)[l];
    free(b.out);
    free(b.times);
    free(b.spans);
    free(b.makers.at);
}

time_slots *iot_make_slots(const wait_graph *g, const wait_change *changes, uint32_t n)
{
    time_slots *slots = base_allocate(1, sizeof *slots);
    *slots = assign_slots(g, changes, n);
    return slots;
}

void iot_free_slots(time_slots *slots)
{
    if (!slots)
        return;
    free(slots->of);
    free(slots->parents);
    free(slots->makers);
    free(slots);
}

static bool spans_within(const wait_graph *g, const time_slots *slots, const wait_change *changes,
                         uint32_t n, double *ret_spans, iot_progress progress, void *data)
{
    pricing p = {.g = g,
                 .slots = slots,
                 .changes = changes,
                 .spans = ret_spans,
                 .progress = progress,
                 .data = data,
                 .asking = pthread_self()};
    list_passes(&p, n, true);
    list_passes(&p, n, false);
    p.all = 1 + (uint64_t)p.passes.n * g->n;
    iot_run_jobs((uint32_t)p.passes.n, run_pass, NULL, &p);
    free(p.passes.at);
    return !p.cancelled && (!progress || progress(data, 1));
}

bool iot_spans_under(const wait_graph *g, const wait_change *changes, uint32_t n, double *ret_spans,
                     iot_progress progress, void *data)
{
    time_slots *slots = iot_make_slots(g, changes, n);
    bool done = spans_within(g, slots, changes, n, ret_spans, progress, data);
    iot_free_slots(slots);
    return done;
}

bool iot_price_changes(const iot *a, const wait_graph *g, const time_slots *slots,
                       const wait_change *changes, uint32_t n, double *ret_spans,
                       iot_progress progress, void *data)
{
    if (a->processors.price)
        return a->processors.price(a, g, changes, n, ret_spans, progress, data);
    return slots ? spans_within(g, slots, changes, n, ret_spans, progress, data)
                 : iot_spans_under(g, changes, n, ret_spans, progress, data);
}
