// SPDX-License-Identifier: MIT
//
// Vectors that are made lists and vectors again, step by step of a loop, with nothing done to the items in
// between:
//
//     sell([C|Cs], Shelf, R) :- new_vector(T, Shelf), serve(C, T, T1), array_items(T1, Shelf1),
//         sell(Cs, Shelf1, R).
//
// or lists that are made vectors and lists again. The price is the run in which the step hands on what it
// had: the second vector is there when the first one is, a cell of the second list when that of the first is.
#include "base/table.h"
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_ITEMS = 4,
    FEWEST_TIMES = 4,
    MOST_ARGUMENTS = 32,
    NEAR_GOAL = 32, // parents from the first cell of a list to the goal that makes it
    PROPOSED = 4, // clauses
};

// A goal that makes a list of the elements of a vector.
typedef struct {
    uint32_t goal; // reduction
    uint32_t vector, list;
} listing;

// What is converted and comes back as it was.
typedef struct {
    uint32_t clause, other; // where the one is made, and the other one again
    uint32_t example, n, items;
    bool vectors; // a vector comes back
    change_draft change;
} conversion;

typedef struct {
    const loops *l;
    base_map maker_of;         // vector -> reduction of new_vector
    base_map listing_of;       // list, by its first cell -> listing
    ARRAY_OF(listing) listings;
    ARRAY_OF(conversion) all;
} search;

static trace_value argument_of(const search *s, uint32_t r, uint32_t argument)
{
    const trace *t = s->l->t;
    return iot_end_value(t, trace_goal_arg(t, trace_reduction_goal(t, r), argument));
}

static bool makes_vector(const search *s, uint32_t r)
{
    const trace_predicate *p = trace_get_predicate(s->l->t, loops_predicate(s->l, r));
    return p->origin == TRACE_BUILTIN && p->arity == 2 &&
           loops_is_named(s->l->t, loops_predicate(s->l, r), "new_vector");
}

// Has the list the elements of the vector, and no others?
static bool same_items(const trace *t, uint32_t vector, trace_value list)
{
    uint32_t n = trace_cell_arity(t, vector);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_cell_kind(t, list, TC_CONS) ||
            !is_same_value(iot_end_value(t, trace_cell_arg(t, list.id, 0)),
                           iot_end_value(t, trace_cell_arg(t, vector, i))))
            return false;
        list = iot_end_value(t, trace_cell_arg(t, list.id, 1));
    }
    return n >= FEWEST_ITEMS && !is_cell_kind(t, list, TC_CONS);
}

static bool has_argument(const search *s, uint32_t r, uint32_t cell)
{
    uint32_t arity = r ? trace_get_predicate(s->l->t, loops_predicate(s->l, r))->arity : 0;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++) {
        trace_value v = argument_of(s, r, i);
        if (v.kind == TV_CELL && v.id == cell)
            return true;
    }
    return false;
}

// Is it the goal, or near below it? So is the first cell of what a goal makes.
static bool descends_from(const loops *l, uint32_t r, uint32_t goal)
{
    for (int up = 0; up < NEAR_GOAL && r > goal; up++)
        r = l->g->parents[r];
    return r == goal;
}

// The uppermost goal that has both is the one that makes the list. What walks along the vector is not looked
// at step by step.
static void find_listing(search *s, uint32_t r, uint32_t vector)
{
    const trace *t = s->l->t;
    uint32_t parent = s->l->g->parents[r], p = loops_predicate(s->l, r);
    bool walks = parent && loops_predicate(s->l, parent) == p && has_argument(s, parent, vector);
    if (walks || makes_vector(s, r))
        return;
    uint32_t arity = trace_get_predicate(t, p)->arity;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++) {
        trace_value list = argument_of(s, r, i);
        if (!is_cell_kind(t, list, TC_CONS) || !descends_from(s->l, trace_cell_maker(t, list.id), r) ||
            map_get(&s->listing_of, list.id) != MAP_ABSENT || !same_items(t, vector, list))
            continue;
        map_set(&s->listing_of, list.id, s->listings.n);
        ARRAY_PUSH(s->listings, (listing){r, vector, list.id});
    }
}

static conversion *conversion_of(search *s, uint32_t r, uint32_t other, bool vectors)
{
    uint32_t clause = iot_clause_near(s->l, s->l->g->parents[r]);
    uint32_t back = iot_clause_near(s->l, s->l->g->parents[other]);
    if (clause == IOT_NONE || back == IOT_NONE)
        return NULL;
    for (size_t i = 0; i < s->all.n; i++) {
        conversion *x = &s->all.at[i];
        bool same = x->clause == clause || x->clause == back || x->other == clause || x->other == back;
        if (!same || x->vectors != vectors)
            continue;
        x->clause = clause; // the first one may be made elsewhere
        x->other = back;
        x->example = r;
        return x;
    }
    ARRAY_PUSH(s->all, (conversion){.clause = clause, .other = back, .example = r, .vectors = vectors});
    return &s->all.at[s->all.n - 1];
}

// The second vector is the first one, which is there when its maker has made it, for the step that had it
// made a list.
static void keep_vector(search *s, uint32_t r, const listing *from)
{
    const wait_graph *g = s->l->g;
    conversion *x = conversion_of(s, r, from->goal, true);
    if (!x)
        return;
    x->n++;
    x->items += trace_cell_arity(s->l->t, from->vector);
    for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
        draft_wait(&x->change, w, IOT_NONE);
    uint64_t made = map_get(&s->maker_of, from->vector);
    draft_add(&x->change, r, made != MAP_ABSENT ? (uint32_t)made : trace_cell_maker(s->l->t, from->vector));
    draft_reduction(&x->change, r, g->parents[from->goal], 0);
}

static void find_kept_vectors(search *s)
{
    for (uint32_t r = 1; r < s->l->g->n; r++) {
        trace_value list = {0};
        if (!makes_vector(s, r))
            continue;
        list = argument_of(s, r, 1);
        uint64_t from = list.kind == TV_CELL ? map_get(&s->listing_of, list.id) : MAP_ABSENT;
        if (from != MAP_ABSENT)
            keep_vector(s, r, &s->listings.at[from]);
    }
}

// By reduction that makes a cell of a list that comes back: the one that made the cell before, and which
// conversion it is, from 1.
typedef struct {
    uint32_t *before, *of;
} kept_cells;

static void note_cell(kept_cells *cells, uint32_t maker, uint32_t before, uint32_t of)
{
    if (maker <= before)
        return;
    cells->before[maker] = before;
    cells->of[maker] = of;
}

static uint32_t item_maker(const trace *t, uint32_t cell)
{
    trace_value item = trace_cell_arg(t, cell, 0);
    uint32_t binding = is_variable(t, item) ? trace_cell_binding(t, item.id) : TRACE_NONE;
    return binding == TRACE_NONE ? trace_cell_maker(t, cell) : trace_binding_maker(t, binding);
}

static bool takes_element(const search *s, uint32_t r)
{
    uint32_t p = loops_predicate(s->l, r);
    return trace_get_predicate(s->l->t, p)->origin == TRACE_BUILTIN &&
           loops_is_named(s->l->t, p, "vector_element");
}

static void keep_list(search *s, const listing *x, kept_cells *cells)
{
    const trace *t = s->l->t;
    uint64_t made = map_get(&s->maker_of, x->vector);
    conversion *c = made != MAP_ABSENT ? conversion_of(s, x->goal, (uint32_t)made, false) : NULL;
    if (!c)
        return;
    trace_value old = argument_of(s, (uint32_t)made, 1), new = {.kind = TV_CELL, .id = x->list};
    uint32_t of = (uint32_t)(c - s->all.at) + 1;
    c->n++;
    c->items += trace_cell_arity(t, x->vector);
    while (is_cell_kind(t, old, TC_CONS) && is_cell_kind(t, new, TC_CONS) && old.id != new.id) {
        note_cell(cells, trace_cell_maker(t, new.id), trace_cell_maker(t, old.id), of);
        if (takes_element(s, item_maker(t, new.id)))
            note_cell(cells, item_maker(t, new.id), item_maker(t, old.id), of);
        old = iot_end_value(t, trace_cell_arg(t, old.id, 1));
        new = iot_end_value(t, trace_cell_arg(t, new.id, 1));
    }
}

static void find_kept_lists(search *s)
{
    const wait_graph *g = s->l->g;
    kept_cells cells = {base_allocate(g->n, sizeof *cells.before), base_allocate(g->n, sizeof *cells.of)};
    for (size_t i = 0; i < s->listings.n; i++)
        keep_list(s, &s->listings.at[i], &cells);
    for (uint32_t r = 1; r < g->n; r++) // who made a cell may have had it from a list that came back, too
        if (cells.of[r] && cells.of[cells.before[r]] == cells.of[r])
            cells.before[r] = cells.before[cells.before[r]];
    for (uint32_t r = 1; r < g->n; r++)
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++) {
            uint32_t of = cells.of[g->makers[w]];
            if (of && cells.of[r] != of)
                draft_wait(&s->all.at[of - 1].change, w, cells.before[g->makers[w]]);
        }
    free(cells.before);
    free(cells.of);
}

static void add_candidate(const search *s, conversion *x, candidates *c)
{
    const iot *a = s->l->a;
    const char *one = x->vectors ? "vector" : "list", *other = x->vectors ? "list" : "vector";
    candidate *y = candidate_at(a, c, FINDING_COPYING, x->clause, x->example);
    y->change = draft_finish(&x->change);
    y->estimate = true;
    candidate_also(y, iot_clause_location(a, x->other));
    uint32_t above = s->l->g->parents[s->l->g->parents[x->example]];
    if (iot_clause_near(s->l, above) != IOT_NONE)
        candidate_also(y, iot_clause_location(a, iot_clause_near(s->l, above)));
    char *name = iot_predicate_text(s->l->t, y->place.predicate);
    char *where = iot_place_text(s->l->t, y->place.source, y->place.line);
    y->text = base_format("%s%s makes a %s again of a %s that was made of a %s with the same items: %u "
                          "times, %u items each time",
                          name, where, one, other, one, x->n, x->items / x->n);
    y->advice = base_format("hand on the %s itself, and make the %s of it only where the items are asked for "
                            "that way", one, other);
    y->condition = base_format("with the %s kept", one);
    free(name);
    free(where);
}

// The vectors that are made of lists, and the lists that are made of vectors. False: there are none.
static bool find_makers(search *s)
{
    const loops *l = s->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        trace_value v = {0};
        if (makes_vector(s, r))
            v = argument_of(s, r, 0);
        if (v.kind == TV_CELL)
            map_set(&s->maker_of, v.id, r);
    }
    for (uint32_t r = 1; r < l->g->n && s->maker_of.n; r++) {
        uint32_t arity = trace_get_predicate(l->t, loops_predicate(l, r))->arity;
        for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++) {
            trace_value v = argument_of(s, r, i);
            if (is_cell_kind(l->t, v, TC_VECTOR))
                find_listing(s, r, v.id);
        }
    }
    return s->listings.n > 0;
}

void iot_find_conversions(const loops *l, candidates *c)
{
    search s = {.l = l};
    uint32_t proposed = 0;
    if (find_makers(&s)) {
        find_kept_vectors(&s);
        find_kept_lists(&s);
    }
    for (size_t i = 0; i < s.all.n; i++) {
        if (s.all.at[i].n >= FEWEST_TIMES && proposed++ < PROPOSED)
            add_candidate(&s, &s.all.at[i], c);
        draft_free(&s.all.at[i].change);
    }
    map_free(&s.maker_of);
    map_free(&s.listing_of);
    free(s.listings.at);
    free(s.all.at);
}
