// SPDX-License-Identifier: MIT
//
// The time that a measured run takes under a change: one pass over the activities.
#include "iotree/prices/replay_private.h"

typedef struct {
    const replay *r;
    const int64_t *costs, *gaps;
    const uint32_t *sources;
    const uint8_t *free;
    int64_t *ends;   // by activity
    int64_t *over;   // by meeting: when all have come
} pass;

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_free(const pass *p, uint32_t i)
{
    return p->free && (p->free[i / 8] >> i % 8 & 1);
}

static int64_t start_of(const pass *p, uint32_t i)
{
    const replay *r = p->r;
    int64_t ready = p->ends[r->makers[i]];
    if (r->before[i] != IOT_NONE)
        ready = later(ready, p->ends[r->before[i]]);
    if (!r->waits[i] && r->first[i] < r->first[i + 1] && !is_free(p, i)) {
        int64_t began = trace_start(r->t, i);
        for (uint64_t k = r->first[i]; k < r->first[i + 1]; k++)
            if (p->sources[k] != IOT_NONE && trace_end(r->t, r->sources[k]) <= began)
                ready = later(ready, p->ends[p->sources[k]]);
    }
    return later(ready + p->gaps[i], 0);
}

static int64_t end_of_wait(const pass *p, uint32_t i)
{
    const replay *r = p->r;
    int64_t all = start_of(p, i);
    if (!is_free(p, i)) {
        for (uint64_t k = r->first[i]; k < r->first[i + 1]; k++)
            if (p->sources[k] != IOT_NONE)
                all = later(all, p->ends[p->sources[k]]);
        if (r->meetings[i] != IOT_NONE)
            all = later(all, p->over[r->meetings[i]]);
    }
    return all + p->costs[i];
}

// What ended while the activity ran is needed from then on.
static int64_t end_of_work(const pass *p, uint32_t i)
{
    const replay *r = p->r;
    int64_t end = start_of(p, i) + p->costs[i];
    if (r->first[i] == r->first[i + 1] || is_free(p, i))
        return end;
    int64_t began = trace_start(r->t, i), ended = trace_end(r->t, i);
    for (uint64_t k = r->first[i]; k < r->first[i + 1]; k++) {
        if (p->sources[k] == IOT_NONE || r->sources[k] == IOT_NONE)
            continue;
        int64_t there = trace_end(r->t, r->sources[k]), rest = ended - there;
        if (there > began)
            end = later(end, p->ends[p->sources[k]] + (rest < p->costs[i] ? rest : p->costs[i]));
    }
    return end;
}

static int64_t meeting_over(const pass *p, uint32_t meeting)
{
    const replay *r = p->r;
    int64_t last = 0;
    for (uint32_t k = r->first_member[meeting]; k < r->first_member[meeting + 1]; k++)
        if (!is_free(p, r->members[k]))
            last = later(last, start_of(p, r->members[k]));
    return last;
}

static int64_t run(pass *p)
{
    const replay *r = p->r;
    int64_t elapsed = 0;
    p->ends[0] = 0;
    for (uint32_t k = 0; k < r->norder; k++) {
        uint32_t i = r->order[k];
        if (i >= r->n) {
            p->over[i - r->n] = meeting_over(p, i - r->n);
            continue;
        }
        if (i == 0)
            continue;
        p->ends[i] = r->waits[i] ? end_of_wait(p, i) : end_of_work(p, i);
        elapsed = later(elapsed, p->ends[i]);
    }
    return elapsed;
}

int64_t iot_elapsed_under(const replay *r, const replay_change *change, int64_t *ret_ends)
{
    int64_t shared;
    if (r->shares && iot_elapsed_shared(r, change, &shared, NULL, ret_ends))
        return shared;
    pass p = {.r = r,
              .costs = change->costs ? change->costs : r->costs,
              .gaps = change->gaps ? change->gaps : r->gaps,
              .sources = change->sources ? change->sources : r->sources,
              .free = change->free,
              .ends = ret_ends ? ret_ends : base_allocate((size_t)r->n + 1, sizeof *p.ends),
              .over = base_allocate((size_t)r->nmeetings + 1, sizeof *p.over)};
    int64_t elapsed = run(&p);
    if (!ret_ends)
        free(p.ends);
    free(p.over);
    return elapsed;
}

void iot_replay_times(const replay *r, int64_t *ret_starts, int64_t *ret_ends)
{
    int64_t elapsed;
    if (r->shares && iot_elapsed_shared(r, &(replay_change){0}, &elapsed, ret_starts, ret_ends))
        return;
    pass p = {.r = r,
              .costs = r->costs,
              .gaps = r->gaps,
              .sources = r->sources,
              .ends = ret_ends,
              .over = base_allocate((size_t)r->nmeetings + 1, sizeof *p.over)};
    run(&p);
    for (uint32_t i = 1; i < r->n; i++)
        ret_starts[i] = start_of(&p, i);
    free(p.over);
}

bool iot_elapsed_under_each(const replay *r, replay_editor *edit, const void *edit_data, uint32_t n,
                            int64_t *ret_elapsed, iot_progress progress, void *data)
{
    size_t nbits = r->n / 8 + 1, nsources = (size_t)r->first[r->n] + 1, size = (size_t)r->n + 1;
    replay_edit e = {.free = base_allocate(nbits, 1),
                     .costs = base_allocate(size, sizeof *e.costs),
                     .gaps = base_allocate(size, sizeof *e.gaps),
                     .sources = base_allocate(nsources, sizeof *e.sources)};
    bool on = true;
    for (uint32_t i = 0; on && i < n; i++) {
        memset(e.free, 0, nbits);
        memcpy(e.costs, r->costs, r->n * sizeof *e.costs);
        memcpy(e.gaps, r->gaps, r->n * sizeof *e.gaps);
        memcpy(e.sources, r->sources, (nsources - 1) * sizeof *e.sources);
        edit(edit_data, i, r, &e);
        replay_change change = {e.free, e.costs, e.gaps, e.sources};
        ret_elapsed[i] = iot_elapsed_under(r, &change, NULL);
        on = !progress || progress(data, (double)(i + 1) / n);
    }
    free(e.free);
    free(e.costs);
    free(e.gaps);
    free(e.sources);
    return on;
}
