// SPDX-License-Identifier: MIT
//
// Makes the replay of a measured run: places, edges, meetings, an order in which everything comes
// after what it needs, and the rests of what was measured (replay.h).
#include "iotree/prices/replay_private.h"
#include "profiler/regions.h"

typedef struct {
    uint32_t to, from;
} edge;

typedef struct {
    const trace *t;
    replay *r;
    ARRAY_OF(edge) extra; // edges that the trace does not have
    iot_progress progress;
    void *data;
} making;

static uint32_t *numbers(size_t n, uint32_t value)
{
    uint32_t *list = base_allocate(n + 1, sizeof *list);
    if (value != 0)
        memset(list, 0xff, (n + 1) * sizeof *list);
    return list;
}

// ---------------------------------------------------------------------------------------------
// Places

typedef struct {
    int64_t start, end;
    uint32_t activity;
} moment;

static int by_time(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->activity < y->activity ? -1 : x->activity > y->activity;
}

// Activities are numbered by virtual time, which is mostly also their order at a place.
static void sort_place(const trace *t, uint32_t *list, uint32_t n)
{
    moment *moments = base_allocate(n, sizeof *moments);
    bool sorted = true;
    for (uint32_t i = 0; i < n; i++) {
        moments[i] = (moment){trace_start(t, list[i]), trace_end(t, list[i]), list[i]};
        sorted = sorted && (i == 0 || by_time(&moments[i - 1], &moments[i]) < 0);
    }
    if (!sorted)
        qsort(moments, n, sizeof *moments, by_time);
    for (uint32_t i = 0; i < n; i++)
        list[i] = moments[i].activity;
    free(moments);
}

static void find_places(making *m)
{
    replay *r = m->r;
    r->nplaces = trace_nplaces(m->t);
    r->at_place = numbers((size_t)r->nplaces + 1, 0);
    r->by_place = numbers(r->n, 0);
    r->before = numbers(r->n, IOT_NONE);
    r->makers = numbers(r->n, 0);
    for (uint32_t i = 1; i < r->n; i++)
        r->at_place[trace_place(m->t, i) + 1]++;
    for (uint32_t p = 0; p < r->nplaces; p++)
        r->at_place[p + 1] += r->at_place[p];
    uint32_t *next = numbers(r->nplaces, 0);
    memcpy(next, r->at_place, r->nplaces * sizeof *next);
    for (uint32_t i = 1; i < r->n; i++)
        r->by_place[next[trace_place(m->t, i)]++] = i;
    free(next);
    for (uint32_t p = 0; p < r->nplaces; p++) {
        uint32_t *list = r->by_place + r->at_place[p], n = r->at_place[p + 1] - r->at_place[p];
        sort_place(m->t, list, n);
        for (uint32_t i = 1; i < n; i++)
            r->before[list[i]] = list[i - 1];
    }
    for (uint32_t i = 1; i < r->n; i++) {
        r->makers[i] = trace_goal_parent(m->t, trace_reduction_goal(m->t, i));
        r->waits[i] = trace_get_clause(m->t, trace_reduction_clause(m->t, i))->waits;
    }
}

// ---------------------------------------------------------------------------------------------
// What follows from the trace, but is no edge of it

static const char *name_of(const trace *t, uint32_t activity)
{
    uint32_t predicate = trace_get_clause(t, trace_reduction_clause(t, activity))->predicate;
    return trace_string(t, trace_get_predicate(t, predicate)->name, NULL);
}

mpi_flow iot_flow_of(const char *routine)
{
    static const struct {
        const char *name;
        mpi_flow flow;
    } known[] = {
        {"MPI_Reduce", TO_ROOT},       {"MPI_Gather", TO_ROOT},     {"MPI_Gatherv", TO_ROOT},
        {"MPI_Bcast", FROM_ROOT},      {"MPI_Scatter", FROM_ROOT},  {"MPI_Scatterv", FROM_ROOT},
        {"MPI_Scan", TO_SOME},         {"MPI_Exscan", TO_SOME},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, routine) == 0)
            return known[i].flow;
    return strncmp(routine, "MPI_Neighbor", 12) == 0 ? TO_SOME : ALL_TO_ALL;
}

// An activity in which a thread waits until it gets a task has no edge: the task has.
static void add_idle_waits(making *m)
{
    const replay *r = m->r;
    for (uint32_t p = 0; p < r->nplaces; p++)
        for (uint32_t i = r->at_place[p]; i + 1 < r->at_place[p + 1]; i++) {
            uint32_t wait = r->by_place[i], next = r->by_place[i + 1];
            const uint32_t *reads;
            uint32_t maker = r->makers[next];
            if (!r->waits[wait] || r->waits[next] || trace_reads(m->t, wait, &reads) > 0 ||
                maker == 0 || trace_place(m->t, maker) == p ||
                trace_end(m->t, maker) > trace_end(m->t, wait))
                continue;
            ARRAY_PUSH(m->extra, (edge){wait, maker});
            uint32_t n = trace_reads(m->t, next, &reads);
            for (uint32_t k = 0; k < n; k++) {
                uint32_t from = iot_source_of(m->t, reads[k]);
                if (from != 0 && trace_end(m->t, from) <= trace_end(m->t, wait))
                    ARRAY_PUSH(m->extra, (edge){wait, from});
            }
        }
}

typedef struct {
    uint32_t *calls; // collective calls by place, in order
    uint32_t each;   // how many of them at each place that has any; 0: they differ
    uint32_t *places, nplaces;
} collectives;

// If the i-th collective call of every rank is the same routine, they belong together.
static collectives find_collectives(const making *m)
{
    const replay *r = m->r;
    collectives c = {.calls = numbers(r->n, 0), .places = numbers(r->nplaces, 0)};
    uint32_t n = 0;
    bool same = true;
    for (uint32_t p = 0; p < r->nplaces; p++) {
        uint32_t first = n;
        for (uint32_t i = r->at_place[p]; i < r->at_place[p + 1]; i++)
            if (iot_kind_of(m->t, r->by_place[i]) == TRACE_KIND_MPI_COLLECTIVE)
                c.calls[n++] = r->by_place[i];
        if (n == first)
            continue;
        if (c.nplaces == 0)
            c.each = n - first;
        same = same && n - first == c.each;
        for (uint32_t i = 0; same && i < c.each; i++)
            same = strcmp(name_of(m->t, c.calls[i]), name_of(m->t, c.calls[first + i])) == 0;
        c.places[c.nplaces++] = p;
    }
    c.each = same && c.nplaces > 1 ? c.each : 0;
    return c;
}

// The root of a reduction waits for all, not only for the one that came last.
static void add_givers(making *m, const collectives *c)
{
    const uint32_t *reads;
    for (uint32_t i = 0; i < c->each; i++) {
        if (iot_flow_of(name_of(m->t, c->calls[i])) != TO_ROOT)
            continue;
        for (uint32_t p = 0; p < c->nplaces; p++) {
            uint32_t root = c->calls[p * c->each + i];
            if (trace_reads(m->t, root, &reads) == 0)
                continue;
            for (uint32_t q = 0; q < c->nplaces; q++) {
                uint32_t before = m->r->before[c->calls[q * c->each + i]];
                if (q != p && before != IOT_NONE &&
                    trace_end(m->t, before) <= trace_end(m->t, root))
                    ARRAY_PUSH(m->extra, (edge){root, before});
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Edges

uint32_t iot_source_of(const trace *t, uint32_t variable)
{
    uint32_t binding = trace_cell_binding(t, variable);
    return binding == TRACE_NONE ? 0 : trace_binding_maker(t, binding);
}

static void find_edges(making *m)
{
    replay *r = m->r;
    const uint32_t *reads;
    r->first = base_allocate((size_t)r->n + 2, sizeof *r->first);
    for (uint32_t i = 1; i < r->n; i++)
        r->first[i + 1] = trace_reads(m->t, i, &reads);
    for (size_t i = 0; i < m->extra.n; i++)
        r->first[m->extra.at[i].to + 1]++;
    for (uint32_t i = 1; i <= r->n; i++)
        r->first[i] += r->first[i - 1];
    r->sources = numbers(r->first[r->n], IOT_NONE);
    uint64_t *next = base_allocate((size_t)r->n + 1, sizeof *next);
    memcpy(next, r->first, ((size_t)r->n + 1) * sizeof *next);
    for (uint32_t i = 1; i < r->n; i++) {
        uint32_t n = trace_reads(m->t, i, &reads);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t from = iot_source_of(m->t, reads[k]);
            r->sources[next[i]++] = from == 0 ? IOT_NONE : from;
        }
    }
    for (size_t i = 0; i < m->extra.n; i++)
        r->sources[next[m->extra.at[i].to]++] = m->extra.at[i].from;
    free(next);
}

// ---------------------------------------------------------------------------------------------
// Meetings

// Waits of one meeting have the same class. 0: waits of no meeting.
static uint32_t class_of(const trace *t, uint32_t activity)
{
    trace_kind kind = iot_kind_of(t, activity);
    trace_role role = trace_kind_role(kind, true);
    if (role == TRACE_ROLE_BARRIER || role == TRACE_ROLE_IMPLIED)
        return 1;
    if (kind == TRACE_KIND_MPI_COLLECTIVE && iot_flow_of(name_of(t, activity)) == ALL_TO_ALL)
        return 2;
    return 0;
}

static uint32_t *next_at_place(const replay *r)
{
    uint32_t *after = numbers(r->n, IOT_NONE);
    for (uint32_t i = 1; i < r->n; i++)
        if (r->before[i] != IOT_NONE)
            after[r->before[i]] = i;
    return after;
}

// The one that came last waits right after its last activity, which the others have an edge from.
static void find_meetings(making *m)
{
    replay *r = m->r;
    uint32_t *after = next_at_place(r);
    r->meetings = numbers(r->n, IOT_NONE);
    const uint32_t *reads;
    for (uint32_t i = 1; i < r->n; i++) {
        uint32_t class = r->waits[i] ? class_of(m->t, i) : 0;
        uint32_t n = class != 0 ? trace_reads(m->t, i, &reads) : 0;
        for (uint32_t k = 0; k < n && r->meetings[i] == IOT_NONE; k++) {
            uint32_t from = iot_source_of(m->t, reads[k]);
            uint32_t last = from == 0 ? IOT_NONE : after[from];
            if (last == IOT_NONE || last == i || !r->waits[last] || class_of(m->t, last) != class ||
                trace_place(m->t, last) == trace_place(m->t, i) ||
                trace_start(m->t, last) > trace_end(m->t, i))
                continue;
            if (r->meetings[last] == IOT_NONE)
                r->meetings[last] = r->nmeetings++;
            r->meetings[i] = r->meetings[last];
        }
    }
    free(after);
}

static bool is_one_of(const char *name, const char *a, const char *b)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

// MPI_Init and MPI_Finalize, which all ranks call once, and in which all wait for all.
static void find_ends(making *m, const char *name, const char *other)
{
    replay *r = m->r;
    uint32_t *found = numbers(r->nplaces, 0), n = 0;
    int64_t last_start = 0, first_end = INT64_MAX;
    bool once = true;
    for (uint32_t p = 0; p < r->nplaces; p++) {
        bool here = false;
        for (uint32_t i = r->at_place[p]; once && i < r->at_place[p + 1]; i++) {
            uint32_t x = r->by_place[i];
            if (!r->waits[x] || !is_one_of(name_of(m->t, x), name, other))
                continue;
            once = !here;
            here = true;
            last_start = trace_start(m->t, x) > last_start ? trace_start(m->t, x) : last_start;
            first_end = trace_end(m->t, x) < first_end ? trace_end(m->t, x) : first_end;
            if (once)
                found[n++] = x;
        }
    }
    once = once && n > 1 && last_start <= first_end;
    for (uint32_t i = 0; once && i < n; i++)
        r->meetings[found[i]] = r->nmeetings;
    r->nmeetings += once;
    free(found);
}

static void list_members(replay *r)
{
    r->first_member = numbers((size_t)r->nmeetings + 1, 0);
    r->members = numbers(r->n, 0);
    for (uint32_t i = 1; i < r->n; i++)
        if (r->meetings[i] != IOT_NONE)
            r->first_member[r->meetings[i] + 1]++;
    for (uint32_t i = 0; i < r->nmeetings; i++)
        r->first_member[i + 1] += r->first_member[i];
    uint32_t *next = numbers(r->nmeetings, 0);
    memcpy(next, r->first_member, r->nmeetings * sizeof *next);
    for (uint32_t i = 1; i < r->n; i++)
        if (r->meetings[i] != IOT_NONE)
            r->members[next[r->meetings[i]]++] = i;
    free(next);
}

// ---------------------------------------------------------------------------------------------
// Order: everything after what it needs

typedef struct {
    uint32_t nitems;
    uint32_t *needs;   // by item: how many it needs that are not there yet
    uint64_t *first;   // by item: of takers
    uint32_t *takers;
} arcs;

// Calls f for what item i needs: activities, and n + meeting.
#define EACH_NEED(r, i, need, ...)                                                                 \
    do {                                                                                           \
        uint32_t need;                                                                             \
        if ((i) >= (r)->n) {                                                                       \
            uint32_t m_ = (i) - (r)->n;                                                            \
            for (uint32_t k_ = (r)->first_member[m_]; k_ < (r)->first_member[m_ + 1]; k_++) {      \
                if ((need = (r)->before[(r)->members[k_]]) != IOT_NONE)                            \
                    __VA_ARGS__;                                                                   \
                need = (r)->makers[(r)->members[k_]];                                              \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
        } else if ((i) > 0) {                                                                      \
            if ((need = (r)->before[i]) != IOT_NONE)                                               \
                __VA_ARGS__;                                                                       \
            need = (r)->makers[i];                                                                 \
            __VA_ARGS__;                                                                           \
            if ((r)->meetings[i] != IOT_NONE) {                                                    \
                need = (r)->n + (r)->meetings[i];                                                  \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            for (uint64_t k_ = (r)->first[i]; k_ < (r)->first[(i) + 1]; k_++)                      \
                if ((need = (r)->sources[k_]) != IOT_NONE)                                         \
                    __VA_ARGS__;                                                                   \
        }                                                                                          \
    } while (0)

static arcs find_arcs(const replay *r)
{
    arcs a = {.nitems = r->n + r->nmeetings};
    a.needs = numbers(a.nitems, 0);
    a.first = base_allocate((size_t)a.nitems + 2, sizeof *a.first);
    for (uint32_t i = 0; i < a.nitems; i++)
        EACH_NEED(r, i, need, {
            a.needs[i]++;
            a.first[need + 1]++;
        });
    for (uint32_t i = 0; i < a.nitems; i++)
        a.first[i + 1] += a.first[i];
    a.takers = numbers(a.first[a.nitems], 0);
    uint64_t *next = base_allocate((size_t)a.nitems + 1, sizeof *next);
    memcpy(next, a.first, ((size_t)a.nitems + 1) * sizeof *next);
    for (uint32_t i = 0; i < a.nitems; i++)
        EACH_NEED(r, i, need, a.takers[next[need]++] = i);
    free(next);
    return a;
}

// Returns whether all items are in the order; those that are not have needs left.
static bool put_in_order(replay *r, arcs *a)
{
    r->norder = 0;
    for (uint32_t i = 0; i < a->nitems; i++)
        if (a->needs[i] == 0)
            r->order[r->norder++] = i;
    for (uint32_t done = 0; done < r->norder; done++) {
        uint32_t i = r->order[done];
        for (uint64_t k = a->first[i]; k < a->first[i + 1]; k++)
            if (--a->needs[a->takers[k]] == 0)
                r->order[r->norder++] = a->takers[k];
    }
    return r->norder == a->nitems;
}

// Clocks that disagree, or a file that lies, can make a circle of places and meetings. The makers
// and edges of the trace alone lead from smaller to larger numbers.
static void break_circles(replay *r, const arcs *a)
{
    for (uint32_t i = 1; i < r->n; i++) {
        if (a->needs[i] == 0)
            continue;
        r->before[i] = IOT_NONE;
        r->meetings[i] = IOT_NONE;
        for (uint64_t k = r->first[i]; k < r->first[i + 1]; k++)
            if (r->sources[k] != IOT_NONE && r->sources[k] >= i)
                r->sources[k] = IOT_NONE;
    }
    free(r->first_member);
    free(r->members);
    list_members(r);
}

static void find_order(replay *r)
{
    r->order = numbers((size_t)r->n + r->nmeetings, 0);
    for (bool all = false; !all;) {
        arcs a = find_arcs(r);
        all = put_in_order(r, &a);
        if (!all)
            break_circles(r, &a);
        free(a.needs);
        free(a.first);
        free(a.takers);
    }
}

// ---------------------------------------------------------------------------------------------
// Rests

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void find_rests(making *m)
{
    replay *r = m->r;
    const trace *t = m->t;
    int64_t *over = base_allocate((size_t)r->nmeetings + 1, sizeof *over);
    for (uint32_t i = 0; i < r->nmeetings; i++)
        over[i] = INT64_MIN;
    for (uint32_t i = 1; i < r->n; i++)
        if (r->meetings[i] != IOT_NONE)
            over[r->meetings[i]] = later(over[r->meetings[i]], trace_start(t, i));
    for (uint32_t i = 1; i < r->n; i++) {
        int64_t start = trace_start(t, i), end = trace_end(t, i), all = start;
        int64_t ready = trace_end(t, r->makers[i]);
        if (r->before[i] != IOT_NONE)
            ready = later(ready, trace_end(t, r->before[i]));
        for (uint64_t k = r->first[i]; k < r->first[i + 1]; k++) {
            int64_t there = r->sources[k] == IOT_NONE ? 0 : trace_end(t, r->sources[k]);
            if (r->waits[i])
                all = later(all, there);
            else if (there <= start)
                ready = later(ready, there);
        }
        if (r->meetings[i] != IOT_NONE)
            all = later(all, over[r->meetings[i]]);
        r->gaps[i] = start - ready;
        r->costs[i] = end - all;
    }
    free(over);
}

// ---------------------------------------------------------------------------------------------
// All

void iot_replay_free(replay *r)
{
    if (!r)
        return;
    void *parts[] = {r->by_place, r->at_place, r->before,   r->makers,  r->first,
                     r->sources,  r->waits,    r->gaps,     r->costs,   r->meetings,
                     r->members,  r->order,    r->first_member, r->computes, r->starts, r->ends};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    free(r);
}

static bool goes_on(const making *m, double fraction)
{
    return !m->progress || m->progress(m->data, fraction);
}

// False: cancelled.
static bool make(making *m)
{
    replay *r = m->r;
    r->waits = base_allocate((size_t)r->n + 1, 1);
    r->gaps = base_allocate((size_t)r->n + 1, sizeof *r->gaps);
    r->costs = base_allocate((size_t)r->n + 1, sizeof *r->costs);
    find_places(m);
    if (!goes_on(m, 0.2))
        return false;
    add_idle_waits(m);
    collectives c = find_collectives(m);
    add_givers(m, &c);
    free(c.calls);
    free(c.places);
    find_edges(m);
    if (!goes_on(m, 0.4))
        return false;
    find_meetings(m);
    find_ends(m, "MPI_Init", "MPI_Init_thread");
    find_ends(m, "MPI_Finalize", "MPI_Session_finalize");
    list_members(r);
    if (!goes_on(m, 0.6))
        return false;
    find_order(r);
    find_rests(m);
    iot_replay_share(r, trace_get_machine(r->t).processors);
    iot_replay_undisturbed(r);
    r->elapsed = iot_elapsed_under(r, &(replay_change){0}, NULL);
    return goes_on(m, 1);
}

const replay *iot_replay(const iot *analysis, iot_progress progress, void *data)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->lock);
    if (!a->replay) {
        making m = {.t = a->t,
                    .r = base_allocate(1, sizeof(replay)),
                    .progress = progress,
                    .data = data};
        m.r->t = a->t;
        m.r->n = a->n;
        if (make(&m))
            a->replay = m.r;
        else
            iot_replay_free(m.r);
        free(m.extra.at);
    }
    pthread_mutex_unlock(&a->lock);
    return a->replay;
}
