// SPDX-License-Identifier: MIT
//
// One pass over the activities of the stretch: each belongs to all that was open at its place then.
#include "paf/model/calls.h"

#include <stdlib.h>
#include <string.h>

#define DENSE 512u // modules whose pairs have an array

typedef struct {
    const paf_timeline *l;
    const iot *a;
    paf_calls *calls;
    uint32_t nmodules;
    paf_called **of;      // by module; NULL: not seen
    uint32_t *seen;     // by module: the activity that it was counted for
    uint32_t activity;  // counted from 1
    int64_t *pairs;     // [caller * nmodules + callee], or NULL:
    GHashTable *sparse; // the same by key
    uint32_t *at;       // by level: the execution looked at
} counting;

static paf_called *call_of(counting *c, uint32_t module)
{
    if (!c->of[module]) {
        paf_called *call = c->of[module] = g_new0(paf_called, 1);
        call->module = module;
        call->inside = g_new0(double, c->calls->ncells);
        call->waits = g_new0(double, c->calls->ncells);
        call->own = g_new0(double, c->calls->ncells);
    }
    return c->of[module];
}

static void add_pair(counting *c, uint32_t caller, uint32_t callee, int64_t time)
{
    gint64 key = (gint64)caller * c->nmodules + callee;
    if (c->pairs) {
        c->pairs[key] += time;
        return;
    }
    int64_t *sum = g_hash_table_lookup(c->sparse, &key);
    if (!sum) {
        sum = g_new0(int64_t, 1);
        g_hash_table_insert(c->sparse, g_memdup2(&key, sizeof key), sum);
    }
    *sum += time;
}

// The modules of the executions that the activity is in, the outermost first, and its own.
static uint32_t path_of(counting *c, uint32_t place, uint32_t r, uint32_t path[PAF_LEVELS + 1])
{
    const paf_timeline *l = c->l;
    uint32_t n = 0, own = iot_module_of_goal(c->a, trace_reduction_goal(l->t, r));
    int64_t start = paf_timeline_start(l, r), end = paf_timeline_end(l, r);
    for (uint32_t level = 0; level < l->nlevels; level++) {
        uint32_t behind = l->first_execution[(size_t)place * l->nlevels + level + 1];
        while (c->at[level] < behind && l->executions[c->at[level]].end <= start)
            c->at[level]++;
        const paf_execution *x = c->at[level] < behind ? &l->executions[c->at[level]] : NULL;
        if (!x || x->start > start || x->end < end)
            break;
        if (x->module != IOT_NONE)
            path[n++] = x->module;
    }
    if (n == 0 || path[n - 1] != own)
        path[n++] = own;
    return n;
}

// A pair that is in the path twice counts once.
static bool is_first(const uint32_t *path, uint32_t i)
{
    for (uint32_t k = 1; k < i; k++)
        if (path[k - 1] == path[i - 1] && path[k] == path[i])
            return false;
    return path[i] != path[i - 1];
}

static void add_activity(counting *c, uint32_t place, uint32_t r, int64_t time)
{
    uint32_t path[PAF_LEVELS + 1], n = path_of(c, place, r, path), cell = place / c->calls->each;
    bool waits = paf_interval_waits(paf_interval_of(c->l, r));
    c->activity++;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && is_first(path, i))
            add_pair(c, path[i - 1], path[i], time);
        if (c->seen[path[i]] == c->activity)
            continue;
        c->seen[path[i]] = c->activity;
        paf_called *call = call_of(c, path[i]);
        call->inclusive += time;
        call->waiting += waits ? time : 0;
        call->inside[cell] += (double)time;
        call->waits[cell] += waits ? (double)time : 0;
    }
    paf_called *own = call_of(c, path[n - 1]);
    own->exclusive += time;
    own->own[cell] += waits ? 0 : (double)time;
}

static void add_place(counting *c, uint32_t place)
{
    const paf_timeline *l = c->l;
    int64_t from = c->calls->from, to = c->calls->to;
    for (uint32_t level = 0; level < l->nlevels; level++)
        c->at[level] = paf_timeline_execution(l, place, level, (double)from);
    for (uint32_t i = paf_timeline_at(l, place, (double)from); i < l->first_of[place + 1]; i++) {
        uint32_t r = l->by_place[i];
        int64_t start = paf_timeline_start(l, r), end = paf_timeline_end(l, r);
        if (start >= to)
            break;
        if (MIN(end, to) > MAX(start, from))
            add_activity(c, place, r, MIN(end, to) - MAX(start, from));
    }
}

// ---------------------------------------------------------------------------------------------
// In order

static int most_inclusive(const void *x, const void *y)
{
    const paf_called *a = x, *b = y;
    if (a->inclusive != b->inclusive)
        return a->inclusive > b->inclusive ? -1 : 1;
    return a->module < b->module ? -1 : a->module > b->module;
}

static int by_caller(const void *x, const void *y)
{
    const paf_callee *a = x, *b = y;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return a->callee < b->callee ? -1 : a->callee > b->callee;
}

static void collect_callees(counting *c)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(paf_callee));
    uint32_t n = c->nmodules;
    for (size_t i = 0; c->pairs && i < (size_t)n * n; i++) {
        paf_callee pair = {(uint32_t)(i / n), (uint32_t)(i % n), c->pairs[i]};
        if (pair.time > 0)
            g_array_append_val(all, pair);
    }
    GHashTableIter iterator;
    gpointer key, time;
    if (c->sparse) {
        g_hash_table_iter_init(&iterator, c->sparse);
        while (g_hash_table_iter_next(&iterator, &key, &time)) {
            gint64 pair = *(gint64 *)key;
            paf_callee row = {(uint32_t)(pair / n), (uint32_t)(pair % n), *(int64_t *)time};
            g_array_append_val(all, row);
        }
    }
    c->calls->ncallees = all->len;
    c->calls->callees = (paf_callee *)(void *)g_array_free(all, FALSE);
    if (c->calls->ncallees)
        qsort(c->calls->callees, c->calls->ncallees, sizeof *c->calls->callees, by_caller);
}

static void collect_calls(counting *c)
{
    paf_calls *calls = c->calls;
    calls->calls = g_new0(paf_called, c->nmodules + 1);
    for (uint32_t i = 0, k = 0; i < c->nmodules; i++) {
        paf_called *call = c->of[i];
        while (k < calls->ncallees && calls->callees[k].caller < i)
            k++;
        if (!call)
            continue;
        call->first_callee = k;
        while (k < calls->ncallees && calls->callees[k].caller == i)
            k++;
        call->ncallees = k - call->first_callee;
        for (uint32_t cell = 0; cell < calls->ncells; cell++) {
            uint32_t places = MIN(calls->each, calls->nplaces - cell * calls->each);
            call->inside[cell] /= places;
            call->waits[cell] /= places;
            call->own[cell] /= places;
        }
        calls->calls[calls->n++] = *call;
        g_free(call);
    }
    qsort(calls->calls, calls->n, sizeof *calls->calls, most_inclusive);
}

static paf_calls *count_all(const paf_timeline *l, const iot *a, int64_t from, int64_t to)
{
    paf_calls *calls = g_new0(paf_calls, 1);
    counting c = {.l = l, .a = a, .calls = calls, .nmodules = iot_nmodules(a)};
    *calls = (paf_calls){.from = from, .to = to, .nplaces = l->nplaces};
    calls->each = MAX((l->nplaces + PAF_CALL_CELLS - 1) / PAF_CALL_CELLS, 1);
    calls->ncells = (l->nplaces + calls->each - 1) / calls->each;
    c.of = g_new0(paf_called *, c.nmodules + 1);
    c.seen = g_new0(uint32_t, c.nmodules + 1);
    c.at = g_new0(uint32_t, l->nlevels + 1);
    c.pairs = c.nmodules <= DENSE ? g_new0(int64_t, (size_t)c.nmodules * c.nmodules + 1) : NULL;
    c.sparse = c.pairs ? NULL : g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    for (uint32_t place = 0; place < l->nplaces; place++)
        add_place(&c, place);
    collect_callees(&c);
    collect_calls(&c);
    if (c.sparse)
        g_hash_table_unref(c.sparse);
    g_free(c.pairs);
    g_free(c.at);
    g_free(c.seen);
    g_free(c.of);
    return calls;
}

const paf_calls *paf_calls_within(paf_timeline *l, const iot *a, int64_t from, int64_t to)
{
    if (!l->calls || l->calls->from != from || l->calls->to != to) {
        paf_calls_free(l->calls);
        l->calls = count_all(l, a, from, to);
    }
    return l->calls;
}

void paf_calls_free(paf_calls *calls)
{
    if (!calls)
        return;
    for (uint32_t i = 0; i < calls->n; i++) {
        g_free(calls->calls[i].inside);
        g_free(calls->calls[i].waits);
        g_free(calls->calls[i].own);
    }
    g_free(calls->calls);
    g_free(calls->callees);
    g_free(calls);
}

const paf_called *paf_call_of(const paf_calls *calls, uint32_t module)
{
    for (uint32_t i = 0; i < calls->n; i++)
        if (calls->calls[i].module == module)
            return &calls->calls[i];
    return NULL;
}

bool paf_call_runs(const paf_called *call)
{
    return call->inclusive > call->waiting;
}

double paf_call_time(const paf_called *call, uint32_t cell)
{
    return paf_call_runs(call) ? call->inside[cell] - call->waits[cell] : call->waits[cell];
}

double paf_call_imbalance(const paf_calls *calls, const paf_called *call, uint32_t *ret_cell)
{
    double sum = 0, most = 0;
    *ret_cell = 0;
    for (uint32_t i = 0; i < calls->ncells; i++) {
        double time = paf_call_time(call, i);
        sum += time;
        if (time > most) {
            most = time;
            *ret_cell = i;
        }
    }
    return sum > 0 ? most * calls->ncells / sum : 0;
}
