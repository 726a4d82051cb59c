// SPDX-License-Identifier: MIT
//
// Loops whose next step waits for a number that the clause could have computed in its guard:
//
//     walk(N, X, S) :- N > 0 | dig(X, Y), below(N, N1), walk(N1, Y, S).
//     below(N, N1) :- N1 := N - 1.
//
// All that below/2 needs is there when the step begins. It is a counter if the number grows by the same
// (and not by 0) from each step to the next one: what else a step computes from the last result is work. The
// price is the run in which the goals that make the number take no time. One `:=` before the next step is
// usual: it is told only among all findings.
#include "iotree/findings/clauses.h"
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 6,
    FEWEST_STEPS = 16,
    MOST_GOALS = 8, // of a step, that the next one waits for
};
static const double nearly_all = 0.9; // of the steps by a clause
static const double usual = 1.5;      // steps of time that a loop may wait for a number

typedef struct {
    const loops *l;
    clause_facts *facts;
    uint8_t *simple; // by predicate
    uint32_t *side;
    uint8_t *counts; // bits by reduction: goals that make the numbers
    uint32_t *steps, *counted; // by clause: of the loop that is looked at
    uint64_t ncounted, time, compared, regular;
    int64_t number, difference; // of the last step of the chain
    bool has_number, has_difference;
    uint32_t example; // a goal that makes one
} search;

typedef struct {
    uint32_t goals[MOST_GOALS], n; // reductions
} step_goals;

static bool is_computation(const search *s, uint32_t p)
{
    return trace_get_predicate(s->l->t, p)->origin == TRACE_BUILTIN && loops_is_named(s->l->t, p, ":=");
}

static bool is_free(const trace_node *n)
{
    return n->kind == TN_HOLE || n->kind == TN_FRESH;
}

// Its only clause asks nothing: it has variables in its head, guards that compute, and binds variables to
// what is computed only. So the clause that calls it could do the same in its place.
static bool is_simple(const search *s, uint32_t p)
{
    const trace *t = s->l->t;
    const clause_facts *f = s->facts;
    if (f->first[p + 1] != f->first[p] + 1 || s->l->loop_of[p] != IOT_NONE)
        return false;
    uint32_t clause = f->clauses[f->first[p]];
    const trace_clause *c = trace_get_clause(t, clause);
    bool simple = clause_is_told(f, clause);
    for (uint32_t i = 0; i < c->nhead; i++)
        simple &= is_free(&c->patterns[c->head[i]]);
    for (uint32_t g = 0; g < c->nguards && simple; g++)
        simple = guard_computes(t, clause, g);
    for (uint32_t i = 0; i < c->nitems; i++)
        for (uint32_t side = 0; side < 2 && c->items[i].kind == TI_UNIFY; side++)
            simple &= is_free(&c->nodes[c->children[c->items[i].first + side]]);
    return simple;
}

static bool is_of_step(const search *s, uint32_t member, uint32_t r)
{
    return s->side[r] && s->l->g->parents[s->side[r]] == member;
}

static bool add_goal(const search *s, step_goals *x, uint32_t r)
{
    uint32_t p = loops_predicate(s->l, r);
    for (uint32_t i = 0; i < x->n; i++)
        if (x->goals[i] == r)
            return true;
    if (x->n == MOST_GOALS || (!is_computation(s, p) && !s->simple[p]))
        return false;
    x->goals[x->n++] = r;
    return true;
}

// Does nothing but goals of the step that compute, and what was there before, make what the goal needs?
static bool add_needs(const search *s, step_goals *x, uint32_t member, uint32_t r)
{
    const wait_graph *g = s->l->g;
    if (g->parents[r] != member && !add_goal(s, x, g->parents[r]))
        return false;
    for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++) {
        uint32_t maker = g->makers[w];
        if (is_of_step(s, member, maker) ? !add_goal(s, x, maker)
                                         : trace_time(s->l->t, maker) > trace_time(s->l->t, member))
            return false;
    }
    return true;
}

// The numbers that goals of the step make, and the next one waits for: how much longer than for all else.
// *ret_last: the last one's maker.
static int64_t wait_for_numbers(const search *s, step_goals *x, uint32_t member, uint32_t next,
                                uint32_t *ret_last)
{
    const wait_graph *g = s->l->g;
    int64_t other = trace_time(s->l->t, g->parents[next]), number = other;
    for (uint64_t w = g->first[next]; w < g->first[next + 1]; w++) {
        uint32_t maker = g->makers[w];
        int64_t time = trace_time(s->l->t, maker);
        if (!is_of_step(s, member, maker) || !add_goal(s, x, maker)) {
            other = time > other ? time : other;
        } else if (time > number) {
            number = time;
            *ret_last = maker;
        }
    }
    return number - other;
}

// Does the number differ from the one before as that did from the one before it?
static void compare_number(search *s, uint32_t next, uint32_t maker)
{
    const trace *t = s->l->t;
    uint32_t variable = iot_variable_from(s->l, next, maker);
    trace_value v = variable == TRACE_NONE ? (trace_value){0}
                                           : trace_binding_value(t, trace_cell_binding(t, variable));
    v = iot_end_value(t, v);
    if (v.kind != TV_INT) {
        s->has_number = s->has_difference = false;
        return;
    }
    int64_t difference = (int64_t)((uint64_t)v.i - (uint64_t)s->number);
    s->compared += s->has_difference;
    s->regular += s->has_difference && difference != 0 && difference == s->difference;
    s->has_difference = s->has_number;
    s->has_number = true;
    s->difference = difference;
    s->number = v.i;
}

static void see_step(search *s, uint32_t member, uint32_t next)
{
    step_goals x = {0};
    uint32_t last = IOT_NONE;
    int64_t time = wait_for_numbers(s, &x, member, next, &last);
    uint32_t clause = trace_reduction_clause(s->l->t, member);
    if (clause == TRACE_NONE)
        return;
    bool good = time > 0;
    s->steps[clause]++;
    for (uint32_t i = 0; i < x.n && good; i++)
        good = add_needs(s, &x, member, x.goals[i]);
    if (!good)
        return;
    s->counted[clause]++;
    s->ncounted++;
    s->time += (uint64_t)time;
    s->example = last;
    compare_number(s, next, last);
    for (uint32_t i = 0; i < x.n; i++)
        bit_set(s->counts, x.goals[i]);
}

static void set_texts(const search *s, candidate *x, uint32_t clause)
{
    const loops *l = s->l;
    uint32_t goal = s->side[s->example], item = loops_item(l, goal), p = loops_predicate(l, goal);
    char *name = iot_predicate_text(l->t, x->place.predicate);
    char *where = iot_place_text(l->t, x->place.source, x->place.line);
    char *text = item == TRACE_NONE ? base_copy("a goal") : item_text(l->t, clause, item);
    char *what = is_computation(s, p) ? base_copy(text) : base_format("the number that %s makes", text);
    x->text = base_format("%s%s waits %.1f steps for %s before each next call of itself, though all that "
                          "this needs is there before (%llu times)",
                          name, where, (double)s->time / (double)s->ncounted, what,
                          (unsigned long long)s->ncounted);
    x->advice = base_format("compute %s in the guard of %s, with what it follows from", what, name);
    x->condition = base_copy("computed in the guard");
    for (uint32_t i = s->facts->first[p]; i < s->facts->first[p + 1]; i++)
        candidate_also(x, iot_clause_location(l->a, s->facts->clauses[i]));
    free(name);
    free(where);
    free(text);
    free(what);
}

static void add_candidate(const search *s, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    for (uint32_t r = 1; r < l->g->n; r++)
        if (bit_get(s->counts, r))
            draft_reduction(&d, r, IOT_NONE, 0);
    uint32_t member = l->g->parents[s->side[s->example]];
    uint32_t clause = trace_reduction_clause(l->t, member);
    candidate *x = candidate_at(l->a, c, FINDING_WAIT, clause, member);
    x->change = draft_finish(&d);
    x->estimate = true;
    x->doubt = (double)s->time > usual * (double)s->ncounted ? SURE : DOUBTFUL;
    set_texts(s, x, clause);
}

static void look_at_loop(search *s, uint32_t loop)
{
    const loops *l = s->l;
    memset(s->steps, 0, trace_nclauses(l->t) * sizeof *s->steps);
    memset(s->counted, 0, trace_nclauses(l->t) * sizeof *s->counted);
    s->ncounted = s->time = s->compared = s->regular = 0;
    for (size_t i = 0; i < l->chains.n; i++)
        if (l->chains.at[i].loop == loop) {
            s->has_number = s->has_difference = false;
            for (uint32_t r = l->chains.at[i].first; l->next[r]; r = l->next[r])
                see_step(s, r, l->next[r]);
        }
}

// The clauses that wait for numbers at all do so nearly always, and the numbers are counted.
static bool is_counted(const search *s)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < trace_nclauses(s->l->t); i++)
        steps += s->counted[i] ? s->steps[i] : 0;
    return s->ncounted >= FEWEST_STEPS && (double)s->ncounted >= nearly_all * (double)steps &&
           s->regular > 0 && (double)s->regular >= nearly_all * (double)s->compared;
}

void iot_find_counters(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    search s = {.l = l, .facts = clause_facts_create(l->t)};
    uint32_t npredicates = trace_npredicates(l->t);
    s.simple = base_allocate(npredicates, 1);
    s.steps = base_allocate(trace_nclauses(l->t), sizeof *s.steps);
    s.counted = base_allocate(trace_nclauses(l->t), sizeof *s.counted);
    for (uint32_t p = 0; p < npredicates; p++)
        s.simple[p] = is_simple(&s, p);
    for (uint32_t i = 0; i < n; i++) {
        s.side = iot_side_goals(l, looked[i]);
        s.counts = bits_allocate(l->g->n);
        look_at_loop(&s, looked[i]);
        if (is_counted(&s))
            add_candidate(&s, c);
        free(s.side);
        free(s.counts);
    }
    free(s.steps);
    free(s.counted);
    free(s.simple);
    clause_facts_destroy(s.facts);
}
