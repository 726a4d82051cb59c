// SPDX-License-Identifier: MIT
#include "kpx-bridge/imports/lanes.h"

#include <stdlib.h>

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

char *kpx_import_name(const char *text)
{
    base_text valid = {0};
    for (size_t n = strlen(text), at = 0; at < n;)
        text_add_code(&valid, utf8_next(text, n, &at));
    char *name = text_finish(&valid), *escaped = base_printable(name);
    if (!escaped)
        return name;
    free(name);
    return escaped;
}

uint32_t kpx_lane_add(kpx_lanes *l, const char *place)
{
    ARRAY_PUSH(l->list, ((kpx_lane){.place = kpx_add_place(l->m, place), .last = KPX_NONE}));
    return (uint32_t)l->list.n - 1;
}

kpx_slice *kpx_lane_top(kpx_lanes *l, uint32_t lane)
{
    kpx_lane *x = &l->list.at[lane];
    return x->stack.n > 0 ? &x->stack.at[x->stack.n - 1] : NULL;
}

static void add_interval(kpx_lanes *l, kpx_lane *x, const kpx_slice *s, uint32_t construct,
                         uint64_t end, bool takes_all)
{
    uint32_t a = kpx_add_activity(l->m, construct, x->place, x->last, x->since, end);
    if (x->open > 0)
        kpx_add_value(l->m, a, s->execution ? TRACE_KEY_DEPTH : TRACE_KEY_WITHIN, x->open);
    for (size_t i = 0; takes_all && i < x->values.n; i++)
        kpx_add_value(l->m, a, x->values.at[i].key, x->values.at[i].number);
    for (size_t i = 0; takes_all && i < x->needs.n; i++)
        kpx_add_arrow(l->m, x->needs.at[i].from, a, x->needs.at[i].edge);
    x->last = a;
    x->since = kpx_activity_end(l->m, a);
}

// When the last one that the open interval needs had ended; 0: it needs none.
static uint64_t last_needed(const kpx_lanes *l, const kpx_lane *x)
{
    uint64_t last = 0;
    for (size_t i = 0; i < x->needs.n; i++) {
        uint64_t end = kpx_activity_end(l->m, x->needs.at[i].from);
        last = end > last ? end : last;
    }
    return last;
}

// always: an empty interval becomes an activity, too.
static void close_interval(kpx_lanes *l, kpx_lane *x, uint64_t time, bool always)
{
    kpx_slice *s = x->stack.n > 0 ? &x->stack.at[x->stack.n - 1] : NULL;
    time = time < x->since ? x->since : time;
    if (!s) {
        x->since = time;
        return;
    }
    if (time == x->since && !always && x->needs.n == 0 && x->values.n == 0)
        return;
    s->seen = true;
    uint64_t came = last_needed(l, x);
    bool waits = s->waiting != KPX_NONE && x->needs.n > 0 && came > x->since && came <= time;
    if (waits)
        add_interval(l, x, s, s->waiting, came, true);
    if (!waits || came < time)
        add_interval(l, x, s, s->construct, time, !waits);
    x->needs.n = x->values.n = 0;
}

void kpx_lane_enter(kpx_lanes *l, uint32_t lane, uint64_t time, kpx_slice slice)
{
    kpx_lane *x = &l->list.at[lane];
    close_interval(l, x, time, false);
    x->used = true;
    x->open += slice.execution;
    ARRAY_PUSH(x->stack, slice);
}

void kpx_lane_leave(kpx_lanes *l, uint32_t lane, uint64_t time, uint64_t key)
{
    kpx_lane *x = &l->list.at[lane];
    size_t i = x->stack.n;
    while (i > 0 && x->stack.at[i - 1].key != key)
        i--;
    if (i == 0) {
        l->unbegun++;
        return;
    }
    close_interval(l, x, time, i == x->stack.n && !x->stack.at[i - 1].seen);
    x->open -= x->stack.at[i - 1].execution;
    for (; i < x->stack.n; i++)
        x->stack.at[i - 1] = x->stack.at[i];
    x->stack.n--;
}

uint32_t kpx_lane_mark(kpx_lanes *l, uint32_t lane, uint64_t time)
{
    kpx_slice *top = kpx_lane_top(l, lane);
    close_interval(l, &l->list.at[lane], time, top && !top->seen);
    return l->list.at[lane].last;
}

void kpx_lane_need(kpx_lanes *l, uint32_t lane, uint32_t from, trace_edge edge)
{
    if (from != KPX_NONE)
        ARRAY_PUSH(l->list.at[lane].needs, ((kpx_lane_edge){from, edge}));
}

void kpx_lane_value_add(kpx_lanes *l, uint32_t lane, trace_key key, int64_t number)
{
    ARRAY_PUSH(l->list.at[lane].values, ((kpx_lane_value){key, number}));
}

uint64_t kpx_lanes_finish(kpx_lanes *l, uint64_t end)
{
    uint64_t open = 0;
    for (uint32_t i = 0; i < l->list.n; i++) {
        kpx_lane *x = &l->list.at[i];
        open += x->stack.n;
        while (x->stack.n > 0)
            kpx_lane_leave(l, i, end, x->stack.at[x->stack.n - 1].key);
        free(x->stack.at);
        free(x->needs.at);
        free(x->values.at);
    }
    free(l->list.at);
    l->list.at = NULL;
    l->list.n = 0;
    return open;
}
