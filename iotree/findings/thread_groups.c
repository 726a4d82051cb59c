// SPDX-License-Identifier: MIT
//
// Groups of threads that a program made itself. Threads have no team and no barrier at their end; those of
// one function that one place made, and that were there at the same time, are a phase of each other: they
// take parts of the same work.
#include "iotree/findings/measured_run.h"

typedef struct {
    uint32_t clause, maker;  // its function; the place that made it
    uint32_t from, to;       // activities r->by_place[from .. to - 1]
    int64_t start, end;
    uint32_t place;
} made_thread;

typedef struct {
    measured_run *m;
    ARRAY_OF(made_thread) list;
} group_search;

static bool begins_thread(const measured_run *m, uint32_t x)
{
    uint32_t maker = m->r->makers[x];
    return kind_of(m, x) == TRACE_KIND_THREAD && !m->r->waits[x] && maker != 0 &&
           m->r->before[x] != maker && trace_place(m->t, maker) != trace_place(m->t, x);
}

// From the thread's first activity to the last one before another thread has its place.
static uint32_t add_thread(group_search *s, uint32_t place, uint32_t from)
{
    const measured_run *m = s->m;
    const replay *r = m->r;
    uint32_t to = from + 1, end = r->at_place[place + 1], first = r->by_place[from];
    bool meets = false;
    for (; to < end && !begins_thread(m, r->by_place[to]); to++)
        meets = meets || r->meetings[r->by_place[to]] != IOT_NONE;
    made_thread made = {.clause = clause_of(m, first), .place = place, .from = from, .to = to,
                        .maker = trace_place(m->t, r->makers[first]),
                        .start = replay_start(r, first), .end = replay_end(r, r->by_place[to - 1])};
    if (!meets)
        ARRAY_PUSH(s->list, made);
    return to;
}

static int by_maker(const void *a, const void *b)
{
    const made_thread *x = a, *y = b;
    if (x->clause != y->clause)
        return x->clause < y->clause ? -1 : 1;
    if (x->maker != y->maker)
        return x->maker < y->maker ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

// Threads list.at[from .. to - 1] are there at the same time.
static void add_group(group_search *s, size_t from, size_t to)
{
    measured_run *m = s->m;
    if (to - from < 2)
        return;
    for (size_t i = from; i < to; i++) {
        const made_thread *x = &s->list.at[i];
        ARRAY_PUSH(m->threads.list, ((segment){m->threads.n, x->place, x->from, x->to}));
    }
    m->threads.n++;
}

void iot_add_thread_groups(measured_run *m)
{
    group_search s = {.m = m};
    m->first_group = m->threads.n;
    for (uint32_t p = 0; p < m->r->nplaces; p++)
        for (uint32_t i = m->r->at_place[p]; i < m->r->at_place[p + 1];)
            i = begins_thread(m, m->r->by_place[i]) ? add_thread(&s, p, i) : i + 1;
    if (s.list.n > 0)
        qsort(s.list.at, s.list.n, sizeof *s.list.at, by_maker);
    size_t from = 0;
    int64_t first_end = 0;
    for (size_t i = 0; i < s.list.n; i++) {
        const made_thread *x = &s.list.at[i], *before = i > 0 ? &s.list.at[i - 1] : x;
        if (x->clause != before->clause || x->maker != before->maker || x->start >= first_end) {
            add_group(&s, from, i);
            from = i;
        }
        first_end = i == from || x->end < first_end ? x->end : first_end;
    }
    add_group(&s, from, s.list.n);
    free(s.list.at);
}

// What the thread does; *ret_waited: how long it waits for others, of the clause or, if that is IOT_NONE, of
// any.
static int64_t work_of(const measured_run *m, const segment *s, uint32_t clause, int64_t *ret_waited)
{
    int64_t work = 0;
    *ret_waited = 0;
    for (uint32_t i = s->from; i < s->to; i++) {
        uint32_t x = m->r->by_place[i];
        if (!m->r->waits[x])
            work += m->r->costs[x];
        else if (clause == IOT_NONE || lock_of(m, x) == clause)
            *ret_waited += waited(m, x);
    }
    return work;
}

enum { FEW = 20 }; // one part in so many of the work

bool iot_is_alone_in_group(const measured_run *m, uint32_t phase)
{
    const phases *all = &m->threads;
    int64_t work = 0, time;
    for (uint32_t k = all->first[phase]; k < all->first[phase + 1]; k++) {
        int64_t here = work_of(m, &all->list.at[k], IOT_NONE, &time);
        work = here > work ? here : work;
        if (time > work / FEW)
            return false;
    }
    return true;
}

bool iot_takes_over(const measured_run *m, uint32_t phase, uint32_t clause)
{
    const phases *all = &m->threads;
    int64_t least = INT64_MAX, most = 0, time, all_waits = 0;
    for (uint32_t k = all->first[phase]; k < all->first[phase + 1]; k++) {
        int64_t here = work_of(m, &all->list.at[k], clause, &time) + time;
        least = here < least ? here : least;
        most = here > most ? here : most;
        all_waits += time;
    }
    return all_waits > 0 && 5 * least > 4 * most;
}
