// SPDX-License-Identifier: MIT
//
// Offsets and drifts of the clocks of several machines, from the bounds that messages and meetings
// set.
#include "kpx-bridge/log/clocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/communicators.h"

enum {
#define ROUTINE(name, ...) ROUTINE_##name,
#include "kpx-bridge/log/mpi_routines.def"
    ROUTINES
};

enum { NOT_YET = UINT32_MAX, MOST_ROUNDS = 64 };

#define SHORTEST 1000.0   // nanoseconds that a message takes at least
#define SHORT_TIME 50e6   // in which no clock drifts by more than messages take

// `after` comes after `before`; each is an event.
typedef struct {
    uint64_t before, after; // kpx_event_key()
} order;

typedef struct {
    const char *name;
    bool agrees; // with the first one's clock
    double drift, offset; // that were added, the offset at its first event
} host;

typedef struct {
    kpx_logs *logs;
    ARRAY_OF(host) hosts;
    ARRAY_OF(uint32_t) host_of; // by process
    ARRAY_OF(order) orders;     // between hosts
} clocks;

#define LATEST ((uint64_t)1 << 62) // no time is later

// ---- Machines -------------------------------------------------------------------------------

static void find_hosts(clocks *c)
{
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        const kpx_process_log *p = &c->logs->processes.at[i];
        uint32_t k = 0;
        while (k < i && !kpx_same_machine(p, &c->logs->processes.at[k]))
            k++;
        ARRAY_PUSH(c->host_of, k < i ? c->host_of.at[k] : c->hosts.n);
        if (k == i)
            ARRAY_PUSH(c->hosts, ((host){.name = p->host ? p->host : "?"}));
    }
}

static uint32_t host_of(const clocks *c, uint64_t key)
{
    return c->host_of.at[key >> 48];
}

static uint64_t time_of(const clocks *c, uint64_t key)
{
    const kpx_process_log *p = &c->logs->processes.at[key >> 48];
    return p->threads.at[key >> 32 & 0xffff].events[(uint32_t)key].time;
}

static void add_order(clocks *c, uint64_t before, uint64_t after)
{
    if (host_of(c, before) != host_of(c, after))
        ARRAY_PUSH(c->orders, ((order){before, after}));
}

// ---- What comes after what ------------------------------------------------------------------

// One call of a collective that nobody can leave before all have come.
typedef struct {
    uint64_t identity, number;
    uint64_t begin, end; // events
} meeting;

typedef ARRAY_OF(meeting) meeting_list;

static bool is_meeting(const kpx_event *e)
{
    switch (e->flags) {
    case ROUTINE_Barrier:
    case ROUTINE_Comm_dup:
    case ROUTINE_Comm_split:
        return true;
    case ROUTINE_Allgather:
    case ROUTINE_Alltoall:
    case ROUTINE_Allreduce:
    case ROUTINE_Reduce_scatter_block:
        return e->b > 0;
    default:
        return false;
    }
}

static void find_meetings(const kpx_logs *logs, uint32_t process, uint32_t thread,
                          const kpx_communicators *known, meeting_list *ret)
{
    const kpx_thread_log *t = &logs->processes.at[process].threads.at[thread];
    meeting open = {0};
    bool is_open = false;
    for (uint32_t i = 0; i < t->n; i++) {
        const kpx_event *e = &t->events[i];
        uint64_t key = kpx_event_key(process, thread, i);
        kpx_store_at(i);
        const kpx_communicator *in =
            e->kind == KPX_MPI_COLLECTIVE ? kpx_communicator_of(known, e->value) : NULL;
        if (e->kind == KPX_MPI_BEGIN) {
            is_open = false;
        } else if (in && is_meeting(e)) {
            open = (meeting){in->identity, (uint32_t)e->a, key, key};
            is_open = true;
        } else if (e->kind == KPX_MPI_END && is_open) {
            open.end = key;
            if (!(e->a & 1))
                ARRAY_PUSH(*ret, open);
            is_open = false;
        }
    }
}

static int by_meeting(const void *x, const void *y)
{
    const meeting *a = x, *b = y;
    if (a->identity != b->identity)
        return a->identity < b->identity ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

// The last one to come on each machine comes before the first ones to leave on the others.
static void order_meeting(clocks *c, const meeting *list, uint32_t n, uint32_t *last,
                          uint32_t *first)
{
    for (uint32_t h = 0; h < c->hosts.n; h++)
        last[h] = first[h] = NOT_YET;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = host_of(c, list[i].begin);
        if (last[h] == NOT_YET || time_of(c, list[i].begin) > time_of(c, list[last[h]].begin))
            last[h] = i;
        if (first[h] == NOT_YET || time_of(c, list[i].end) < time_of(c, list[first[h]].end))
            first[h] = i;
    }
    for (uint32_t a = 0; a < c->hosts.n; a++)
        for (uint32_t b = 0; b < c->hosts.n; b++)
            if (a != b && last[a] != NOT_YET && first[b] != NOT_YET)
                add_order(c, list[last[a]].begin, list[first[b]].end);
}

static void order_meetings(clocks *c)
{
    meeting_list list = {0};
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        kpx_communicators known = kpx_find_communicators(&c->logs->processes.at[i]);
        for (uint32_t k = 0; k < c->logs->processes.at[i].threads.n; k++)
            find_meetings(c->logs, i, k, &known, &list);
        kpx_communicators_free(&known);
    }
    if (list.n > 0)
        qsort(list.at, list.n, sizeof *list.at, by_meeting);
    uint32_t *numbers = base_allocate(2 * (size_t)c->hosts.n, sizeof *numbers);
    for (uint32_t from = 0, to; from < list.n; from = to) {
        to = from + 1;
        while (to < list.n && list.at[to].identity == list.at[from].identity &&
               list.at[to].number == list.at[from].number)
            to++;
        order_meeting(c, &list.at[from], to - from, numbers, numbers + c->hosts.n);
    }
    free(numbers);
    free(list.at);
}

static void order_messages(clocks *c, const kpx_messages *messages)
{
    for (size_t i = 0; i < messages->send_of.n; i++) {
        const kpx_event_pair *receive = &messages->send_of.at[i];
        add_order(c, receive->to, receive->from);
    }
}

// The next end of a call in the thread of the event, or the index after its last event.
static uint64_t next_end(const clocks *c, uint64_t key)
{
    const kpx_thread_log *t = &c->logs->processes.at[key >> 48].threads.at[key >> 32 & 0xffff];
    uint32_t i = (uint32_t)key;
    while (i < t->n && t->events[i].kind != KPX_MPI_END)
        i++;
    return key - (uint32_t)key + i;
}

static bool is_there(const clocks *c, uint64_t key)
{
    const kpx_process_log *p = &c->logs->processes.at[key >> 48];
    return (uint32_t)key < p->threads.at[key >> 32 & 0xffff].n;
}

static int by_after(const void *x, const void *y)
{
    const order *a = x, *b = y;
    return a->after < b->after ? -1 : a->after > b->after;
}

// A send that waits for its receive ends after the receive was posted, and so does the call that
// completes it. Events are taken in order, so that each end is searched once.
static void order_postings(clocks *c, const kpx_messages *messages)
{
    ARRAY_OF(order) list = {0};
    for (size_t i = 0; i < messages->posting_of.n; i++) {
        const kpx_event_pair *end = &messages->posting_of.at[i];
        ARRAY_PUSH(list, ((order){end->to, end->from}));
    }
    if (list.n > 0)
        qsort(list.at, list.n, sizeof *list.at, by_after);
    uint64_t end = 0;
    for (uint32_t i = 0; i < list.n; i++) {
        uint64_t after = list.at[i].after;
        if (i == 0 || after > end || after >> 32 != end >> 32)
            end = next_end(c, after);
        add_order(c, list.at[i].before, is_there(c, end) ? end : after);
    }
    free(list.at);
}

// ---- Straight lines -------------------------------------------------------------------------

// At `time` the correction of a machine's clock is at least, or at most, `offset`.
typedef struct {
    double time, offset;
    bool least;
} bound;

typedef ARRAY_OF(bound) bound_list;

static bound_list bounds_of(const clocks *c, uint32_t h)
{
    bound_list list = {0};
    for (uint32_t i = 0; i < c->orders.n; i++) {
        uint64_t before = c->orders.at[i].before, after = c->orders.at[i].after;
        double difference = (double)((int64_t)time_of(c, before) - (int64_t)time_of(c, after));
        if (host_of(c, after) == h && c->hosts.at[host_of(c, before)].agrees)
            ARRAY_PUSH(list, ((bound){(double)time_of(c, after), difference, true}));
        if (host_of(c, before) == h && c->hosts.at[host_of(c, after)].agrees)
            ARRAY_PUSH(list, ((bound){(double)time_of(c, before), -difference, false}));
    }
    return list;
}

// For a drift: the room between the bounds, and the offset in the middle of it. If all bounds are
// of one kind there is no room, and the offset gives the fastest message the least time.
static double room(const bound_list *list, double drift, double start, double *ret_offset)
{
    double least = -INFINITY, most = INFINITY;
    for (uint32_t i = 0; i < list->n; i++) {
        const bound *b = &list->at[i];
        double offset = b->offset - drift * (b->time - start);
        if (b->least)
            least = fmax(least, offset);
        else
            most = fmin(most, offset);
    }
    *ret_offset = isinf(least)  ? most - SHORTEST
                  : isinf(most) ? least + SHORTEST
                                : least + (most - least) / 2;
    return isinf(least) || isinf(most) ? 0 : most - least;
}

// The room is a concave function of the drift. A drift has a price, so that short runs and clocks
// without drift get none.
static double best_drift(const bound_list *list, double start)
{
    double low = -1e-3, high = 1e-3, unused; // clocks of quartz, kept by the system: much less
    for (int i = 0; i < 100; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        double at_a = room(list, a, start, &unused) - fabs(a) * SHORT_TIME;
        double at_b = room(list, b, start, &unused) - fabs(b) * SHORT_TIME;
        if (at_a < at_b)
            low = a;
        else
            high = b;
    }
    return low + (high - low) / 2;
}

typedef struct {
    double start, offset, drift;
} line;

static void move_time(uint64_t *time, const line *l)
{
    double moved = l->offset + l->drift * ((double)*time - l->start);
    int64_t to = (int64_t)*time + (int64_t)fmax(fmin(moved, 4e18), -4e18);
    *time = to > 0 ? (uint64_t)to : 1;
}

static void move_host(clocks *c, uint32_t h, const line *l)
{
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        kpx_process_log *p = &c->logs->processes.at[i];
        if (c->host_of.at[i] != h)
            continue;
        for (uint32_t k = 0; k < p->threads.n; k++) {
            kpx_event *events = kpx_own_events(&p->threads.at[k]);
            for (uint32_t e = 0; e < p->threads.at[k].n; e++)
                move_time(&events[e].time, l);
        }
        if (p->begin)
            move_time(&p->begin, l);
        if (p->end)
            move_time(&p->end, l);
    }
    c->hosts.at[h].offset = l->offset;
    c->hosts.at[h].drift = l->drift;
}

// The first known time of a machine.
static double first_time(const clocks *c, uint32_t h)
{
    double first = INFINITY;
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        const kpx_process_log *p = &c->logs->processes.at[i];
        for (uint32_t k = 0; k < p->threads.n && c->host_of.at[i] == h; k++)
            if (p->threads.at[k].n > 0)
                first = fmin(first, (double)p->threads.at[k].events[0].time);
    }
    return isinf(first) ? 0 : first;
}

// The next machine is the one with the most bounds to machines that agree already. A machine
// without bounds begins together with the first one.
static void agree_next(clocks *c)
{
    uint32_t best = NOT_YET;
    bound_list bounds = {0};
    for (uint32_t h = 0; h < c->hosts.n; h++) {
        if (c->hosts.at[h].agrees)
            continue;
        bound_list list = bounds_of(c, h);
        bool better = best == NOT_YET || list.n > bounds.n;
        free(better ? bounds.at : list.at);
        if (better) {
            best = h;
            bounds = list;
        }
    }
    double first = first_time(c, best);
    line l = {.start = first, .offset = first_time(c, 0) - first};
    if (bounds.n > 0) {
        l.drift = best_drift(&bounds, first);
        room(&bounds, l.drift, first, &l.offset);
    }
    move_host(c, best, &l);
    c->hosts.at[best].agrees = true;
    free(bounds.at);
}

// ---- What is left ---------------------------------------------------------------------------

// From `time` on, `shift` is added to the machine's clock.
typedef struct {
    uint64_t time, shift;
} step;

typedef ARRAY_OF(step) step_list;

static int by_time(const void *x, const void *y)
{
    const step *a = x, *b = y;
    return a->time < b->time ? -1 : a->time > b->time;
}

static void shift_thread(kpx_thread_log *t, const step_list *steps)
{
    uint32_t next = 0;
    uint64_t shift = 0;
    kpx_event *events = kpx_own_events(t);
    for (uint32_t i = 0; i < t->n; i++) {
        for (; next < steps->n && steps->at[next].time <= events[i].time; next++)
            shift = steps->at[next].shift > shift ? steps->at[next].shift : shift;
        uint64_t time = events[i].time + shift;
        events[i].time = time < LATEST ? time : LATEST;
    }
}

static void shift_host(clocks *c, uint32_t h, step_list *steps)
{
    uint64_t most = 0;
    qsort(steps->at, steps->n, sizeof *steps->at, by_time);
    for (uint32_t i = 0; i < steps->n; i++)
        most = steps->at[i].shift > most ? steps->at[i].shift : most;
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        kpx_process_log *p = &c->logs->processes.at[i];
        for (uint32_t k = 0; k < p->threads.n && c->host_of.at[i] == h; k++)
            shift_thread(&p->threads.at[k], steps);
        if (c->host_of.at[i] == h && p->end)
            p->end += most;
    }
}

// Returns how many events came too early.
static uint32_t shift_all(clocks *c)
{
    step_list *steps = base_allocate(c->hosts.n, sizeof *steps);
    uint32_t early = 0;
    for (uint32_t i = 0; i < c->orders.n; i++) {
        uint64_t before = time_of(c, c->orders.at[i].before);
        uint64_t after = time_of(c, c->orders.at[i].after);
        if (after > before)
            continue;
        step_list *list = &steps[host_of(c, c->orders.at[i].after)];
        ARRAY_PUSH(*list, ((step){after, before - after + 1}));
        early++;
    }
    for (uint32_t h = 0; h < c->hosts.n; h++) {
        if (steps[h].n > 0)
            shift_host(c, h, &steps[h]);
        free(steps[h].at);
    }
    free(steps);
    return early;
}

// ---- All ------------------------------------------------------------------------------------

static char *tell(const clocks *c, uint32_t early, uint32_t left)
{
    char *text = base_format("clocks of %zu machines were synchronised:", c->hosts.n);
    for (uint32_t h = 1; h < c->hosts.n; h++) {
        const host *m = &c->hosts.at[h];
        double ppm = round(m->drift * 1e8) / 100 + 0.0; // no -0
        char *longer = base_format("%s%s %s %+.6f s, %+.2f ppm", text, h > 1 ? ";" : "", m->name,
                                   m->offset / 1e9, ppm);
        free(text);
        text = longer;
    }
    if (early > 0 || left > 0) {
        char *longer = base_format("%s; %u messages still arrived before they were sent and %s",
                                   text, early, left ? "could not all be shifted" : "were shifted");
        free(text);
        text = longer;
    }
    return text;
}

char *kpx_agree_clocks(kpx_logs *logs, const kpx_messages *messages)
{
    clocks c = {.logs = logs};
    char *text = NULL;
    find_hosts(&c);
    if (c.hosts.n > 1) {
        c.hosts.at[0].agrees = true;
        order_meetings(&c);
        order_messages(&c, messages);
        order_postings(&c, messages);
        for (uint32_t h = 1; h < c.hosts.n; h++)
            agree_next(&c);
        uint32_t early = shift_all(&c), left = early;
        for (int round = 0; left > 0 && round < MOST_ROUNDS; round++)
            left = shift_all(&c);
        text = tell(&c, early, left);
    }
    free(c.hosts.at);
    free(c.host_of.at);
    free(c.orders.at);
    return text;
}
