// SPDX-License-Identifier: MIT
//
// What the workers of a real run did beside reducing, and whether they had to.
#include "base/search.h"
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

#define SEVERAL UINT32_MAX // more workers than one

typedef struct {
    uint64_t time, goals;
    uint32_t worker;
} note;

// From `time` on, until the next one: who has goals to give. before: how long anybody had some until then.
typedef struct {
    uint64_t time, before;
    uint32_t having, worker; // workers; if it is one, which
} moment;

typedef struct {
    uint64_t from, to;
} stretch;

static int by_time(const void *a, const void *b)
{
    const note *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->worker < y->worker ? -1 : x->worker > y->worker;
}

// malloc'ed; the first one is of time 0. The numbers of those that have goals are kept as their sum, which
// is the number of the one if there is one.
static moment *find_moments(const trace_ready *ready, uint32_t n, uint32_t *ret_n)
{
    size_t total = 0, at = 0;
    for (uint32_t i = 0; i < n; i++)
        total += ready[i].n;
    note *notes = base_allocate(total + 1, sizeof *notes);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < ready[i].n; k++)
            notes[at++] = (note){ready[i].counts[k].time, ready[i].counts[k].goals, i};
    qsort(notes, total, sizeof *notes, by_time);
    moment *moments = base_allocate(total + 1, sizeof *moments);
    uint8_t *has = base_allocate(n, 1);
    uint64_t sum = 0;
    uint32_t found = 1;
    for (size_t k = 0; k < total; k++) {
        bool after = notes[k].goals >= TO_GIVE;
        moment x = moments[found - 1];
        if (has[notes[k].worker] == after)
            continue;
        has[notes[k].worker] = after;
        x.before += x.having > 0 ? notes[k].time - x.time : 0;
        x.time = notes[k].time;
        x.having += after ? 1 : UINT32_MAX;
        sum += after ? notes[k].worker : -(uint64_t)notes[k].worker;
        x.worker = x.having == 1 ? (uint32_t)sum : SEVERAL;
        moments[found++] = x;
    }
    free(has);
    free(notes);
    *ret_n = found;
    return moments;
}

// How long anybody had goals to give until then.
static uint64_t time_until(const moment *moments, uint32_t n, uint64_t time)
{
    size_t next;
    FIRST_NOT(next, n, i, moments[i].time <= time);
    const moment *x = &moments[next > 0 ? next - 1 : 0];
    return x->before + (x->having > 0 && time > x->time ? time - x->time : 0);
}

// How long the worker had no goal while another one had some to give. `own`: when only this one had.
static uint64_t without_goal(const trace_samples *s, uint32_t worker, const moment *moments, uint32_t n,
                             const stretch *own, uint32_t nown)
{
    const trace_sampled *w = &s->workers[worker];
    uint64_t at = 0, time = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < w->nruns; i++) {
        uint64_t end = at + (w->runs[i] >> 2) * s->every;
        unsigned state = w->runs[i] & 3;
        bool waits = state == TRACE_IDLE || state == TRACE_LOOKING;
        time += waits ? time_until(moments, n, end) - time_until(moments, n, at) : 0;
        while (first < nown && own[first].to <= at)
            first++;
        for (uint32_t k = first; waits && k < nown && own[k].from < end; k++)
            time -= (own[k].to < end ? own[k].to : end) - (own[k].from > at ? own[k].from : at);
        at = end;
    }
    return time;
}

// When each worker was the only one that had goals to give: those of worker i are
// (*ret)[first[i] .. first[i + 1]). Both malloc'ed.
static uint32_t *find_own(const moment *moments, uint32_t n, uint32_t workers, uint64_t end,
                          stretch **ret)
{
    uint32_t *first = base_allocate((size_t)workers + 2, sizeof *first);
    stretch *own = base_allocate((size_t)n + 1, sizeof *own);
    for (uint32_t k = 0; k < n; k++)
        if (moments[k].having == 1)
            first[moments[k].worker + 2]++;
    for (uint32_t i = 0; i < workers; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t k = 0; k < n; k++)
        if (moments[k].having == 1)
            own[first[moments[k].worker + 1]++] =
                (stretch){moments[k].time, k + 1 < n ? moments[k + 1].time : end};
    *ret = own;
    return first;
}

bool iot_goals_not_given(const iot *a, uint64_t *ret_time)
{
    const trace_samples *s = trace_get_samples(a->t);
    const trace_ready *ready;
    uint32_t n = trace_get_ready(a->t, &ready), nmoments;
    *ret_time = 0;
    if (!s || n == 0 || s->nworkers != n)
        return false;
    stretch *own;
    uint64_t end = s->n * s->every;
    moment *moments = find_moments(ready, n, &nmoments);
    uint32_t *first = find_own(moments, nmoments, n, end, &own);
    for (uint32_t i = 0; i < n; i++)
        *ret_time += without_goal(s, i, moments, nmoments, own + first[i], first[i + 1] - first[i]);
    free(first);
    free(own);
    free(moments);
    return true;
}
