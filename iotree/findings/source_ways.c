// SPDX-License-Identifier: MIT
//
// Ways from one line of a source to another, through calls, returns and loops: where is most computed
// on the way?
#include "iotree/findings/source_text.h"

static bool is_in(const text_function *f, uint32_t line)
{
    return f->first <= line && line <= f->last;
}

// Of two that are equally deep the one that is nearer to the end of the way.
static text_spot later_of(text_spot a, text_spot b)
{
    return b.nest > 0 && b.nest >= a.nest ? b : a;
}

enum { MOST_CALLERS = 4, MOST_RETURNS = 4, MOST_ENTERED = 8 };

// By function: is `to`, or does it call what leads there? malloc'ed.
static bool *find_leading(const source_text *s, uint32_t to)
{
    bool *leads = base_allocate(s->functions.n + 1, sizeof *leads), more = true;
    const text_function *g = iot_text_function(s, to);
    if (g)
        leads[g - s->functions.at] = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < s->calls.n; i++) {
            const text_function *f = iot_text_function(s, s->calls.at[i].line);
            if (f && leads[s->calls.at[i].function] && !leads[f - s->functions.at])
                more = leads[f - s->functions.at] = true;
        }
    }
    return leads;
}

// The first call after the line and before the other one that leads there, or NULL.
static const text_call *call_on_way(const source_text *s, const bool *leads, uint32_t after,
                                    uint32_t before)
{
    const text_call *first = NULL;
    for (size_t i = 0; i < s->calls.n; i++) {
        const text_call *c = &s->calls.at[i];
        if (c->line > after && c->line < before && leads[c->function] &&
            (!first || c->line < first->line))
            first = c;
    }
    return first;
}

// From the beginning of the function to the line, which it or a function that it calls has.
static text_spot spot_entered(const source_text *s, const bool *leads, const text_function *f,
                         uint32_t to)
{
    text_spot best = {0, 0, 0};
    for (int depth = 0; depth < MOST_ENTERED; depth++) {
        if (is_in(f, to))
            return later_of(best, iot_text_spot(s, f->first, to));
        const text_call *c = call_on_way(s, leads, f->first, f->last + 1);
        if (!c)
            break;
        best = later_of(best, iot_text_spot(s, f->first, c->line));
        f = &s->functions.at[c->function];
    }
    return best;
}

// From the line on, within the lines up to `end`, into `to`. False: the way does not lead there.
static bool goes_on_to(const source_text *s, const bool *leads, uint32_t from, uint32_t end,
                       uint32_t to, text_spot *ret)
{
    if (from < to && to < end) {
        *ret = later_of(*ret, iot_text_spot(s, from, to));
        return true;
    }
    const text_call *c = call_on_way(s, leads, from, end);
    if (!c)
        return false;
    *ret = later_of(*ret, iot_text_spot(s, from, c->line));
    *ret = later_of(*ret, spot_entered(s, leads, &s->functions.at[c->function], to));
    return true;
}

// The innermost loop around the line in which the way can lead to `to` in the next iteration.
static const text_loop *loop_back(const source_text *s, const bool *leads, uint32_t from,
                                  uint32_t to)
{
    const text_loop *best = NULL;
    for (size_t i = 0; i < s->loops.n; i++) {
        const text_loop *l = &s->loops.at[i];
        bool around = l->first < from && from <= l->last;
        bool there = (l->first < to && to <= l->last) ||
                     call_on_way(s, leads, l->first, l->last + 1);
        if (around && there && (!best || l->first > best->first))
            best = l;
    }
    return best;
}

static text_spot spot_on_way(const source_text *s, const bool *leads, uint32_t from, uint32_t to,
                        int depth)
{
    text_spot best = {0, 0, 0};
    const text_function *f = iot_text_function(s, from);
    if (!f || goes_on_to(s, leads, from, f->last + 1, to, &best))
        return best;
    const text_loop *l = loop_back(s, leads, from, to);
    if (l) {
        best = iot_text_spot(s, from, l->last + 1);
        goes_on_to(s, leads, l->first, l->last + 1, to, &best);
        return best;
    }
    best = iot_text_spot(s, from, f->last + 1);
    uint32_t callers = 0;
    for (size_t i = 0; depth < MOST_RETURNS && i < s->calls.n && callers < MOST_CALLERS; i++)
        if (&s->functions.at[s->calls.at[i].function] == f && !is_in(f, s->calls.at[i].line)) {
            callers++;
            best = later_of(best, spot_on_way(s, leads, s->calls.at[i].line, to, depth + 1));
        }
    return best;
}

// From the beginning of the program: of a function that nobody calls.
static text_spot spot_from_start(const source_text *s, const bool *leads, uint32_t to)
{
    bool *called = base_allocate(s->functions.n + 1, sizeof *called);
    text_spot best = {0, 0, 0};
    for (size_t i = 0; i < s->calls.n; i++)
        called[s->calls.at[i].function] = true;
    for (size_t i = 0; i < s->functions.n; i++)
        if (leads[i] && !called[i])
            best = later_of(best, spot_entered(s, leads, &s->functions.at[i], to));
    free(called);
    return best;
}

uint32_t iot_text_between(const source_text *s, uint32_t from, uint32_t to, uint32_t *ret_inner)
{
    bool *leads = find_leading(s, to);
    text_spot found = from == 0 ? spot_from_start(s, leads, to) : spot_on_way(s, leads, from, to, 0);
    free(leads);
    *ret_inner = found.inner;
    return found.line;
}
