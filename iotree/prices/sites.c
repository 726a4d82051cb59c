// SPDX-License-Identifier: MIT
//
// Sites: clauses, and goals of built-ins in the clauses that call them. All that the text has are
// there from the beginning, so that their numbers on a line do not depend on the run; what
// built-ins make (`call`) is added as it is met.
#include "iotree/prices/sites.h"

static uint32_t add_site(site_table *s, wait_site site)
{
    ARRAY_PUSH(s->list, site);
    return (uint32_t)s->list.n - 1;
}

// A measured run has no clauses in a text: the construct has a place.
static wait_site clause_site(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    wait_site site = {.predicate = c->predicate,
                      .clause = clause,
                      .item = IOT_NONE,
                      .source = c->source,
                      .line = c->source == TRACE_NONE ? 0 : c->line};
    if (trace_is_measured(t) && c->dynamic) {
        const trace_module *m = trace_get_module(t, trace_get_predicate(t, c->predicate)->module);
        site.source = m->source;
        site.line = m->source == TRACE_NONE ? 0 : m->line;
    }
    return site;
}

void iot_begin_sites(site_table *s, const trace *t)
{
    size_t nitems = 0;
    uint32_t nclauses = trace_nclauses(t);
    *s = (site_table){.t = t};
    s->of_clause = base_allocate(nclauses, sizeof *s->of_clause);
    s->first_item = base_allocate(nclauses, sizeof *s->first_item);
    for (uint32_t i = 0; i < nclauses; i++) {
        s->of_clause[i] = add_site(s, clause_site(t, i));
        s->first_item[i] = nitems;
        nitems += trace_get_clause(t, i)->nitems;
    }
    s->of_item = base_allocate(nitems, sizeof *s->of_item);
    for (uint32_t i = 0; i < nclauses; i++) {
        const trace_clause *c = trace_get_clause(t, i);
        wait_site site = {.clause = i, .source = c->source};
        for (site.item = 0; site.item < c->nitems; site.item++) {
            const trace_item *item = &c->items[site.item];
            site.predicate = item->predicate;
            site.line = c->source == TRACE_NONE ? 0 : item->line;
            if (item->kind == TI_GOAL &&
                trace_get_predicate(t, item->predicate)->origin == TRACE_BUILTIN)
                s->of_item[s->first_item[i] + site.item] = add_site(s, site);
        }
    }
}

// A goal that a built-in made: where the built-in stands.
static uint32_t made_site(site_table *s, uint32_t predicate, uint32_t parent_site)
{
    wait_site site = s->list.at[parent_site];
    if (site.predicate == predicate)
        return parent_site;
    uint64_t *at = map_at(&s->of_made, (uint64_t)parent_site << 32 | predicate);
    if (*at == MAP_ABSENT) {
        site.predicate = predicate;
        site.reductions = 0;
        *at = add_site(s, site);
    }
    return (uint32_t)*at;
}

uint32_t iot_site_of(site_table *s, uint32_t reduction, uint32_t parent_site)
{
    const trace *t = s->t;
    uint32_t clause = trace_reduction_clause(t, reduction), site = s->of_clause[clause];
    const trace_clause *c = trace_get_clause(t, clause);
    if (c->dynamic && reduction != 0 && !trace_is_measured(t)) {
        uint32_t goal = trace_reduction_goal(t, reduction), item = trace_goal_item(t, goal);
        uint32_t parent_clause = trace_reduction_clause(t, trace_goal_parent(t, goal));
        const trace_clause *above = trace_get_clause(t, parent_clause);
        if (above->dynamic || item == TRACE_NONE)
            site = made_site(s, c->predicate, parent_site);
        else if (trace_get_predicate(t, c->predicate)->origin == TRACE_BUILTIN)
            site = s->of_item[s->first_item[parent_clause] + item];
    }
    s->list.at[site].reductions++;
    return site;
}

// ---------------------------------------------------------------------------------------------
// Numbers on a line

// What built-ins make comes after what the text has, so that numbers do not depend on the run.
static uint64_t column_of(const trace *t, const wait_site *s)
{
    const trace_clause *c = trace_get_clause(t, s->clause);
    if (s->item == IOT_NONE || s->item >= c->nitems)
        return c->column;
    return (uint64_t)(c->items[s->item].predicate != s->predicate) << 32 | c->items[s->item].column;
}

typedef struct {
    wait_site *site;
    uint64_t column;
} placed_site;

static int by_place(const void *x, const void *y)
{
    const placed_site *a = x, *b = y;
    if (a->site->predicate != b->site->predicate)
        return a->site->predicate < b->site->predicate ? -1 : 1;
    if (a->site->source != b->site->source)
        return a->site->source < b->site->source ? -1 : 1;
    if (a->site->line != b->site->line)
        return a->site->line < b->site->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static void number_sites(site_table *s)
{
    placed_site *order = base_allocate(s->list.n, sizeof *order);
    for (size_t i = 0; i < s->list.n; i++)
        order[i] = (placed_site){&s->list.at[i], column_of(s->t, &s->list.at[i])};
    if (s->list.n)
        qsort(order, s->list.n, sizeof *order, by_place);
    for (size_t i = 0; i < s->list.n; i++) {
        const wait_site *before = i ? order[i - 1].site : NULL;
        wait_site *site = order[i].site;
        site->number = before && before->predicate == site->predicate &&
                               before->source == site->source && before->line == site->line
                           ? before->number + 1
                           : 1;
    }
    free(order);
}

void iot_end_sites(site_table *s)
{
    number_sites(s);
    free(s->of_clause);
    free(s->first_item);
    free(s->of_item);
    map_free(&s->of_made);
}
