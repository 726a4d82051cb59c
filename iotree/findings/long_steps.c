// SPDX-License-Identifier: MIT
//
// Loops whose steps are long because goals compute, one after the other, what guards could compute
// in the step itself:
//
//     fly(X, N) :- X > 1 | parity(X, P), step(P, X, Y), N1 := N + 1, fly(Y, N1).
//     parity(X, P) :- P := X mod 2.
//     step(0, X, Y) :- Y := X // 2.
//     step(1, X, Y) :- Y := 3 * X + 1.
//
// A predicate is *simple* if it calls itself nowhere below, tests numbers and constants only, and
// does nothing but bind its output to one, computed by `:=` or by simple goals. The price is the
// run in which the simple goals that a step of the loop waits for take no time. One `:=` before the
// next step is usual, and no cause; nor is one helper, nor are helpers of which none chooses its
// clause by what another one has computed.
#include "iotree/findings/clauses.h"
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 6,
    FEWEST_STEPS = 16,
    LONG = 4,         // steps of time from one step of the loop to the next one
    FEWEST_GOALS = 2, // of the program's predicates, among those that a step waits for
    DEEPEST = 4,      // simple goals below each other
    MOST_GOALS = 24   // that a step waits for
};
static const double nearly_all = 0.9; // of the steps

typedef struct {
    const loops *l;
    clause_facts *facts;
    uint32_t loop;
    uint32_t *side;
    uint8_t *simple;   // by predicate
    uint8_t *computed; // bits by reduction: a guard could compute it
    uint64_t steps, simple_steps, time;
    uint32_t example;
    uint32_t helpers[FEWEST_GOALS], nhelpers; // predicates of the example
} search;

// ---------------------------------------------------------------------------------------------
// Simple predicates

static bool is_plain(const trace_node *n)
{
    return n->kind == TN_HOLE || n->kind == TN_FRESH || n->kind == TN_CONST;
}

static bool computes(const search *s, uint32_t predicate)
{
    const trace *t = s->l->t;
    return trace_get_predicate(t, predicate)->origin == TRACE_BUILTIN &&
           loops_is_named(t, predicate, ":=");
}

static bool is_simple_clause(const search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->l->t, clause);
    if (!clause_is_told(s->facts, clause) || c->nitems == 0)
        return false;
    for (uint32_t i = 0; i < c->nhead; i++)
        if (!is_plain(&c->patterns[c->head[i]]))
            return false;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        bool goal = item->kind == TI_GOAL;
        if (goal && !computes(s, item->predicate) && !s->simple[item->predicate])
            return false;
        for (uint32_t k = 0; !goal && k < 2; k++)
            if (!is_plain(&c->nodes[c->children[item->first + k]]))
                return false;
    }
    return true;
}

// Each pass finds those that call only what the passes before have found: so none calls itself.
static void find_simple(search *s)
{
    const clause_facts *f = s->facts;
    uint32_t n = trace_npredicates(s->l->t);
    s->simple = base_allocate(n, 1);
    for (int pass = 0; pass < DEEPEST; pass++)
        for (uint32_t p = 0; p < n; p++) {
            bool simple = f->first[p] < f->first[p + 1] && s->l->loop_of[p] == IOT_NONE;
            for (uint32_t i = f->first[p]; simple && i < f->first[p + 1]; i++)
                simple = is_simple_clause(s, f->clauses[i]);
            s->simple[p] |= simple;
        }
}

// ---------------------------------------------------------------------------------------------
// Steps

typedef struct {
    uint32_t goals[MOST_GOALS], n; // reductions
    uint32_t helpers[FEWEST_GOALS], nhelpers;
    bool chooses; // a goal's clause was chosen by what another goal computed
} step_goals;

// Has the clause that the goal chose a constant in its head, or a guard?
static bool chooses(const search *s, uint32_t r)
{
    const trace_clause *c = trace_get_clause(s->l->t, trace_reduction_clause(s->l->t, r));
    bool is = c->nguards > 0;
    for (uint32_t i = 0; i < c->nhead; i++)
        is |= c->patterns[c->head[i]].kind == TN_CONST;
    return is;
}

// Adds a goal of the member that somebody waits for. False: no guard could compute it.
static bool add_goal(const search *s, step_goals *x, uint32_t r)
{
    uint32_t p = loops_predicate(s->l, r);
    for (uint32_t i = 0; i < x->n; i++)
        if (x->goals[i] == r)
            return true;
    if (x->n == MOST_GOALS || (!computes(s, p) && !s->simple[p]))
        return false;
    x->goals[x->n++] = r;
    bool known = computes(s, p);
    for (uint32_t i = 0; i < x->nhelpers; i++)
        known |= x->helpers[i] == p;
    if (!known && x->nhelpers < FEWEST_GOALS)
        x->helpers[x->nhelpers++] = p;
    return true;
}

// The goal of the member that made this; 0: none did.
static uint32_t goal_of(const search *s, uint32_t member, uint32_t maker)
{
    return s->side[maker] && s->l->g->parents[s->side[maker]] == member ? maker : 0;
}

// Is it a `:=` of the member that needs nothing of its other goals, as a counter?
static bool is_alone(const search *s, uint32_t member, uint32_t r)
{
    const wait_graph *g = s->l->g;
    if (g->parents[r] != member || !computes(s, loops_predicate(s->l, r)))
        return false;
    for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
        if (goal_of(s, member, g->makers[w]))
            return false;
    return true;
}

// The goals of the member that this reduction waits for, and that created those. What the next
// member waits for beside them may stay as it is.
static bool add_goals_before(const search *s, step_goals *x, uint32_t member, uint32_t r)
{
    const wait_graph *g = s->l->g;
    bool good = true;
    if (s->side[r] && g->parents[r] != member)
        good = add_goal(s, x, g->parents[r]);
    for (uint64_t w = g->first[r]; w < g->first[r + 1] && good; w++) {
        uint32_t goal = goal_of(s, member, g->makers[w]);
        if (goal && (s->side[r] || !is_alone(s, member, goal)))
            good = add_goal(s, x, goal);
        x->chooses |= goal && s->side[r] && chooses(s, r);
    }
    return good;
}

static void see_step(search *s, uint32_t member, uint32_t next)
{
    step_goals x = {0};
    bool good = add_goals_before(s, &x, member, next);
    for (uint32_t i = 0; i < x.n && good; i++)
        good = add_goals_before(s, &x, member, x.goals[i]);
    s->steps++;
    s->time += (uint64_t)(trace_time(s->l->t, next) - trace_time(s->l->t, member));
    if (!good || !x.chooses || x.nhelpers < FEWEST_GOALS)
        return;
    s->simple_steps++;
    s->example = member;
    s->nhelpers = x.nhelpers;
    memcpy(s->helpers, x.helpers, sizeof x.helpers);
    for (uint32_t i = 0; i < x.n; i++)
        bit_set(s->computed, x.goals[i]);
}

static bool has_long_steps(search *s)
{
    const loops *l = s->l;
    for (size_t i = 0; i < l->chains.n; i++)
        if (l->chains.at[i].loop == s->loop)
            for (uint32_t r = l->chains.at[i].first; l->next[r]; r = l->next[r])
                see_step(s, r, l->next[r]);
    return s->simple_steps >= FEWEST_STEPS && s->time >= LONG * s->steps &&
           (double)s->simple_steps >= nearly_all * (double)s->steps;
}

// ---------------------------------------------------------------------------------------------
// Candidates

static void add_candidate(const search *s, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    for (uint32_t r = 1; r < l->g->n; r++)
        if (bit_get(s->computed, r))
            draft_reduction(&d, r, IOT_NONE, 0);
    candidate *x =
        candidate_at(l->a, c, FINDING_WAIT, trace_reduction_clause(l->t, s->example), s->example);
    x->change = draft_finish(&d);
    x->estimate = true;
    for (uint32_t k = 0; k < s->nhelpers; k++)
        for (uint32_t p = s->helpers[k], i = s->facts->first[p]; i < s->facts->first[p + 1]; i++)
            candidate_also(x, iot_clause_location(l->a, s->facts->clauses[i]));
    char *name = iot_predicate_text(l->t, x->place.predicate);
    char *where = iot_place_text(l->t, x->place.source, x->place.line);
    char *first = iot_predicate_text(l->t, s->helpers[s->nhelpers - 1]);
    char *second = iot_predicate_text(l->t, s->helpers[0]);
    x->text =
        base_format("%s%s takes %.1f steps from one call of itself to the next: %s and %s "
                    "compute one after the other, and guards could in one step (%llu times)",
                    name, where, (double)s->time / (double)s->steps, first, second,
                    (unsigned long long)s->simple_steps);
    x->advice = base_format("move the computation of %s and %s into the guards of %s, with a clause "
                            "for each case",
                            first, second, name);
    x->condition = base_copy("computed in guards");
    free(name);
    free(where);
    free(first);
    free(second);
}

void iot_find_long_steps(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    search s = {.l = l, .facts = clause_facts_create(l->t)};
    find_simple(&s);
    for (uint32_t i = 0; i < n; i++) {
        s.loop = looked[i];
        s.side = iot_side_goals(l, looked[i]);
        s.computed = bits_allocate(l->g->n);
        s.steps = s.simple_steps = s.time = 0;
        if (has_long_steps(&s))
            add_candidate(&s, c);
        free(s.side);
        free(s.computed);
    }
    free(s.simple);
    clause_facts_destroy(s.facts);
}
