// SPDX-License-Identifier: MIT
//
// All times of a run computed again under one change. batches.c does the same for many.
#include <math.h>

#include "iotree/prices/waits.h"

// What is left of a change while the pass goes through the run.
typedef struct {
    const wait_graph *g;
    const wait_change *c;
    const wait_edit *wait, *waits_end;
    const wait_added *added, *added_end;
    const reduction_edit *reduction, *reductions_end;
    uint32_t far, relay; // the next of each
    double *times;       // by reduction, then by relay
} rerun;

static rerun begin_rerun(const wait_graph *g, const wait_change *c, double *times)
{
    rerun w = {.g = g, .c = c, .times = times, .wait = c->waits, .reduction = c->reductions};
    w.added = c->added;
    w.added_end = c->nadded ? c->added + c->nadded : c->added;
    w.waits_end = c->nwaits ? c->waits + c->nwaits : c->waits;
    w.reductions_end = c->nreductions ? c->reductions + c->nreductions : c->reductions;
    return w;
}

// The latest of the times that a reduction waits for, from this time on.
static double latest_wait(rerun *w, uint32_t r, double latest)
{
    const wait_graph *g = w->g;
    for (uint64_t i = g->first[r], end = g->first[r + 1]; i < end; i++) {
        uint32_t maker = g->makers[i];
        if (w->wait != w->waits_end && w->wait->wait == i)
            maker = w->wait++->maker;
        else if (w->c->without_kinds && bit_get(w->c->without_kinds, g->kinds[i]))
            continue;
        if (maker < r && w->times[maker] > latest)
            latest = w->times[maker];
    }
    for (; w->added != w->added_end && w->added->reader == r; w->added++)
        if (w->added->maker < r && w->times[w->added->maker] > latest)
            latest = w->times[w->added->maker];
    for (; w->far < g->nfar_waits && g->far_waits[w->far].reader == r; w->far++) {
        const far_wait *f = &g->far_waits[w->far];
        if (!(w->c->without_kinds && bit_get(w->c->without_kinds, f->kind)) &&
            w->times[g->n + f->relay] > latest)
            latest = w->times[g->n + f->relay];
    }
    return latest;
}

static void relay_times(rerun *w, uint32_t r)
{
    const wait_graph *g = w->g;
    for (; w->relay < g->nrelays && g->relays[w->relay].at == r; w->relay++) {
        double latest = 0;
        for (uint32_t i = g->relays[w->relay].first; i < g->relays[w->relay + 1].first; i++)
            latest = w->times[g->inputs[i]] > latest ? w->times[g->inputs[i]] : latest;
        w->times[g->n + w->relay] = latest;
    }
}

static double new_time(rerun *w, uint32_t r)
{
    uint32_t parent = w->g->parents[r];
    double cost = w->c->costs ? w->c->costs[r] : (double)wait_cost(w->g, r);
    if (w->reduction != w->reductions_end && w->reduction->reduction == r) {
        const reduction_edit *edit = w->reduction++;
        parent = edit->parent < r ? edit->parent : parent;
        cost = edit->cost >= 0 ? edit->cost : cost;
    }
    return cost + latest_wait(w, r, w->times[parent]);
}

double iot_times_under(const wait_graph *g, const wait_change *change, double *times)
{
    rerun w = begin_rerun(g, change, times);
    double span = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        times[r] = new_time(&w, r);
        relay_times(&w, r);
        span = times[r] > span ? times[r] : span;
    }
    return span;
}

double iot_span_under(const wait_graph *g, const wait_change *change, int64_t *ret_times)
{
    double *times = base_allocate((size_t)g->n + g->nrelays, sizeof *times);
    double span = iot_times_under(g, change, times);
    for (uint32_t r = 0; ret_times && r < g->n; r++)
        ret_times[r] = llround(times[r]);
    free(times);
    return span;
}

void iot_free_change(wait_change *change)
{
    free(change->without_kinds);
    free(change->waits);
    free(change->added);
    free(change->reductions);
    free(change->costs);
    *change = (wait_change){0};
}
