// SPDX-License-Identifier: MIT
//
// Executions of routines, loops and I/O statements as intervals. The bridge tells of each interval
// how many executions were open: depth(N) if it is the innermost one's own, within(N) if it is in
// something else there, as a barrier or a call of MPI.
#include "paf/model/timeline.h"
#include "base/search.h"

// How many executions the activity is in.
static uint32_t depth_of(const trace *t, uint32_t reduction, bool *ret_own)
{
    uint32_t goal = trace_reduction_goal(t, reduction);
    *ret_own = false;
    if (trace_get_predicate(t, trace_goal_predicate(t, goal))->arity == 0)
        return 0;
    trace_value v = trace_goal_arg(t, goal, 0), depth;
    uint32_t string;
    if (v.kind != TV_CELL || !trace_cell_pair(t, v.id, &string, &depth))
        return 0;
    trace_key key = trace_string_key(t, string);
    *ret_own = key == TRACE_KEY_DEPTH;
    if ((!*ret_own && key != TRACE_KEY_WITHIN) || depth.kind != TV_INT || depth.i < 0)
        return 0;
    return (uint32_t)MIN(depth.i, UINT32_MAX);
}

// What is open at a place, outermost first, and what has ended, by level.
typedef struct {
    paf_execution open[PAF_LEVELS];
    uint32_t nopen;
    GArray *ended[PAF_LEVELS];
} place_now;

static void end_deeper(place_now *p, uint32_t depth, int64_t time)
{
    while (p->nopen > depth) {
        paf_execution *x = &p->open[--p->nopen];
        x->end = time;
        g_array_append_val(p->ended[p->nopen], *x);
    }
}

static void take_activity(place_now *p, const paf_timeline *l, const iot *a, uint32_t r)
{
    bool own;
    uint32_t depth = depth_of(l->t, r, &own), shown = MIN(depth, PAF_LEVELS);
    uint32_t module = iot_module_of_goal(a, trace_reduction_goal(l->t, r));
    int64_t start = trace_start(l->t, r);
    own = own && depth == shown && depth > 0;
    end_deeper(p, shown, start);
    // Another one began without time in between.
    if (own && p->nopen == depth && p->open[depth - 1].module != IOT_NONE &&
        p->open[depth - 1].module != module)
        end_deeper(p, depth - 1, start);
    while (p->nopen < shown)
        p->open[p->nopen++] = (paf_execution){.start = start, .module = IOT_NONE, .reduction = r};
    if (own && p->open[depth - 1].module == IOT_NONE) {
        p->open[depth - 1].module = module;
        p->open[depth - 1].reduction = r;
    }
}

static void take_place(place_now *p, const paf_timeline *l, const iot *a, uint32_t place)
{
    int64_t last = INT64_MIN;
    for (uint32_t i = l->first_of[place]; i < l->first_of[place + 1]; i++) {
        uint32_t r = l->by_place[i];
        if (trace_start(l->t, r) > last) // of what was in between nothing is known
            end_deeper(p, 0, last);
        take_activity(p, l, a, r);
        last = trace_end(l->t, r);
    }
    end_deeper(p, 0, last);
}

static uint32_t count_levels(const paf_timeline *l)
{
    uint32_t most = 0;
    for (uint32_t r = 1; r < trace_nreductions(l->t) && most < PAF_LEVELS; r++) {
        bool own;
        most = MAX(most, depth_of(l->t, r, &own));
    }
    return MIN(most, PAF_LEVELS);
}

void paf_find_executions(paf_timeline *l, const iot *a)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(paf_execution));
    place_now p = {.nopen = 0};
    l->nlevels = count_levels(l);
    l->first_execution = g_new0(uint32_t, (size_t)l->nplaces * l->nlevels + 1);
    for (uint32_t k = 0; k < l->nlevels; k++)
        p.ended[k] = g_array_new(FALSE, FALSE, sizeof(paf_execution));
    for (uint32_t place = 0; place < l->nplaces && l->nlevels > 0; place++) {
        take_place(&p, l, a, place);
        for (uint32_t k = 0; k < l->nlevels; k++) {
            g_array_append_vals(all, p.ended[k]->data, p.ended[k]->len);
            g_array_set_size(p.ended[k], 0);
            l->first_execution[(size_t)place * l->nlevels + k + 1] = all->len;
        }
    }
    for (uint32_t k = 0; k < l->nlevels; k++)
        g_array_unref(p.ended[k]);
    l->executions = (paf_execution *)(void *)g_array_free(all, FALSE);
}

uint32_t paf_timeline_execution(const paf_timeline *l, uint32_t place, uint32_t level, double time)
{
    size_t at = (size_t)place * l->nlevels + level;
    uint32_t base = l->first_execution[at], n = l->first_execution[at + 1] - base;
    size_t first;
    FIRST_NOT(first, n, i, (double)l->executions[base + i].end <= time);
    return base + (uint32_t)first;
}
