// SPDX-License-Identifier: MIT
//
// Farms of few workers: `farm(P, N, Items, Out)` of the library lets N workers share the items, so
// an item stands in line while all of them are at work. The price is the run in which a worker takes
// another item at once: whoever reads a result waits for it.
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_ITEMS = 4,
    PROPOSED = 4 // calls of farm/4
};

// The parts of a farm in the library.
typedef enum { NO_PART, FARM, CREW, WORKER, WORK, DELIVER, HAND_OUT } part;
static const struct {
    const char *name;
    uint32_t arity;
    part part;
} parts[] = {{"farm", 4, FARM}, {"crew", 4, CREW},       {"worker", 3, WORKER},
             {"work", 4, WORK}, {"deliver", 4, DELIVER}, {"hand_out", 2, HAND_OUT}};

typedef struct {
    uint32_t clause;  // that calls farm/4
    uint32_t example; // the farm
    uint32_t workers, items;
    int64_t longest; // time in line
} farm;

typedef struct {
    const loops *l;
    uint8_t *part_of;  // by predicate
    uint32_t *farm_of; // by reduction: index of `farms`, plus one; 0: none
    ARRAY_OF(farm) farms;
} search;

static part part_of(const search *s, uint32_t r)
{
    return (part)s->part_of[loops_predicate(s->l, r)];
}

// Is there a farm in the program?
static bool find_parts(search *s)
{
    const trace *t = s->l->t;
    uint32_t n = trace_npredicates(t);
    bool found = false;
    s->part_of = base_allocate(n, 1);
    for (uint32_t p = 0; p < n; p++) {
        const trace_predicate *x = trace_get_predicate(t, p);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (x->origin == TRACE_LIBRARY && x->arity == parts[i].arity &&
                loops_is_named(t, p, parts[i].name))
                s->part_of[p] = (uint8_t)parts[i].part;
        found |= s->part_of[p] == FARM;
    }
    return found;
}

static uint32_t farm_at(search *s, uint32_t r)
{
    uint32_t clause = iot_clause_near(s->l, s->l->g->parents[r]), i = 0;
    while (i < s->farms.n && s->farms.at[i].clause != clause)
        i++;
    if (i == s->farms.n)
        ARRAY_PUSH(s->farms, (farm){.clause = clause, .example = r});
    return i;
}

// What the reduction is in its farm.
static void see(search *s, uint32_t r)
{
    const loops *l = s->l;
    farm *f = &s->farms.at[s->farm_of[r] - 1];
    part is = part_of(s, r);
    f->workers += is == WORKER && part_of(s, l->g->parents[r]) == CREW;
    if (is != HAND_OUT)
        return;
    trace_value items = iot_end_value(l->t, trace_goal_arg(l->t, trace_reduction_goal(l->t, r), 0));
    if (!is_cell_kind(l->t, items, TC_CONS))
        return;
    int64_t came = trace_time(l->t, trace_cell_maker(l->t, items.id));
    f->items++;
    f->longest = trace_time(l->t, r) - came > f->longest ? trace_time(l->t, r) - came : f->longest;
}

static void find_farms(search *s)
{
    const wait_graph *g = s->l->g;
    s->farm_of = base_allocate(g->n, sizeof *s->farm_of);
    for (uint32_t r = 1; r < g->n; r++) {
        part is = part_of(s, r);
        s->farm_of[r] = is == FARM      ? farm_at(s, r) + 1
                        : is == NO_PART ? 0
                                        : s->farm_of[g->parents[r]];
        if (s->farm_of[r])
            see(s, r);
    }
}

static void draft_farm(const search *s, uint32_t number, change_draft *d)
{
    const wait_graph *g = s->l->g;
    for (uint32_t r = 1; r < g->n; r++)
        for (uint64_t w = g->first[r];
             s->farm_of[r] == number && part_of(s, r) == DELIVER && w < g->first[r + 1]; w++)
            draft_wait(d, w, IOT_NONE);
}

static void add_candidate(const search *s, uint32_t number, candidates *c)
{
    const farm *f = &s->farms.at[number - 1];
    const iot *a = s->l->a;
    change_draft d = {0};
    draft_farm(s, number, &d);
    candidate *x = candidate_at(a, c, FINDING_HEAD_OF_LINE, f->clause, f->example);
    x->change = draft_finish(&d);
    x->estimate = true;
    char *name = iot_predicate_text(s->l->t, x->place.predicate);
    char *where = iot_place_text(s->l->t, x->place.source, x->place.line);
    x->text = base_format("%s%s lets %u worker%s of farm/4 share %u items: an item stands in line "
                          "for up to %lld steps until one of them is free",
                          name, where, f->workers, f->workers == 1 ? "" : "s", f->items,
                          (long long)f->longest);
    x->advice = base_format("give farm/4 more workers (%u: one for each item), or use map/3",
                            f->items);
    x->condition = base_copy("with a worker for each item");
    free(name);
    free(where);
}

void iot_find_farms(const loops *l, candidates *c)
{
    search s = {.l = l};
    if (find_parts(&s))
        find_farms(&s);
    for (uint32_t i = 0; i < s.farms.n && i < PROPOSED; i++)
        if (s.farms.at[i].clause != IOT_NONE && s.farms.at[i].items >= FEWEST_ITEMS &&
            s.farms.at[i].items > s.farms.at[i].workers)
            add_candidate(&s, i + 1, c);
    free(s.part_of);
    free(s.farm_of);
    free(s.farms.at);
}
