// SPDX-License-Identifier: MIT
//
// Farms of few workers: `farm(P, N, Items, Out)` of the library lets N workers share the items, so
// an item stands in line while all of them are at work. The price is the run in which a worker
// takes another item at once: whoever reads a result waits for it.
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_ITEMS = 4,
    PROPOSED = 4 // clauses that call farm/4
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
    uint32_t crew;    // that begins a worker
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

// The number of the farm that begins here.
static uint32_t add_farm(search *s, uint32_t r)
{
    uint32_t clause = iot_clause_near(s->l, s->l->g->parents[r]);
    ARRAY_PUSH(s->farms, (farm){.clause = clause, .example = r});
    return (uint32_t)s->farms.n;
}

// What the reduction is in its farm.
static void see(search *s, uint32_t r)
{
    const loops *l = s->l;
    farm *f = &s->farms.at[s->farm_of[r] - 1];
    part is = part_of(s, r);
    if (is == WORKER && part_of(s, l->g->parents[r]) == CREW) {
        f->workers++;
        f->crew = l->g->parents[r];
    }
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
        s->farm_of[r] = is == FARM      ? add_farm(s, r)
                        : is == NO_PART ? 0
                                        : s->farm_of[g->parents[r]];
        if (s->farm_of[r])
            see(s, r);
    }
}

// All farms that the clause calls: every item has a worker, which begins with the others.
static void draft_farms(const search *s, uint32_t clause, change_draft *d)
{
    const wait_graph *g = s->l->g;
    for (uint32_t r = 1; r < g->n; r++) {
        const farm *f = s->farm_of[r] ? &s->farms.at[s->farm_of[r] - 1] : NULL;
        if (!f || f->clause != clause)
            continue;
        if (part_of(s, r) == WORKER && part_of(s, g->parents[r]) == DELIVER)
            draft_reduction(d, r, f->crew, -1);
        if (part_of(s, r) != DELIVER)
            continue;
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
            draft_wait(d, w, IOT_NONE);
    }
}

// f: the largest one of `farms` that a clause calls.
static void add_candidate(const search *s, const farm *f, uint32_t farms, candidates *c)
{
    const iot *a = s->l->a;
    change_draft d = {0};
    draft_farms(s, f->clause, &d);
    candidate *x = candidate_at(a, c, FINDING_HEAD_OF_LINE, f->clause, f->example);
    x->change = draft_finish(&d);
    x->estimate = true;
    x->doubt = f->workers > 1 ? DOUBTFUL : SURE;
    char *name = iot_predicate_text(s->l->t, x->place.predicate);
    char *where = iot_place_text(s->l->t, x->place.source, x->place.line);
    char *largest = farms > 1 ? base_format(" (in the largest of %u farms)", farms) : base_copy("");
    x->text = base_format("%s%s lets %u worker%s of farm/4 share %u items%s: an item stands in line "
                          "for up to %lld steps until one of them is free",
                          name, where, f->workers, f->workers == 1 ? "" : "s", f->items, largest,
                          (long long)f->longest);
    free(largest);
    x->advice =
        base_format("give farm/4 more workers (%u: one for each item), or use map/3", f->items);
    x->condition = base_copy("with a worker for each item");
    free(name);
    free(where);
}

void iot_find_farms(const loops *l, candidates *c)
{
    search s = {.l = l};
    if (find_parts(&s))
        find_farms(&s);
    uint32_t *farms = base_allocate((size_t)trace_nclauses(l->t) + 1, sizeof *farms), proposed = 0;
    uint32_t *best = base_allocate((size_t)trace_nclauses(l->t) + 1, sizeof *best);
    for (uint32_t i = 0; i < s.farms.n; i++) {
        const farm *f = &s.farms.at[i];
        if (f->clause == IOT_NONE)
            continue;
        if (farms[f->clause]++ == 0 || f->items > s.farms.at[best[f->clause]].items)
            best[f->clause] = i;
    }
    for (uint32_t i = 0; i < s.farms.n && proposed < PROPOSED; i++) {
        const farm *f = &s.farms.at[i];
        if (f->clause == IOT_NONE || best[f->clause] != i || f->items < FEWEST_ITEMS ||
            f->items <= f->workers)
            continue;
        add_candidate(&s, f, farms[f->clause], c);
        proposed++;
    }
    free(farms);
    free(best);
    free(s.part_of);
    free(s.farm_of);
    free(s.farms.at);
}
