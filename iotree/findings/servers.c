// SPDX-License-Identifier: MIT
//
// A process that answers one request after the other because it keeps the state of all keys in one
// vector: a loop that takes requests from a merge, looks up and replaces the element that the
// request names. The price is the run in which a request waits only for the one before it with the
// same key.
#include "base/table.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_REQUESTS = 8,
    MOST_LOOPS = 6,
    MOST_FIELDS = 8,
};
static const double worth_it = 0.2; // share of the critical path

// What the loop does for one request.
typedef struct {
    uint32_t chain, first, last; // members
    trace_value request;
    uint32_t before; // the turn before with the same key, from 1; 0: none
} turn;

typedef struct {
    const loops *l;
    uint32_t loop;
    uint32_t *turn_of; // by reduction: from 1; 0: none
    ARRAY_OF(turn) turns;
    uint32_t field; // of the request: its key
    uint32_t keys;
} server_study;

// ---------------------------------------------------------------------------------------------
// Turns

// Did a merge bind what leads to this cell?
static bool comes_from_merge(const loops *l, uint32_t cell)
{
    uint32_t maker = trace_cell_maker(l->t, cell), p = loops_predicate(l, maker);
    return maker && trace_get_predicate(l->t, p)->origin == TRACE_BUILTIN &&
           loops_is_named(l->t, p, "merge");
}

static void find_turns(server_study *s)
{
    const loops *l = s->l;
    s->turn_of = base_allocate(l->g->n, sizeof *s->turn_of);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r], parent = l->g->parents[r];
        s->turn_of[r] = s->turn_of[parent];
        if (chain == IOT_NONE || l->chains.at[chain].loop != s->loop)
            continue;
        uint32_t cell = l->taken[r];
        if (cell != IOT_NONE && comes_from_merge(l, cell)) {
            trace_value request = iot_end_value(l->t, trace_cell_arg(l->t, cell, 0));
            ARRAY_PUSH(s->turns, (turn){.chain = chain, .first = r, .request = request});
            s->turn_of[r] = (uint32_t)s->turns.n;
        }
        if (s->turn_of[r] && s->turns.at[s->turn_of[r] - 1].chain == chain)
            s->turns.at[s->turn_of[r] - 1].last = r;
    }
}

// ---------------------------------------------------------------------------------------------
// Keys

static bool key_value(const trace *t, const turn *x, uint32_t field, uint64_t *ret)
{
    if (!is_cell_kind(t, x->request, TC_STRUCT) || trace_cell_arity(t, x->request.id) <= field)
        return false;
    trace_value v = iot_end_value(t, trace_cell_arg(t, x->request.id, field));
    *ret = v.kind == TV_INT ? (uint64_t)v.i : v.id;
    return v.kind == TV_INT;
}

// Is the field the index of a vector's element that goals of the loop's turns look at or replace?
static bool indexes_a_vector(const server_study *s, uint32_t field)
{
    const loops *l = s->l;
    uint64_t looked = 0, key;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t p = loops_predicate(l, r);
        if (!s->turn_of[r] || l->chain_of[r] != IOT_NONE ||
            trace_get_predicate(l->t, p)->origin != TRACE_BUILTIN ||
            !(loops_is_named(l->t, p, "vector_element") || loops_is_named(l->t, p, "set_vector_element")) ||
            !key_value(l->t, &s->turns.at[s->turn_of[r] - 1], field, &key))
            continue;
        trace_value v = iot_end_value(l->t, trace_goal_arg(l->t, trace_reduction_goal(l->t, r), 1));
        if (v.kind != TV_INT || (uint64_t)v.i != key)
            return false;
        looked++;
    }
    return 2 * looked >= s->turns.n;
}

// Links each turn to the one before with the same key. Returns how many keys there are.
static uint32_t link_turns(server_study *s, uint32_t field)
{
    base_map last = {0};
    uint32_t keys = 0;
    for (uint32_t i = 0; i < s->turns.n; i++) {
        turn *x = &s->turns.at[i];
        uint64_t key;
        if (!key_value(s->l->t, x, field, &key))
            continue;
        uint64_t *at = map_at(&last, hash_word(key, x->chain));
        keys += *at == MAP_ABSENT;
        x->before = *at == MAP_ABSENT ? 0 : (uint32_t)*at;
        *at = i + 1;
    }
    map_free(&last);
    return keys;
}

static bool find_key(server_study *s)
{
    for (s->field = 0; s->field < MOST_FIELDS; s->field++)
        if (indexes_a_vector(s, s->field)) {
            s->keys = link_turns(s, s->field);
            return s->keys >= 2 && 2 * (uint64_t)s->keys <= s->turns.n;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------
// The price

// The youngest reduction of a turn at the same place of the text; 0: none.
static uint32_t like_maker(const server_study *s, const base_map *makers, uint32_t number,
                           uint32_t maker)
{
    uint64_t found = map_get(makers, (uint64_t)number << 32 | s->l->g->sites[maker]);
    return found == MAP_ABSENT ? 0 : (uint32_t)found;
}

static void draft_wait_of(const server_study *s, const base_map *makers, uint32_t r, uint64_t wait,
                          change_draft *d)
{
    const wait_graph *g = s->l->g;
    uint32_t mine = s->turn_of[r], maker = g->makers[wait], other = s->turn_of[maker];
    if (!mine || !other || mine == other ||
        s->turns.at[mine - 1].chain != s->turns.at[other - 1].chain)
        return;
    uint32_t before = s->turns.at[mine - 1].before;
    uint32_t like = before ? like_maker(s, makers, before, maker) : 0;
    draft_wait(d, wait, like ? like : IOT_NONE);
}

static void draft_split(const server_study *s, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    base_map makers = {0};
    for (uint32_t r = 1; r < g->n; r++) {
        for (uint64_t i = g->first[r]; s->turn_of[r] && i < g->first[r + 1]; i++)
            draft_wait_of(s, &makers, r, i, d);
        if (s->turn_of[r])
            map_set(&makers, (uint64_t)s->turn_of[r] << 32 | g->sites[r], r);
    }
    for (size_t i = 0; i < s->turns.n; i++) {
        const turn *x = &s->turns.at[i];
        uint32_t parent =
            x->before ? s->turns.at[x->before - 1].last : g->parents[l->chains.at[x->chain].first];
        draft_reduction(d, x->first, parent, -1);
    }
    map_free(&makers);
}

static void say_server(const server_study *s, candidates *c)
{
    const loops *l = s->l;
    const turn *example = &s->turns.at[s->turns.n / 2];
    change_draft d = {0};
    draft_split(s, &d);
    candidate *x = candidate_add(c, FINDING_SERVER);
    x->reduction = example->first;
    x->clause = trace_reduction_clause(l->t, example->first);
    x->place = iot_clause_location(l->a, x->clause);
    candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, example->last)));
    x->estimate = true;
    x->change = draft_finish(&d);
    char *where = iot_site_text(l->a, &l->g->all_sites[l->g->sites[example->first]]);
    char *name = iot_predicate_text(l->t, x->place.predicate);
    x->text =
        base_format("%s answers one request after the other because one vector holds the state "
                    "of all keys: %zu requests for %u keys (argument %u of the request)",
                    where, s->turns.n, s->keys, s->field + 1);
    x->advice =
        base_format("give each key, or each group of keys, a process of its own in place of %s, "
                    "and send each request to the process of its key",
                    name);
    x->condition = base_copy("with a process for each key");
    free(where);
    free(name);
}

// Does a clause of the loop look at an element of a vector?
static bool has_a_vector(const loops *l, uint32_t loop)
{
    for (uint32_t i = 0; i < trace_nclauses(l->t); i++) {
        const trace_clause *c = trace_get_clause(l->t, i);
        for (uint32_t k = 0; l->loop_of[c->predicate] == loop && k < c->nitems; k++)
            if (c->items[k].kind == TI_GOAL &&
                (loops_is_named(l->t, c->items[k].predicate, "vector_element") ||
                 loops_is_named(l->t, c->items[k].predicate, "set_vector_element")))
                return true;
    }
    return false;
}

void iot_find_servers(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        server_study s = {.l = l, .loop = looked[i]};
        if (l->near[looked[i]] < worth_it * l->a->path.n || !has_a_vector(l, looked[i]))
            continue;
        find_turns(&s);
        if (s.turns.n >= FEWEST_REQUESTS && find_key(&s))
            say_server(&s, c);
        free(s.turn_of);
        free(s.turns.at);
    }
}
