// SPDX-License-Identifier: MIT
//
// What the workers of a real run did beside reducing, and whether they had to.
#include "iotree/time/profile.h"
#include "profiler/samples.h"

bool iot_get_worker_states(const iot *a, uint32_t worker, uint64_t ret[4])
{
    const trace_samples *s = trace_get_samples(a->t);
    for (int k = 0; k < TRACE_STATES; k++)
        ret[k] = 0;
    if (!s || worker >= s->nworkers)
        return false;
    for (uint32_t i = 0; i < s->workers[worker].nruns; i++)
        ret[s->workers[worker].runs[i] & 3] += (s->workers[worker].runs[i] >> 2) * s->every;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Goals that others had

enum { TO_GIVE = 2 }; // a worker needs one itself

// When some worker had goals to give, as stretches in order of time.
typedef struct {
    uint64_t from, to;
} stretch;

typedef struct {
    const trace_ready *ready;
    uint32_t next, worker;
    uint64_t goals;
} reader;

// Of the workers but one: the times at which they begin or end to have goals to give. Each list is in order
// of time, so the next one is the earliest of all heads.
static reader *earliest(reader *readers, uint32_t n)
{
    reader *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        reader *r = &readers[i];
        if (r->next < r->ready->n &&
            (!first || r->ready->counts[r->next].time < first->ready->counts[first->next].time))
            first = r;
    }
    return first;
}

static uint32_t find_stretches(const trace_ready *ready, uint32_t n, uint32_t without, uint64_t end,
                               stretch **ret)
{
    reader *readers = base_allocate(n, sizeof *readers);
    uint32_t nreaders = 0, having = 0, found = 0;
    size_t room = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (i != without)
            readers[nreaders++] = (reader){&ready[i], 0, i, 0};
        room += ready[i].n;
    }
    stretch *list = base_allocate(room, sizeof *list);
    for (reader *r; (r = earliest(readers, nreaders));) {
        const trace_ready_count *c = &r->ready->counts[r->next++];
        bool before = r->goals >= TO_GIVE, after = c->goals >= TO_GIVE;
        r->goals = c->goals;
        if (!before && after && having++ == 0)
            list[found++] = (stretch){c->time, end};
        else if (before && !after && --having == 0)
            list[found - 1].to = c->time;
    }
    free(readers);
    *ret = list;
    return found;
}

static uint64_t overlap(uint64_t from, uint64_t to, const stretch *s)
{
    uint64_t first = from > s->from ? from : s->from, last = to < s->to ? to : s->to;
    return last > first ? last - first : 0;
}

// How long the worker had no goal within the stretches.
static uint64_t without_goal(const trace_samples *s, uint32_t worker, const stretch *list, uint32_t n)
{
    const trace_sampled *w = &s->workers[worker];
    uint64_t at = 0, time = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < w->nruns; i++) {
        uint64_t end = at + (w->runs[i] >> 2) * s->every;
        unsigned state = w->runs[i] & 3;
        while (first < n && list[first].to <= at)
            first++;
        for (uint32_t k = first; k < n && list[k].from < end; k++)
            if (state == TRACE_IDLE || state == TRACE_LOOKING)
                time += overlap(at, end, &list[k]);
        at = end;
    }
    return time;
}

bool iot_goals_not_given(const iot *a, uint64_t *ret_time)
{
    const trace_samples *s = trace_get_samples(a->t);
    const trace_ready *ready;
    uint32_t n = trace_get_ready(a->t, &ready);
    *ret_time = 0;
    if (!s || n == 0 || s->nworkers != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        stretch *list;
        uint32_t found = find_stretches(ready, n, i, s->n * s->every, &list);
        *ret_time += without_goal(s, i, list, found);
        free(list);
    }
    return true;
}
