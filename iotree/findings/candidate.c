// SPDX-License-Identifier: MIT
//
// Candidates: their memory, the changes of two together, and places as text.
#include "iotree/findings/findings.h"

candidate *candidate_add(candidates *c, iot_finding_kind kind)
{
    ARRAY_PUSH(c->list, (candidate){.kind = kind,
                                    .place = {TRACE_NONE, 0, IOT_NONE, IOT_NONE},
                                    .reduction = IOT_NONE,
                                    .clause = IOT_NONE,
                                    .item = IOT_NONE,
                                    .waiting_loop = IOT_NONE,
                                    .partner = IOT_NONE});
    return &c->list.at[c->list.n - 1];
}

candidate *candidate_at(const iot *a, candidates *c, iot_finding_kind kind, uint32_t clause,
                        uint32_t reduction)
{
    candidate *x = candidate_add(c, kind);
    x->place = iot_clause_location(a, clause);
    x->clause = clause;
    x->reduction = reduction;
    return x;
}

bool iot_may_save(const iot *a, uint64_t gained)
{
    return gained > 0 && gained >= (uint64_t)a->span / 200;
}

uint32_t iot_most_gained(const iot *a, const uint64_t *gained, size_t n, uint32_t most, uint32_t *ret)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = found;
        while (at > 0 && gained[ret[at - 1]] < gained[i])
            at--;
        if (at == most || !iot_may_save(a, gained[i]))
            continue;
        found += found < most;
        memmove(&ret[at + 1], &ret[at], (found - 1 - at) * sizeof *ret);
        ret[at] = i;
    }
    return found;
}

static bool same_place(const iot_location *x, const iot_location *y)
{
    return x->source == y->source && x->line == y->line && x->predicate == y->predicate;
}

void candidate_also(candidate *c, iot_location place)
{
    bool known = same_place(&c->place, &place);
    for (size_t i = 0; i < c->also.n; i++)
        known |= same_place(&c->also.at[i], &place);
    if (!known)
        ARRAY_PUSH(c->also, place);
}

void candidate_free(candidate *c)
{
    iot_free_change(&c->change);
    free(c->also.at);
    free(c->text);
    free(c->advice);
    free(c->condition);
}

// ---------------------------------------------------------------------------------------------
// Two changes at once

static uint8_t *bits_of_both(const uint8_t *x, const uint8_t *y, uint32_t n)
{
    if (!x && !y)
        return NULL;
    size_t size = n / 8 + 1;
    uint8_t *both = base_allocate(size, 1);
    for (size_t i = 0; i < size; i++)
        both[i] = (uint8_t)((x ? x[i] : 0) | (y ? y[i] : 0));
    return both;
}

// Of two edits of one thing the one that does more counts.
static wait_edit more_of_waits(wait_edit x, wait_edit y)
{
    return x.maker == IOT_NONE || (y.maker != IOT_NONE && x.maker < y.maker) ? x : y;
}

static void add_waits_of_both(wait_change *both, const wait_change *x, const wait_change *y)
{
    size_t i = 0, j = 0, n = 0;
    both->waits = base_allocate(x->nwaits + y->nwaits, sizeof *both->waits);
    while (i < x->nwaits || j < y->nwaits) {
        if (j == y->nwaits || (i < x->nwaits && x->waits[i].wait < y->waits[j].wait))
            both->waits[n++] = x->waits[i++];
        else if (i == x->nwaits || y->waits[j].wait < x->waits[i].wait)
            both->waits[n++] = y->waits[j++];
        else
            both->waits[n++] = more_of_waits(x->waits[i++], y->waits[j++]);
    }
    both->nwaits = n;
}

static void add_added_of_both(wait_change *both, const wait_change *x, const wait_change *y)
{
    size_t i = 0, j = 0, n = 0;
    both->added = base_allocate(x->nadded + y->nadded, sizeof *both->added);
    while (i < x->nadded || j < y->nadded)
        both->added[n++] =
            j == y->nadded || (i < x->nadded && x->added[i].reader <= y->added[j].reader)
                ? x->added[i++]
                : y->added[j++];
    both->nadded = n;
}

static reduction_edit more_of_reductions(reduction_edit x, reduction_edit y)
{
    reduction_edit both = {.reduction = x.reduction, .parent = x.parent, .cost = x.cost};
    if (y.parent < both.parent)
        both.parent = y.parent;
    if (both.cost < 0 || (y.cost >= 0 && y.cost < both.cost))
        both.cost = y.cost;
    return both;
}

static void add_reductions_of_both(wait_change *both, const wait_change *x, const wait_change *y)
{
    size_t i = 0, j = 0, n = 0;
    both->reductions = base_allocate(x->nreductions + y->nreductions, sizeof *both->reductions);
    const reduction_edit *a = x->reductions, *b = y->reductions;
    while (i < x->nreductions || j < y->nreductions) {
        if (j == y->nreductions || (i < x->nreductions && a[i].reduction < b[j].reduction))
            both->reductions[n++] = a[i++];
        else if (i == x->nreductions || b[j].reduction < a[i].reduction)
            both->reductions[n++] = b[j++];
        else
            both->reductions[n++] = more_of_reductions(a[i++], b[j++]);
    }
    both->nreductions = n;
}

static double *costs_of_both(const wait_graph *g, const double *x, const double *y)
{
    if (!x && !y)
        return NULL;
    double *both = base_allocate(g->n, sizeof *both);
    for (uint32_t r = 0; r < g->n; r++)
        both[r] = !x ? y[r] : !y || x[r] < y[r] ? x[r] : y[r];
    return both;
}

wait_change change_of_both(const wait_graph *g, const wait_change *x, const wait_change *y)
{
    wait_change both = {
        .without_kinds = bits_of_both(x->without_kinds, y->without_kinds, g->nkinds),
        .costs = costs_of_both(g, x->costs, y->costs),
    };
    add_waits_of_both(&both, x, y);
    add_added_of_both(&both, x, y);
    add_reductions_of_both(&both, x, y);
    return both;
}

// ---------------------------------------------------------------------------------------------
// Places

char *iot_cost_text(const iot *a, uint64_t gained, uint64_t n, const char *what)
{
    char *amount = iot_amount_text(a, (int64_t)gained);
    char *text =
        base_format("%s in %llu %s%s", amount, (unsigned long long)n, what, n == 1 ? "" : "s");
    free(amount);
    return text;
}

char *iot_place_text(const trace *t, uint32_t source, uint32_t line)
{
    if (source == TRACE_NONE || line == 0)
        return base_copy("");
    const char *name = trace_name(t, trace_get_source(t, source)->name);
    return base_format(" (%s:%u)", name, line);
}

char *iot_site_text(const iot *a, const wait_site *site)
{
    char *predicate = iot_predicate_text(a->t, site->predicate);
    char *place = iot_place_text(a->t, site->source, site->line);
    char *text = base_format("%s%s", predicate, place);
    free(predicate);
    free(place);
    return text;
}

iot_location iot_clause_location(const iot *a, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(a->t, clause);
    return (iot_location){c->source, c->source == TRACE_NONE ? 0 : c->line, c->predicate, IOT_NONE};
}

iot_location iot_site_location(const wait_site *site, uint32_t module)
{
    return (iot_location){site->source, site->line, site->predicate, module};
}

char *iot_maker_text(const iot *a, const wait_graph *g, uint32_t maker, iot_location *ret)
{
    const trace *t = a->t;
    const wait_site *site = &g->all_sites[g->sites[maker]];
    *ret = iot_site_location(site, IOT_NONE);
    if (site->item != IOT_NONE && site->clause != IOT_NONE)
        ret->predicate = trace_get_clause(t, site->clause)->predicate;
    char *name = iot_predicate_text(t, ret->predicate);
    char *where = iot_place_text(t, ret->source, ret->line);
    char *text = base_format("%s%s", name, where);
    free(name);
    free(where);
    return text;
}
