// SPDX-License-Identifier: MIT
//
// Runs by the clock: the figures of modules; of measured runs waits with their causes. A wait is for
// the binding that was made last of those it reads: by the last thread at a barrier, by the holder
// of a lock. The cause is the activity in which that location was meanwhile.
#include "base/table.h"
#include "iotree/time/profile.h"

bool iot_has_real_time(const trace *t)
{
    return trace_get_clock(t) != TRACE_VIRTUAL;
}

int64_t iot_end(const iot *a, iot_clock clock)
{
    return clock == IOT_REAL_TIME && iot_has_real_time(a->t) ? trace_elapsed(a->t) : a->span;
}

static bool waits(const iot *a, uint32_t reduction)
{
    return trace_get_clause(a->t, trace_reduction_clause(a->t, reduction))->waits;
}

iot_module iot_module_by(const iot *analysis, iot_clock clock, uint32_t module)
{
    iot *a = (iot *)analysis;
    iot_module m = a->modules[module];
    if (clock == IOT_VIRTUAL_TIME || !iot_has_real_time(a->t))
        return m;
    const profile *p = iot_ensure_profile(a, clock);
    bool measured = trace_is_measured(a->t);
    m.first = m.last = 0;
    m.waiting = measured ? 0 : p->of[IOT_WAITING].levels[p->nlevels - 1][module].sum;
    m.peak = p->of[IOT_REDUCTIONS].levels[p->nlevels - 1][module].peak;
    const uint32_t *members;
    for (uint32_t i = 0; i < a->nprocesses; i++) {
        if (a->processes[i].module != module)
            continue;
        uint32_t n = iot_members(a, i, &members);
        for (uint32_t k = 0; k < n; k++) {
            int64_t first = trace_start(a->t, members[k]) + 1, last = trace_end(a->t, members[k]);
            bool waited = measured && waits(a, members[k]);
            m.busy += waited ? 0 : (uint64_t)(last + 1 - first);
            first = first > last ? last : first;
            m.first = m.last == 0 || first < m.first ? first : m.first;
            m.last = last > m.last ? last : m.last;
            if (waited)
                m.waiting += (uint64_t)(last - trace_start(a->t, members[k]));
        }
    }
    double work = (double)(measured ? m.work : m.busy);
    m.parallelism = m.last >= m.first && m.last > 0 ? work / (double)(m.last - m.first + 1) : 0;
    return m;
}

uint64_t iot_place_time(const iot *a)
{
    uint64_t time = 0;
    for (uint32_t r = 1; r < a->n && trace_is_measured(a->t); r++)
        time += (uint64_t)(trace_end(a->t, r) - trace_start(a->t, r));
    return time;
}

// ---------------------------------------------------------------------------------------------
// Waiting

enum { MOST_STEPS = 64 }; // back from what came last

static uint32_t module_of(const iot *a, uint32_t reduction)
{
    return a->processes[process_of(a, reduction)].module;
}

uint32_t iot_telling_predicate(const iot *a, uint32_t reduction)
{
    uint32_t predicate = trace_get_clause(a->t, trace_reduction_clause(a->t, reduction))->predicate;
    bool tells = trace_get_predicate(a->t, predicate)->kind == TRACE_KIND_COMPUTATION_BEFORE;
    return tells && iot_keeps_module(a, module_of(a, reduction), predicate) ? predicate : IOT_NONE;
}

typedef struct {
    uint32_t module, predicate; // IOT_NONE: its name says no more
    int64_t time;
} activity;

// The activity in which the location that came last spent most of the interval of the wait. maker:
// its last activity.
static activity meanwhile(const iot *a, uint32_t wait, uint32_t maker)
{
    activity kinds[MOST_STEPS];
    uint32_t n = 0, best = 0, place = trace_place(a->t, maker), r = maker;
    int64_t from = trace_start(a->t, wait), to = trace_end(a->t, wait);
    for (int i = 0;
         i < MOST_STEPS && r > 0 && trace_place(a->t, r) == place && trace_end(a->t, r) > from;
         i++) {
        int64_t start = trace_start(a->t, r), end = trace_end(a->t, r);
        int64_t overlap = (end < to ? end : to) - (start > from ? start : from);
        uint32_t k = 0, module = module_of(a, r), predicate = iot_telling_predicate(a, r);
        while (k < n && (kinds[k].module != module || kinds[k].predicate != predicate))
            k++;
        if (k == n)
            kinds[n++] = (activity){module, predicate, 0};
        kinds[k].time += overlap > 0 && !waits(a, r) ? overlap : 0;
        r = trace_goal_parent(a->t, trace_reduction_goal(a->t, r));
    }
    for (uint32_t k = 1; k < n; k++)
        best = kinds[k].time > kinds[best].time ? k : best;
    if (n > 0 && kinds[best].time > 0)
        return kinds[best];
    return (activity){module_of(a, maker), iot_telling_predicate(a, maker), 0};
}

// The cause of a wait: of the bindings that it reads, the one whose maker ended last by the clock.
// IOT_NONE: it reads nothing.
static activity cause_of(const iot *a, uint32_t reduction)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(a->t, reduction, &reads), last_maker = 0;
    int64_t last = -1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(a->t, reads[i]);
        uint32_t maker = binding == TRACE_NONE ? 0 : trace_binding_maker(a->t, binding);
        if (maker == 0 || trace_end(a->t, maker) < last)
            continue;
        last = trace_end(a->t, maker);
        last_maker = maker;
    }
    return last_maker > 0 ? meanwhile(a, reduction, last_maker)
                          : (activity){IOT_NONE, IOT_NONE, 0};
}

uint32_t iot_wait_cause(const iot *a, uint32_t reduction)
{
    return cause_of(a, reduction).module;
}

static int by_kind(const void *x, const void *y)
{
    const iot_waiting *a = x, *b = y;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->predicate != b->predicate)
        return a->predicate < b->predicate ? -1 : 1;
    if (a->cause != b->cause)
        return a->cause < b->cause ? -1 : 1;
    return a->cause_predicate < b->cause_predicate ? -1 : a->cause_predicate > b->cause_predicate;
}

static int by_time(const void *x, const void *y)
{
    const iot_waiting *a = x, *b = y;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return by_kind(x, y);
}

static void add_wait(iot *a, base_index *index, uint32_t r, size_t *room)
{
    activity cause = cause_of(a, r);
    iot_waiting row = {.module = a->processes[process_of(a, r)].module,
                       .predicate = trace_get_clause(a->t, trace_reduction_clause(a->t, r))->predicate,
                       .cause = cause.module,
                       .cause_predicate = cause.predicate};
    uint64_t hash = hash_word(hash_word(row.module, row.predicate),
                              (uint64_t)row.cause << 32 | row.cause_predicate);
    uint32_t found;
    INDEX_FIND(found, index, hash, i, by_kind(&a->waits.rows[i], &row) == 0);
    if (found == INDEX_NONE) {
        found = a->waits.n++;
        index_add(index, hash, found);
        if (found >= *room)
            a->waits.rows = base_resize(a->waits.rows, *room *= 2, sizeof row);
        a->waits.rows[found] = row;
    }
    a->waits.rows[found].count++;
    a->waits.rows[found].time += (uint64_t)(trace_end(a->t, r) - trace_start(a->t, r));
}

static void ensure_waits(iot *a)
{
    if (a->waits.known || !trace_is_measured(a->t))
        return;
    base_index index = {0};
    size_t room = 16;
    a->waits.rows = base_allocate(room, sizeof *a->waits.rows);
    for (uint32_t r = 1; r < a->n; r++)
        if (waits(a, r))
            add_wait(a, &index, r, &room);
    index_free(&index);
    if (a->waits.n > 0)
        qsort(a->waits.rows, a->waits.n, sizeof *a->waits.rows, by_time);
    a->waits.known = true;
}

uint32_t iot_nwaiting(const iot *analysis)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->lock);
    ensure_waits(a);
    pthread_mutex_unlock(&a->lock);
    return a->waits.n;
}

const iot_waiting *iot_get_waiting(const iot *a, uint32_t i)
{
    return &a->waits.rows[i];
}
