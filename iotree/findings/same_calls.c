// SPDX-License-Identifier: MIT
//
// Goals that a clause calls with the same inputs each time, however far below a loop the clause is:
//
//     player(7, Beat, Note) :- tuning(440, 28, A), blow(A, Beat, Note).
//
// An *input* is a constant, or a variable that the goal does not bind. All calls must have the same
// ones. A goal that acts on the world, or makes variables that others bind, is no function of its
// inputs. The price is the run in which only the first call costs anything; who reads what a later
// call makes waits for the first one.
#include "base/table.h"
#include "iotree/findings/clauses.h"
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_CALLS = 4,
    SHORTEST_CALL = 6, // steps of the critical path, on the mean: to hand the result on costs some
    MOST_ARGUMENTS = 32,
    MOST_PASSES = 8
};
static const double worth_it = 0.05; // share of the critical path

// The calls by one goal of one clause.
typedef struct {
    uint32_t first, latest; // call; of its reductions the one that ends last
    uint32_t n;
    bool differs, dropped;
    uint64_t reductions, critical, critical_calls; // of the calls after the first
} call_site;

typedef struct {
    const loops *l;
    uint32_t *call_of; // by reduction: the call that it is or descends from; 0: none
    uint32_t *site_of; // by call, as a reduction: in `sites`, from 1
    uint8_t *impure;   // bits by call
    base_map numbers;  // of the sites: by clause and item
    ARRAY_OF(call_site) sites;
} search;

// Could the text call a goal of the program with the same inputs? It hands on no terms.
static bool may_repeat(const loops *l, uint32_t r)
{
    uint32_t item = loops_item(l, r), parent = l->g->parents[r];
    if (!parent || item == TRACE_NONE ||
        trace_get_predicate(l->t, loops_predicate(l, r))->origin == TRACE_BUILTIN)
        return false;
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, parent));
    bool constant = false;
    if (c->dynamic || trace_get_predicate(l->t, c->predicate)->origin != TRACE_PROGRAM)
        return false;
    for (uint32_t k = 0; k < c->items[item].n; k++) {
        trace_node_kind kind = c->nodes[c->children[c->items[item].first + k]].kind;
        if (kind != TN_HOLE && kind != TN_CONST && kind != TN_FRESH)
            return false;
        constant |= kind == TN_CONST;
    }
    return constant && c->items[item].n <= MOST_ARGUMENTS;
}

static uint32_t site_at(search *s, uint32_t r)
{
    uint32_t clause = trace_reduction_clause(s->l->t, s->l->g->parents[r]);
    uint64_t *at = map_at(&s->numbers, (uint64_t)clause << 32 | loops_item(s->l, r));
    if (*at == MAP_ABSENT) {
        *at = s->sites.n;
        ARRAY_PUSH(s->sites, (call_site){0});
    }
    return (uint32_t)*at;
}

// A call inside a call belongs to the outer one.
static void find_calls(search *s)
{
    const loops *l = s->l;
    for (size_t i = 0; i < s->sites.n; i++)
        s->sites.at[i] = (call_site){.dropped = s->sites.at[i].dropped};
    for (uint32_t r = 1; r < l->g->n; r++) {
        s->call_of[r] = s->call_of[l->g->parents[r]];
        if (s->call_of[r] || !may_repeat(l, r))
            continue;
        uint32_t site = site_at(s, r);
        if (s->sites.at[site].dropped)
            continue;
        s->call_of[r] = r;
        s->site_of[r] = site + 1;
        if (!s->sites.at[site].first)
            s->sites.at[site].first = s->sites.at[site].latest = r;
    }
}

// A call is no function of its inputs if it acts, or if others bind variables that it made.
static void find_impure(search *s)
{
    const trace *t = s->l->t;
    for (uint32_t r = 1; r < s->l->g->n; r++)
        if (s->call_of[r] && clause_acts(t, trace_reduction_clause(t, r)))
            bit_set(s->impure, s->call_of[r]);
    for (uint32_t cell = 0; cell < trace_ncells(t); cell++) {
        uint32_t call = s->call_of[trace_cell_maker(t, cell)];
        if (!call || trace_cell_get_kind(t, cell) != TC_VARIABLE)
            continue;
        uint32_t binding = trace_cell_binding(t, cell);
        if (binding != TRACE_NONE && s->call_of[trace_binding_maker(t, binding)] != call)
            bit_set(s->impure, call);
    }
}

static bool is_output(const search *s, uint32_t call, trace_value v)
{
    if (!is_variable(s->l->t, v))
        return false;
    uint32_t binding = trace_cell_binding(s->l->t, v.id);
    return binding == TRACE_NONE || s->call_of[trace_binding_maker(s->l->t, binding)] == call;
}

// Did another call of the site make this input? Nobody knows beforehand that its result is its input.
static bool comes_from_call(const search *s, uint32_t call, trace_value v)
{
    const trace *t = s->l->t;
    while (is_variable(t, v) && trace_cell_binding(t, v.id) != TRACE_NONE) {
        uint32_t binding = trace_cell_binding(t, v.id);
        uint32_t other = s->call_of[trace_binding_maker(t, binding)];
        if (other && other != call && s->site_of[other] == s->site_of[call])
            return true;
        v = trace_binding_value(t, binding);
    }
    return false;
}

static bool have_same_inputs(const search *s, uint32_t x, uint32_t y)
{
    const trace *t = s->l->t;
    trace_value a[MOST_ARGUMENTS], b[MOST_ARGUMENTS];
    uint32_t goal = trace_reduction_goal(t, x), outputs = 0;
    uint32_t n = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    trace_goal_args(t, goal, a);
    trace_goal_args(t, trace_reduction_goal(t, y), b);
    for (uint32_t i = 0; i < n; i++) {
        bool output = is_output(s, x, a[i]);
        if (output != is_output(s, y, b[i]) || (!output && comes_from_call(s, y, b[i])) ||
            (!output && !is_same_value(iot_end_value(t, a[i]), iot_end_value(t, b[i]))))
            return false;
        outputs += output;
    }
    return outputs > 0;
}

static void compare_calls(search *s)
{
    const loops *l = s->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t call = s->call_of[r];
        if (!call)
            continue;
        call_site *x = &s->sites.at[s->site_of[call] - 1];
        if (call == r) {
            x->n++;
            x->differs |= bit_get(s->impure, r) || !have_same_inputs(s, x->first, r);
        }
        x->reductions += call != x->first;
        if (call == x->first && trace_time(l->t, r) > trace_time(l->t, x->latest))
            x->latest = r;
    }
    uint32_t last = 0;
    for (uint32_t i = 0; i < l->path.n; i++) {
        uint32_t call = s->call_of[l->path.steps[i]];
        call_site *x = call ? &s->sites.at[s->site_of[call] - 1] : NULL;
        if (!x || call == x->first)
            continue;
        x->critical++;
        x->critical_calls += call != last;
        last = call;
    }
}

static bool is_repeated(const search *s, const call_site *x)
{
    return !x->differs && x->n >= FEWEST_CALLS && x->critical_calls + 1 >= FEWEST_CALLS &&
           x->critical >= SHORTEST_CALL * x->critical_calls &&
           (double)x->critical >= worth_it * s->l->path.n;
}

static void draft_once(const search *s, uint32_t site, change_draft *d)
{
    const wait_graph *g = s->l->g;
    const call_site *x = &s->sites.at[site];
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t call = s->call_of[r];
        if (call && s->site_of[call] == site + 1) {
            if (call != x->first)
                draft_reduction(d, r, IOT_NONE, 0);
            continue;
        }
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
            uint32_t maker = s->call_of[g->makers[i]];
            if (maker && maker != x->first && s->site_of[maker] == site + 1 && x->latest < r)
                draft_add(d, r, x->latest);
        }
    }
}

static void add_candidate(const search *s, uint32_t site, candidates *c)
{
    const loops *l = s->l;
    const call_site *x = &s->sites.at[site];
    change_draft d = {0};
    draft_once(s, site, &d);
    candidate *y = candidate_at(l->a, c, FINDING_REPEATED,
                                trace_reduction_clause(l->t, l->g->parents[x->first]), x->first);
    candidate_also(y, iot_clause_location(l->a, trace_reduction_clause(l->t, x->first)));
    y->estimate = true;
    y->change = draft_finish(&d);
    char *name = iot_predicate_text(l->t, y->place.predicate);
    char *where = iot_place_text(l->t, y->place.source, y->place.line);
    char *called = iot_predicate_text(l->t, loops_predicate(l, x->first));
    y->text = base_format("%s%s calls %s %u times with the same inputs: %.1f reductions each time",
                          name, where, called, x->n, (double)x->reductions / (x->n - 1));
    y->advice =
        base_format("call %s once, and hand the result on to %s as an argument", called, name);
    y->condition = base_copy("called once");
    free(name);
    free(where);
    free(called);
}

// Without the sites whose calls are no cause, so that the calls inside these are looked at. Returns
// whether there were any.
static bool drop_sites(search *s)
{
    bool dropped = false;
    memset(s->impure, 0, s->l->g->n / 8 + 1);
    find_calls(s);
    find_impure(s);
    compare_calls(s);
    for (size_t i = 0; i < s->sites.n; i++) {
        call_site *x = &s->sites.at[i];
        bool bad = x->n > 0 && !is_repeated(s, x);
        x->dropped |= bad;
        dropped |= bad;
    }
    return dropped;
}

void iot_find_same_calls(const loops *l, candidates *c)
{
    search s = {.l = l};
    s.call_of = base_allocate(l->g->n, sizeof *s.call_of);
    s.site_of = base_allocate(l->g->n, sizeof *s.site_of);
    s.impure = bits_allocate(l->g->n);
    for (int pass = 0; pass < MOST_PASSES && drop_sites(&s); pass++)
        ;
    for (uint32_t i = 0; i < s.sites.n; i++)
        if (s.sites.at[i].n > 0 && is_repeated(&s, &s.sites.at[i]))
            add_candidate(&s, i, c);
    free(s.call_of);
    free(s.site_of);
    free(s.impure);
    free(s.sites.at);
    map_free(&s.numbers);
}
