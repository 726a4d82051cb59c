// SPDX-License-Identifier: MIT
//
// The critical path under a change (spared.h).
#include "iotree/prices/spared.h"

#include "base/search.h"

enum { MOST_LOOKED_AT = 8192 }; // steps of a path

// Two changes at once, looked up reduction by reduction. What counts of two edits of one thing is as in
// change_of_both().
typedef struct {
    const wait_graph *g;
    const wait_change *of[2]; // NULL: none
    const double *times;
} look_up;

typedef struct {
    uint32_t at;   // a reduction, or n + a relay: the last one that is waited for
    double begins; // when that is there
    double cost;
} start;

// Leaves out the wait, or gives it an older maker. False: left out.
static bool edited_maker(const look_up *l, uint64_t wait, uint32_t *maker)
{
    bool edited = false, out = false;
    uint32_t oldest = IOT_NONE;
    for (int i = 0; i < 2; i++) {
        const wait_change *c = l->of[i];
        size_t k;
        if (!c)
            continue;
        FIRST_NOT(k, c->nwaits, j, c->waits[j].wait < wait);
        if (k < c->nwaits && c->waits[k].wait == wait) {
            edited = true;
            out |= c->waits[k].maker == IOT_NONE;
            oldest = c->waits[k].maker < oldest ? c->waits[k].maker : oldest;
        }
    }
    if (edited)
        *maker = oldest;
    for (int i = 0; i < 2 && !edited; i++)
        out |= l->of[i] && l->of[i]->without_kinds &&
               bit_get(l->of[i]->without_kinds, l->g->kinds[wait]);
    return !out;
}

static void wait_for(const look_up *l, start *s, uint32_t at)
{
    if (l->times[at] > s->begins) {
        s->begins = l->times[at];
        s->at = at;
    }
}

static void wait_for_added(const look_up *l, start *s, const wait_change *c, uint32_t r)
{
    size_t k;
    FIRST_NOT(k, c->nadded, j, c->added[j].reader < r);
    for (; k < c->nadded && c->added[k].reader == r; k++)
        if (c->added[k].maker < r)
            wait_for(l, s, c->added[k].maker);
}

static void wait_for_far(const look_up *l, start *s, uint32_t r)
{
    const wait_graph *g = l->g;
    size_t k;
    FIRST_NOT(k, g->nfar_waits, j, g->far_waits[j].reader < r);
    for (; k < g->nfar_waits && g->far_waits[k].reader == r; k++) {
        bool out = false;
        for (int i = 0; i < 2; i++)
            out |= l->of[i] && l->of[i]->without_kinds &&
                   bit_get(l->of[i]->without_kinds, g->far_waits[k].kind);
        if (!out)
            wait_for(l, s, g->n + g->far_waits[k].relay);
    }
}

// The parent and the cost that the reduction has under both.
static uint32_t edited_reduction(const look_up *l, uint32_t r, double *cost)
{
    uint32_t parent = l->g->parents[r];
    double given = -1;
    *cost = (double)wait_cost(l->g, r);
    for (int i = 0; i < 2; i++) {
        const wait_change *c = l->of[i];
        size_t k;
        if (!c)
            continue;
        if (c->costs && c->costs[r] < *cost)
            *cost = c->costs[r];
        FIRST_NOT(k, c->nreductions, j, c->reductions[j].reduction < r);
        if (k == c->nreductions || c->reductions[k].reduction != r)
            continue;
        parent = c->reductions[k].parent < parent ? c->reductions[k].parent : parent;
        if (c->reductions[k].cost >= 0 && (given < 0 || c->reductions[k].cost < given))
            given = c->reductions[k].cost;
    }
    *cost = given >= 0 ? given : *cost;
    return parent;
}

static start start_of(const look_up *l, uint32_t r)
{
    start s = {.begins = -1};
    wait_for(l, &s, edited_reduction(l, r, &s.cost));
    for (uint64_t w = l->g->first[r]; w < l->g->first[r + 1]; w++) {
        uint32_t maker = l->g->makers[w];
        if (edited_maker(l, w, &maker) && maker < r)
            wait_for(l, &s, maker);
    }
    for (int i = 0; i < 2; i++)
        if (l->of[i])
            wait_for_added(l, &s, l->of[i], r);
    wait_for_far(l, &s, r);
    return s;
}

// The reduction that a relay waited for.
static uint32_t behind_relays(const look_up *l, uint32_t at)
{
    const wait_graph *g = l->g;
    while (at >= g->n) {
        uint32_t relay = at - g->n;
        start s = {.begins = -1};
        for (uint32_t i = g->relays[relay].first; i < g->relays[relay + 1].first; i++)
            wait_for(l, &s, g->inputs[i]);
        at = s.at;
    }
    return at;
}

uint32_t *iot_path_under(const wait_graph *g, const wait_change *change, const double *times,
                         uint32_t *ret_n)
{
    look_up l = {.g = g, .of = {change, NULL}, .times = times};
    ARRAY_OF(uint32_t) path = {0};
    uint32_t last = 0;
    for (uint32_t r = 1; r < g->n; r++)
        last = times[r] > times[last] ? r : last;
    for (uint32_t r = last; r != 0; r = behind_relays(&l, start_of(&l, r).at))
        ARRAY_PUSH(path, r);
    *ret_n = (uint32_t)path.n;
    return path.at;
}

static bool is_edited(const wait_graph *g, const wait_change *c, uint32_t r)
{
    size_t k;
    FIRST_NOT(k, c->nreductions, j, c->reductions[j].reduction < r);
    bool edited = (k < c->nreductions && c->reductions[k].reduction == r) ||
                  (c->costs && c->costs[r] < (double)wait_cost(g, r));
    FIRST_NOT(k, c->nwaits, j, c->waits[j].wait < g->first[r]);
    edited |= k < c->nwaits && c->waits[k].wait < g->first[r + 1];
    for (uint64_t w = g->first[r]; w < g->first[r + 1] && c->without_kinds && !edited; w++)
        edited = bit_get(c->without_kinds, g->kinds[w]);
    return edited;
}

// Spreads the steps that are looked at so that no rhythm of a loop hides its other steps.
static bool is_looked_at(uint32_t step, uint32_t n)
{
    uint32_t spread = step * 2654435769u;
    return n <= MOST_LOOKED_AT || (uint64_t)spread * n >> 32 < MOST_LOOKED_AT;
}

double iot_spared_on_path(const wait_graph *g, const wait_change *first, const wait_change *second,
                          const double *times, const uint32_t *path, uint32_t n)
{
    look_up l = {.g = g, .of = {first, second}, .times = times};
    double spared = 0;
    uint32_t looked_at = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_looked_at(i, n))
            continue;
        start s = start_of(&l, path[i]);
        double gained = times[path[i]] - s.begins - s.cost, cost = (double)wait_cost(g, path[i]);
        if (is_edited(g, second, path[i]))
            gained = gained > cost ? gained : cost;
        spared += gained > 0 ? gained : 0;
        looked_at++;
    }
    return looked_at ? spared * n / looked_at : 0;
}
