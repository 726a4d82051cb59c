// SPDX-License-Identifier: MIT
//
// Batches in vectors: all items are put into a vector before the first one is used, by `new_vector`
// of a list or one after the other by `set_vector_element`, and then used in the order in which
// they came. The price is the run in which each use waits for its own item only (an item that came
// before the one that the step takes is found in a tree), and the end of a loop over the elements
// for the last one that its step uses.
#include "base/table.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_ITEMS = 8,
    MOST_VECTORS = 8,     // that are looked at, of those with most items
    NEAR_MEMBER = 6,      // parents above a use, to the step of the loop that it belongs to
    MOST_OUT_OF_TURN = 8, // one in so many may be out of turn, or written twice
};

// One version of a vector that another one was made of.
typedef struct {
    uint32_t before; // vector
    uint32_t index, by;
} vector_update;

typedef struct {
    uint32_t vector;    // cell
    uint32_t gate;      // the reduction that made it
    uint32_t n, filled; // elements; of them, those that were put in
    uint32_t *there;    // by index: the reduction that brings the element; 0: it was there before
    uint32_t uses, out_of_turn;
    uint32_t first_user; // the first step of a loop that uses an element, or 0
} gathered;

typedef struct {
    const loops *l;
    ARRAY_OF(vector_update) updates;
    base_map update_of; // vector -> update
    base_map updated;   // vectors of which another version was made
    ARRAY_OF(gathered) all;
    base_map of_vector;  // vector -> gathered
    uint32_t *vector_of; // by reduction of vector_element: gathered, from 1; 0: none
    uint32_t *used;      // by member of a chain: index of the latest element that its step uses,
    uint32_t *used_of;   // and of which vector, from 1; 0: none
    uint32_t *bound_of;  // by reduction: it tells the length of this vector, from 1; 0: none
} gather_study;

static trace_value argument_of(const gather_study *s, uint32_t r, uint32_t argument)
{
    const trace *t = s->l->t;
    return iot_end_value(t, trace_goal_arg(t, trace_reduction_goal(t, r), argument));
}

static bool is_builtin(const gather_study *s, uint32_t r, const char *name)
{
    uint32_t p = loops_predicate(s->l, r);
    return trace_get_predicate(s->l->t, p)->origin == TRACE_BUILTIN &&
           loops_is_named(s->l->t, p, name);
}

static uint32_t arity_of(const gather_study *s, uint32_t r)
{
    return trace_get_predicate(s->l->t, loops_predicate(s->l, r))->arity;
}

// ---------------------------------------------------------------------------------------------
// Which vectors

static void note_update(gather_study *s, uint32_t r)
{
    trace_value before = argument_of(s, r, 0), index = argument_of(s, r, 1);
    trace_value after = argument_of(s, r, arity_of(s, r) - 1);
    if (!is_cell_kind(s->l->t, before, TC_VECTOR) || !is_cell_kind(s->l->t, after, TC_VECTOR) ||
        index.kind != TV_INT)
        return;
    map_set(&s->update_of, after.id, s->updates.n);
    map_set(&s->updated, before.id, 1);
    ARRAY_PUSH(s->updates, (vector_update){before.id, (uint32_t)index.i, r});
}

static void add_vector(gather_study *s, gathered v)
{
    map_set(&s->of_vector, v.vector, s->all.n);
    ARRAY_PUSH(s->all, v);
}

static void free_vector(gathered *v)
{
    free(v->there);
}

// Keeps the ones with most items.
static void offer_vector(gather_study *s, gathered v)
{
    size_t least = 0;
    for (size_t i = 0; i < s->all.n; i++)
        least = s->all.at[i].n < s->all.at[least].n ? i : least;
    if (s->all.n < MOST_VECTORS) {
        add_vector(s, v);
    } else if (s->all.at[least].n < v.n) {
        map_set(&s->of_vector, s->all.at[least].vector, MOST_VECTORS);
        map_set(&s->of_vector, v.vector, least);
        free_vector(&s->all.at[least]);
        s->all.at[least] = v;
    } else {
        free_vector(&v);
    }
}

static gathered *vector_at(const gather_study *s, uint32_t cell)
{
    uint64_t found = map_get(&s->of_vector, cell);
    return found < s->all.n ? &s->all.at[found] : NULL;
}

// `new_vector(V, Items)`.
static void study_new(gather_study *s, uint32_t r)
{
    const trace *t = s->l->t;
    trace_value made = argument_of(s, r, 0), list = argument_of(s, r, 1);
    if (!is_cell_kind(t, made, TC_VECTOR) || !is_cell_kind(t, list, TC_CONS) ||
        trace_cell_arity(t, made.id) < FEWEST_ITEMS)
        return;
    gathered v = {.vector = made.id, .gate = r, .n = trace_cell_arity(t, made.id)};
    v.filled = v.n;
    v.there = base_allocate(v.n, sizeof *v.there);
    for (uint32_t i = 0; i < v.n && is_cell_kind(t, list, TC_CONS); i++) {
        v.there[i] = trace_cell_maker(t, list.id);
        list = iot_end_value(t, trace_cell_arg(t, list.id, 1));
    }
    offer_vector(s, v);
}

// The last version of a vector that was filled step by step, each element once.
static void study_filled(gather_study *s, uint32_t vector)
{
    const trace *t = s->l->t;
    uint64_t at = map_get(&s->update_of, vector);
    uint32_t n = trace_cell_arity(t, vector), set = 0, twice = 0;
    if (at == MAP_ABSENT || n < FEWEST_ITEMS || map_get(&s->of_vector, vector) != MAP_ABSENT ||
        map_get(&s->updated, vector) != MAP_ABSENT)
        return;
    gathered v = {.vector = vector, .gate = s->updates.at[at].by, .n = n};
    v.there = base_allocate(n, sizeof *v.there);
    for (; at != MAP_ABSENT && set + twice <= 2 * n;
         at = map_get(&s->update_of, s->updates.at[at].before)) {
        const vector_update *u = &s->updates.at[at];
        if (u->index >= n)
            break;
        bool first = v.there[u->index] == 0;
        set += first;
        twice += !first;
        v.there[u->index] = first ? u->by : v.there[u->index];
    }
    if (set < FEWEST_ITEMS || twice * MOST_OUT_OF_TURN > set) {
        map_set(&s->of_vector, vector, MOST_VECTORS); // looked at
        free_vector(&v);
    } else {
        v.filled = set;
        offer_vector(s, v);
    }
}

static void find_vectors(gather_study *s)
{
    uint32_t n = s->l->g->n;
    for (uint32_t r = 1; r < n; r++) {
        if (s->l->chain_of[r] != IOT_NONE)
            continue;
        if (is_builtin(s, r, "set_vector_element"))
            note_update(s, r);
        else if (is_builtin(s, r, "new_vector"))
            study_new(s, r);
    }
    for (uint32_t r = 1; r < n && s->updates.n; r++) {
        if (s->l->chain_of[r] != IOT_NONE || !is_builtin(s, r, "vector_element"))
            continue;
        trace_value v = argument_of(s, r, 0);
        if (is_cell_kind(s->l->t, v, TC_VECTOR))
            study_filled(s, v.id);
    }
}

// ---------------------------------------------------------------------------------------------
// Uses

// The step of a loop that the reduction belongs to; 0: none near.
static uint32_t member_above(const loops *l, uint32_t r)
{
    for (int up = 0; up < NEAR_MEMBER && r; up++, r = l->g->parents[r])
        if (l->chain_of[r] != IOT_NONE && l->chains.at[l->chain_of[r]].n >= FEWEST_ITEMS)
            return r;
    return 0;
}

static void note_use(gather_study *s, uint32_t r, gathered *v, uint32_t index)
{
    const loops *l = s->l;
    uint32_t member = member_above(l, r), number = (uint32_t)(v - s->all.at) + 1;
    s->vector_of[r] = number;
    if (!member)
        return;
    uint32_t there = v->there[index];
    int64_t time = there ? trace_time(l->t, there) : 0;
    uint32_t before = s->used_of[member] == number ? v->there[s->used[member]] : 0;
    if (before && trace_time(l->t, before) >= time)
        return;
    s->used[member] = index;
    s->used_of[member] = number;
    v->first_user = v->first_user ? v->first_user : member;
}

// Steps that use an element that came before the one that the step before of their chain used.
static void count_turns(gather_study *s)
{
    const loops *l = s->l;
    base_map last = {0}; // by vector and chain: when the element came that was used last
    for (uint32_t r = 1; r < l->g->n; r++) {
        if (!s->used_of[r])
            continue;
        gathered *v = &s->all.at[s->used_of[r] - 1];
        uint32_t there = v->there[s->used[r]];
        uint64_t time = there ? (uint64_t)trace_time(l->t, there) : 0;
        uint64_t *at = map_at(&last, (uint64_t)s->used_of[r] << 32 | l->chain_of[r]);
        v->uses++;
        v->out_of_turn += *at != MAP_ABSENT && time < *at;
        *at = time;
    }
    map_free(&last);
}

static void study_use(gather_study *s, uint32_t r)
{
    trace_value vector = argument_of(s, r, 0), index = argument_of(s, r, 1);
    gathered *v = vector.kind == TV_CELL ? vector_at(s, vector.id) : NULL;
    if (v && index.kind == TV_INT && index.i >= 0 && index.i < v->n)
        note_use(s, r, v, (uint32_t)index.i);
}

// Does the reduction compute from nothing but the length of one vector? Which one, from 1; 0: no.
static uint32_t bound_by_waits(const gather_study *s, uint32_t r)
{
    const wait_graph *g = s->l->g;
    uint32_t bound = 0;
    if (!is_builtin(s, r, ":="))
        return 0;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t of = s->bound_of[g->makers[i]];
        if (!of || (bound && of != bound))
            return 0;
        bound = of;
    }
    return bound;
}

static void find_uses(gather_study *s)
{
    uint32_t n = s->l->g->n;
    s->vector_of = base_allocate(n, sizeof *s->vector_of);
    s->used = base_allocate(n, sizeof *s->used);
    s->used_of = base_allocate(n, sizeof *s->used_of);
    s->bound_of = base_allocate(n, sizeof *s->bound_of);
    for (uint32_t r = 1; r < n; r++) {
        if (s->l->chain_of[r] != IOT_NONE)
            continue;
        if (is_builtin(s, r, "vector_element")) {
            study_use(s, r);
        } else if (is_builtin(s, r, "vector_length")) {
            trace_value vector = argument_of(s, r, 0);
            gathered *v = vector.kind == TV_CELL ? vector_at(s, vector.id) : NULL;
            s->bound_of[r] = v ? (uint32_t)(v - s->all.at) + 1 : 0;
        } else {
            s->bound_of[r] = bound_by_waits(s, r);
        }
    }
    count_turns(s);
}

// ---------------------------------------------------------------------------------------------
// The price

static bool is_vector(const trace *t, uint32_t variable, uint32_t vector)
{
    trace_value v = iot_end_value(t, (trace_value){.kind = TV_CELL, .id = variable});
    return v.kind == TV_CELL && v.id == vector;
}

// Is it the number of the items, as the loop that filled the vector counted them?
static bool is_count(const gather_study *s, const gathered *v, uint32_t variable, uint32_t maker)
{
    const loops *l = s->l;
    uint32_t filler = member_above(l, v->gate);
    trace_value count = iot_end_value(l->t, (trace_value){.kind = TV_CELL, .id = variable});
    return filler && l->chain_of[maker] == l->chain_of[filler] && count.kind == TV_INT &&
           count.i == v->filled;
}

// Is it a use of an element that came before the one that its step takes? The step has kept it.
static bool is_kept(const gather_study *s, uint32_t number, uint32_t r, uint32_t index)
{
    uint32_t member = member_above(s->l, r);
    return member && s->used_of[member] == number && s->used[member] != index;
}

// A use of the vector waits for its element instead, a step for the element that it uses instead of
// the vector's length.
static void draft_reader(const gather_study *s, uint32_t number, uint32_t r, change_draft *d)
{
    const wait_graph *g = s->l->g;
    const gathered *v = &s->all.at[number - 1];
    bool use = s->vector_of[r] == number, step = s->used_of[r] == number, left_out = false;
    if (!use && !step)
        return;
    for (uint64_t i = g->first[r], next; i < g->first[r + 1]; i = next) {
        for (next = i + 1; next < g->first[r + 1] && !bit_get(g->begins, (uint32_t)next); next++)
            ;
        uint32_t variable = iot_variable_of_wait(s->l, r, i);
        bool whole = variable != TRACE_NONE && is_vector(s->l->t, variable, v->vector);
        bool bound =
            variable != TRACE_NONE && step &&
            (s->bound_of[g->makers[i]] == number || is_count(s, v, variable, g->makers[i]));
        if (!whole && !bound)
            continue;
        left_out = true;
        for (uint64_t w = i; w < next; w++)
            draft_wait(d, w, IOT_NONE);
    }
    uint32_t index = use ? (uint32_t)argument_of(s, r, 1).i : s->used[r];
    if (left_out && v->there[index])
        draft_add(d, r, v->there[index]);
    if (use && is_kept(s, number, r, index)) // in a tree
        draft_reduction(d, r, IOT_NONE, loops_levels(v->n));
}

// A loop that the last step of the one that fills the vector begins can begin with that one.
static void draft_begin(const gather_study *s, const gathered *v, change_draft *d)
{
    const loops *l = s->l;
    uint32_t filler = member_above(l, v->gate), user = v->first_user;
    if (!filler || !user || l->chain_of[filler] == l->chain_of[user])
        return;
    uint32_t first = l->chains.at[l->chain_of[user]].first, r = l->g->parents[first];
    for (int up = 0; up < NEAR_MEMBER && r; up++, r = l->g->parents[r])
        if (l->chain_of[r] == l->chain_of[filler]) {
            draft_reduction(d, first, l->g->parents[l->chains.at[l->chain_of[filler]].first], -1);
            return;
        }
}

static uint32_t first_there(const gathered *v)
{
    uint32_t first = v->gate;
    for (uint32_t i = 0; i < v->n; i++)
        first = v->there[i] && v->there[i] < first ? v->there[i] : first;
    return first;
}

static void say_gathered(const gather_study *s, uint32_t number, candidates *c)
{
    const loops *l = s->l;
    const gathered *v = &s->all.at[number - 1];
    uint32_t clause = l->g->all_sites[l->g->sites[v->gate]].clause;
    const wait_site *user = &l->g->all_sites[l->g->sites[v->first_user]];
    change_draft d = {0};
    for (uint32_t r = 1; r < l->g->n; r++)
        draft_reader(s, number, r, &d);
    draft_begin(s, v, &d);
    candidate *x = candidate_add(c, FINDING_BATCH);
    x->reduction = v->gate;
    x->clause = clause;
    char *where = iot_maker_text(l->a, l->g, v->gate, &x->place);
    uint32_t near = iot_clause_near(l, v->gate);
    if (near != IOT_NONE && clause != IOT_NONE && near != clause) { // it calls the library
        x->clause = clause = near;
        x->place = iot_clause_location(l->a, near);
        free(where);
        where = iot_site_text(l->a, &(wait_site){.predicate = x->place.predicate,
                                                 .source = x->place.source,
                                                 .line = x->place.line});
    }
    if (clause != IOT_NONE)
        candidate_also(x, iot_clause_location(l->a, clause));
    candidate_also(x, iot_site_location(user, IOT_NONE));
    x->change = draft_finish(&d);
    x->estimate = true;
    char *next = iot_site_text(l->a, user);
    x->text = base_format("%s puts all %u items into a vector before %s uses the first one, though "
                          "that one uses them in the order in which they come: the first is there "
                          "at step %lld, the vector at step %lld",
                          where, v->filled, next, (long long)trace_time(l->t, first_there(v)),
                          (long long)trace_time(l->t, v->gate));
    x->advice = base_format("take the items from a list as they come, and keep only those that a "
                            "later step needs again, instead of all in a vector");
    x->condition = base_copy("using each item as it comes");
    free(where);
    free(next);
}

void iot_find_gathered(const loops *l, candidates *c)
{
    gather_study s = {.l = l};
    find_vectors(&s);
    if (s.all.n)
        find_uses(&s);
    for (uint32_t i = 0; i < s.all.n; i++) {
        const gathered *v = &s.all.at[i];
        if (v->first_user && v->uses >= FEWEST_ITEMS &&
            v->out_of_turn * MOST_OUT_OF_TURN <= v->uses)
            say_gathered(&s, i + 1, c);
    }
    for (size_t i = 0; i < s.all.n; i++)
        free_vector(&s.all.at[i]);
    free(s.updates.at);
    free(s.all.at);
    map_free(&s.update_of);
    map_free(&s.updated);
    map_free(&s.of_vector);
    free(s.vector_of);
    free(s.used);
    free(s.used_of);
    free(s.bound_of);
}
