// SPDX-License-Identifier: MIT
//
// Replay of a run whose threads are more than its processors: those that compute at the same time
// share the processors equally. What an activity takes alone follows from the recording, by the same
// rule: while k of them compute on P processors each proceeds at the speed min(1, P / k).
//
// A simulation in the order of time. An activity begins when all that it needs is there, as in
// replay.h. One that sleeps, waits, or is what a wait takes in the end needs no processor.
#include <math.h>

#include "iotree/prices/replay_private.h"
#include "profiler/regions.h"

// ---------------------------------------------------------------------------------------------
// Sleep

// Whether the activity slept most of its time.
static bool slept(const trace *t, uint32_t activity)
{
    int64_t took = trace_end(t, activity) - trace_start(t, activity), slept;
    return iot_activity_value(t, activity, TRACE_KEY_SLEPT, &slept) && 2 * slept > took;
}

static bool *find_computing(const replay *r)
{
    bool *computes = base_allocate((size_t)r->n + 1, sizeof *computes);
    for (uint32_t i = 1; i < r->n; i++)
        computes[i] = !r->waits[i] && trace_end(r->t, i) > trace_start(r->t, i) && !slept(r->t, i);
    return computes;
}

// ---------------------------------------------------------------------------------------------
// What activities take alone

typedef struct {
    int64_t time;
    uint32_t activity;
    bool begins;
} turn;

static int by_time(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->begins != y->begins)
        return x->begins ? 1 : -1;
    return x->activity < y->activity ? -1 : x->activity > y->activity;
}

static turn *find_turns(const replay *r, const bool *computes, size_t *ret_n)
{
    ARRAY_OF(turn) turns = {0};
    for (uint32_t i = 1; i < r->n; i++)
        if (computes[i]) {
            ARRAY_PUSH(turns, ((turn){trace_start(r->t, i), i, true}));
            ARRAY_PUSH(turns, ((turn){trace_end(r->t, i), i, false}));
        }
    if (turns.n > 0)
        qsort(turns.at, turns.n, sizeof *turns.at, by_time);
    *ret_n = turns.n;
    return turns.at;
}

static double speed(uint32_t running, uint32_t processors)
{
    return running > processors ? (double)processors / running : 1;
}

// In place of costs: what the activities that compute take alone. False: they never were more than
// the processors.
static bool find_costs(replay *r)
{
    size_t n;
    turn *turns = find_turns(r, r->computes, &n);
    double *begun = base_allocate((size_t)r->n + 1, sizeof *begun), done = 0;
    uint32_t running = 0, most = 0;
    int64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t x = turns[i].activity;
        done += (double)(turns[i].time - last) * speed(running, r->processors);
        last = turns[i].time;
        if (turns[i].begins) {
            begun[x] = done;
            most = ++running > most ? running : most;
        } else {
            running--;
            r->costs[x] = llround(done - begun[x]);
        }
    }
    free(begun);
    free(turns);
    return most > r->processors;
}

void iot_replay_share(replay *r, uint32_t processors)
{
    r->processors = processors;
    if (processors == 0 || r->nplaces <= processors) { // each place has one
        r->computes = base_allocate((size_t)r->n + 1, sizeof *r->computes);
        return;
    }
    r->computes = find_computing(r);
    int64_t *costs = base_allocate((size_t)r->n + 1, sizeof *costs);
    memcpy(costs, r->costs, r->n * sizeof *costs);
    r->shares = find_costs(r);
    if (!r->shares)
        memcpy(r->costs, costs, r->n * sizeof *costs);
    free(costs);
}

// ---------------------------------------------------------------------------------------------
// The simulation

typedef enum { TO_START, TO_END } need_kind;

typedef struct {
    uint32_t taker;
    need_kind kind;
    uint64_t edge; // of an end that comes a while after its source
} arc;

typedef struct {
    double time;
    uint32_t item;
    enum { STARTS, COMPUTED, ENDS } what;
} event;

typedef struct {
    const replay *r;
    const replay_change *change;
    const int64_t *costs, *gaps;
    const uint32_t *sources;
    uint32_t *needs[2];    // by item: how many are missing until it starts, until it ends
    uint64_t *first;       // by item: of arcs
    arc *arcs;
    bool *at_start;        // by arc: it is the start of the item that counts, not its end
    uint64_t *next;
    double *late;          // by item: it does not end before that
    bool *came;            // it waits for what it needs to end
    double *starts, *ends; // by item
    ARRAY_OF(event) queue; // heap
    ARRAY_OF(event) running; // heap by the work that is done when they are
    double now, done;      // time; work that one that runs all the time has done
    uint32_t finished;
} simulation;

static bool is_free(const simulation *s, uint32_t i)
{
    return s->change->free && (s->change->free[i / 8] >> i % 8 & 1);
}

static bool earlier(const event *a, const event *b)
{
    return a->time != b->time ? a->time < b->time : a->item < b->item;
}

#define HEAP_PUT(h, e)                                                                             \
    do {                                                                                           \
        ARRAY_PUSH(h, e);                                                                          \
        size_t at_ = (h).n - 1;                                                                    \
        for (; at_ > 0 && earlier(&(e), &(h).at[(at_ - 1) / 2]); at_ = (at_ - 1) / 2)             \
            (h).at[at_] = (h).at[(at_ - 1) / 2];                                                   \
        (h).at[at_] = (e);                                                                         \
    } while (0)

#define HEAP_TAKE(h, ret)                                                                          \
    do {                                                                                           \
        *(ret) = (h).at[0];                                                                        \
        event moved_ = (h).at[--(h).n];                                                            \
        size_t at_ = 0;                                                                            \
        for (size_t child_; (child_ = 2 * at_ + 1) < (h).n; at_ = child_) {                        \
            child_ += child_ + 1 < (h).n && earlier(&(h).at[child_ + 1], &(h).at[child_]);         \
            if (!earlier(&(h).at[child_], &moved_))                                                \
                break;                                                                             \
            (h).at[at_] = (h).at[child_];                                                          \
        }                                                                                          \
        (h).at[at_] = moved_;                                                                      \
    } while (0)

// An arc from an item, counted in the first pass and filled in in the second.
static void add_arc(simulation *s, bool fill, uint32_t from, arc a, bool at_start)
{
    if (!fill) {
        s->first[from + 1]++;
        s->needs[a.kind][a.taker]++;
        return;
    }
    s->at_start[s->next[from]] = at_start;
    s->arcs[s->next[from]++] = a;
}

static void add_arcs_of(simulation *s, bool fill, uint32_t i)
{
    const replay *r = s->r;
    int64_t began = trace_start(r->t, i);
    uint32_t meeting = r->meetings[i];
    if (r->before[i] != IOT_NONE)
        add_arc(s, fill, r->before[i], (arc){i, TO_START, UINT64_MAX}, false);
    if (r->makers[i] != 0)
        add_arc(s, fill, r->makers[i], (arc){i, TO_START, UINT64_MAX}, false);
    if (is_free(s, i))
        return;
    for (uint64_t k = r->first[i]; k < r->first[i + 1]; k++) {
        if (s->sources[k] == IOT_NONE || s->sources[k] == 0 || r->sources[k] == IOT_NONE)
            continue;
        bool first = !r->waits[i] && trace_end(r->t, r->sources[k]) <= began;
        add_arc(s, fill, s->sources[k],
                (arc){i, first ? TO_START : TO_END, r->waits[i] || first ? UINT64_MAX : k}, false);
    }
    if (r->waits[i] && meeting != IOT_NONE) {
        add_arc(s, fill, i, (arc){r->n + meeting, TO_END, UINT64_MAX}, true);
        add_arc(s, fill, r->n + meeting, (arc){i, TO_END, UINT64_MAX}, false);
    }
}

static void make_arcs(simulation *s)
{
    const replay *r = s->r;
    size_t nitems = (size_t)r->n + r->nmeetings;
    for (uint32_t i = 1; i < r->n; i++)
        add_arcs_of(s, false, i);
    for (size_t i = 0; i < nitems; i++)
        s->first[i + 1] += s->first[i];
    s->arcs = base_allocate(s->first[nitems] + 1, sizeof *s->arcs);
    s->at_start = base_allocate(s->first[nitems] + 1, sizeof *s->at_start);
    memcpy(s->next, s->first, nitems * sizeof *s->next);
    for (uint32_t i = 1; i < r->n; i++)
        add_arcs_of(s, true, i);
}

static void put(simulation *s, double time, uint32_t item, int what)
{
    event e = {time > s->now ? time : s->now, item, what};
    HEAP_PUT(s->queue, e);
}

// All that the item needs to end is there.
static void may_end(simulation *s, uint32_t i)
{
    bool meeting = i >= s->r->n;
    double rest = !meeting && s->r->waits[i] ? (double)s->costs[i] : 0;
    if (s->needs[TO_END][i] > 0 || (!meeting && !s->came[i]))
        return;
    double from = s->now > s->late[i] ? s->now : s->late[i];
    put(s, from + rest, i, ENDS);
}

static void satisfy(simulation *s, uint32_t from, bool at_start)
{
    const replay *r = s->r;
    for (uint64_t k = s->first[from]; k < s->first[from + 1]; k++) {
        const arc *a = &s->arcs[k];
        if (s->at_start[k] != at_start)
            continue;
        uint32_t left = --s->needs[a->kind][a->taker];
        if (a->edge != UINT64_MAX) {
            int64_t rest = trace_end(r->t, a->taker) - trace_end(r->t, r->sources[a->edge]);
            rest = rest < s->costs[a->taker] ? rest : s->costs[a->taker];
            double late = s->now + (double)rest;
            s->late[a->taker] = late > s->late[a->taker] ? late : s->late[a->taker];
        }
        if (left == 0 && a->kind == TO_START)
            put(s, s->now + (double)s->gaps[a->taker], a->taker, STARTS);
        else if (left == 0)
            may_end(s, a->taker);
    }
}

static void start(simulation *s, uint32_t i)
{
    const replay *r = s->r;
    s->starts[i] = s->now;
    if (r->waits[i]) {
        s->came[i] = true;
        satisfy(s, i, true);
        if (r->meetings[i] == IOT_NONE || is_free(s, i) || s->needs[TO_END][i] == 0)
            may_end(s, i);
    } else if (r->computes[i] && s->costs[i] > 0) {
        event e = {s->done + (double)s->costs[i], i, COMPUTED};
        HEAP_PUT(s->running, e);
    } else {
        put(s, s->now + (double)s->costs[i], i, COMPUTED);
    }
}

static void take(simulation *s, const event *e)
{
    switch (e->what) {
    case STARTS:
        start(s, e->item);
        break;
    case COMPUTED:
        s->came[e->item] = true;
        may_end(s, e->item);
        break;
    case ENDS:
        s->ends[e->item] = s->now;
        s->finished++;
        satisfy(s, e->item, false);
        break;
    }
}

static void simulate(simulation *s)
{
    const replay *r = s->r;
    for (uint32_t i = 1; i < r->n; i++)
        if (s->needs[TO_START][i] == 0)
            put(s, (double)s->gaps[i], i, STARTS);
    while (s->queue.n > 0 || s->running.n > 0) {
        double rate = speed((uint32_t)s->running.n, r->processors);
        double computed =
            s->running.n > 0 ? s->now + (s->running.at[0].time - s->done) / rate : INFINITY;
        event e;
        if (s->queue.n > 0 && s->queue.at[0].time <= computed) {
            HEAP_TAKE(s->queue, &e);
            s->done += (e.time - s->now) * rate;
            s->now = e.time;
        } else {
            HEAP_TAKE(s->running, &e);
            s->done = e.time;
            s->now = computed > s->now ? computed : s->now;
        }
        take(s, &e);
    }
}

// Meetings of which nobody is left are never over, and nobody waits for them.
static uint32_t count_items(const simulation *s)
{
    uint32_t n = s->r->n - 1;
    for (uint32_t i = 0; i < s->r->nmeetings; i++) {
        bool any = false;
        for (uint32_t k = s->r->first_member[i]; k < s->r->first_member[i + 1] && !any; k++)
            any = !is_free(s, s->r->members[k]);
        n += any;
    }
    return n;
}

static void free_simulation(simulation *s)
{
    void *parts[] = {s->needs[0], s->needs[1], s->first, s->arcs, s->at_start,  s->next,
                     s->late,     s->came,  s->starts, s->ends, s->queue.at, s->running.at};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

bool iot_elapsed_shared(const replay *r, const replay_change *change, int64_t *ret_elapsed,
                        int64_t *ret_starts, int64_t *ret_ends)
{
    size_t n = (size_t)r->n + r->nmeetings + 2;
    simulation s = {.r = r,
                    .change = change,
                    .costs = change->costs ? change->costs : r->costs,
                    .gaps = change->gaps ? change->gaps : r->gaps,
                    .sources = change->sources ? change->sources : r->sources,
                    .needs = {base_allocate(n, sizeof(uint32_t)), base_allocate(n, sizeof(uint32_t))},
                    .first = base_allocate(n, sizeof(uint64_t)),
                    .next = base_allocate(n, sizeof(uint64_t)),
                    .late = base_allocate(n, sizeof(double)),
                    .came = base_allocate(n, sizeof(bool)),
                    .starts = base_allocate(n, sizeof(double)),
                    .ends = base_allocate(n, sizeof(double))};
    make_arcs(&s);
    simulate(&s);
    bool all = s.finished >= count_items(&s);
    double elapsed = 0;
    for (uint32_t i = 1; i < r->n; i++) {
        elapsed = s.ends[i] > elapsed ? s.ends[i] : elapsed;
        if (ret_starts)
            ret_starts[i] = llround(s.starts[i]);
        if (ret_ends)
            ret_ends[i] = llround(s.ends[i]);
    }
    *ret_elapsed = llround(elapsed);
    free_simulation(&s);
    return all;
}
