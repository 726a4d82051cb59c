// SPDX-License-Identifier: MIT
//
// Values threaded through a tree. A loop that calls itself several times hands one value from its
// first part to the next one, and each goal of one operation takes what the goal to its left has
// made:
//
//     sum(node(L, X, R), A, S) :- sum(L, A, A1), A2 := A1 + X, sum(R, A2, S).
//
// The goals are made as a tree, and wait for each other as a line. If the operation is associative
// and nobody else looks at what is in between, each part can combine its own. The price is the run
// in which they do. What a part combines by a loop of its own stays one after the other:
//
//     sum(leaf(N), A, S) :- rounds(N, A, S).
//     rounds(N, A, S) :- N > 0 | N1 := N - 1, A1 := A + N, rounds(N1, A1, S).
#include "iotree/findings/combine.h"
#include "iotree/findings/shapes.h"
#include "iotree/findings/steps.h"

#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 16,    // that are looked at
    SHORTEST_LINE = 10, // goals of one operation
    BUSHY = 4,          // times the members of the longest chain
    MOST_BELOW = 16,    // goals that the last one of a line calls to combine
    MOST_KEPT = 4,      // values in between that structures may hold
};
static const double worth_it = 0.05; // share of the critical path

// A line of goals of one site of the text.
typedef struct {
    const loops *l;
    uint32_t loop, *side;
    uint32_t *before; // by reduction: the goal whose result it took; 0: none
    uint32_t *parts;  // by reduction: of the line that ends with it, but the first one
    uint32_t ngoals;  // of the line that was found, but the first one
    const char *verb;
    base_map tried; // combinations, for operands of the run
} line_study;

// The site whose goals may combine: of arithmetic, or of a predicate that is no loop.
static bool may_combine(const line_study *s, uint32_t r)
{
    const loops *l = s->l;
    uint32_t p = loops_predicate(l, r);
    const trace_predicate *predicate = trace_get_predicate(l->t, p);
    return s->side[r] && l->loop_of[p] == IOT_NONE &&
           (predicate->origin != TRACE_BUILTIN || loops_is_named(l->t, p, ":=") ||
            loops_is_named(l->t, p, "string_concat"));
}

static void link_goal(line_study *s, uint32_t r)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t m = g->makers[i];
        bool within = s->side[m] == s->side[r];
        if (!s->side[m] || loops_predicate(l, m) != loops_predicate(l, r) || !may_combine(s, m) ||
            (!within && g->parents[s->side[m]] == g->parents[s->side[r]]))
            continue;
        uint32_t parts = s->parts[m] + !within;
        if (!s->before[r] || parts > s->parts[r]) {
            s->parts[r] = parts;
            s->before[r] = m;
        }
    }
}

// Does it take what another goal of its own part has made?
static bool goes_on_within(const line_study *s, uint32_t r)
{
    return s->before[r] && s->side[s->before[r]] == s->side[r];
}

// The last goal of the longest line; 0: none is long.
static uint32_t find_line(line_study *s)
{
    uint32_t last = 0;
    for (uint32_t r = 1; r < s->l->g->n; r++) {
        if (!may_combine(s, r))
            continue;
        link_goal(s, r);
        bool goes_on = last && s->before[r] == last;
        last = goes_on || s->parts[r] > s->parts[last] ? r : last;
    }
    for (uint32_t r = last; s->before[r]; r = s->before[r])
        s->ngoals++;
    return s->parts[last] + 1 >= SHORTEST_LINE ? last : 0;
}

// Does every goal combine, and does a member of another chain of the loop make most of them? What
// came by way of an alias is like the others.
static bool line_combines(line_study *s, uint32_t last)
{
    const loops *l = s->l;
    uint32_t across = 0, known = 0;
    for (uint32_t r = last; s->before[r]; r = s->before[r]) {
        uint32_t variable = iot_variable_from(l, r, s->before[r]);
        if (variable != TRACE_NONE && !iot_is_associative(l, r, variable, &s->tried, &s->verb))
            return false;
        known += variable != TRACE_NONE;
        uint32_t x = l->g->parents[s->side[r]], y = l->g->parents[s->side[s->before[r]]];
        across += l->chain_of[x] != l->chain_of[y];
    }
    return 2 * across >= s->parts[last] && 2 * known >= s->ngoals;
}

static bool is_structure(const trace *t, trace_value v)
{
    return is_cell_kind(t, v, TC_STRUCT) || is_cell_kind(t, v, TC_CONS);
}

// Sets the bits of the cells of a goal's expression.
static void mark_expression(const trace *t, uint32_t goal, uint8_t *expressions)
{
    ARRAY_OF(uint32_t) stack = {0};
    trace_value v = trace_goal_arg(t, goal, 1);
    if (is_structure(t, v))
        ARRAY_PUSH(stack, v.id);
    while (stack.n) {
        uint32_t cell = stack.at[--stack.n], n = trace_cell_arity(t, cell);
        bit_set(expressions, cell);
        for (uint32_t i = 0; i < n; i++) {
            v = trace_cell_arg(t, cell, i);
            if (is_structure(t, v) && !bit_get(expressions, v.id))
                ARRAY_PUSH(stack, v.id);
        }
    }
    free(stack.at);
}

// How many structures hold one of these variables; no expressions of arithmetic.
static uint32_t count_holders(const trace *t, const uint8_t *variables, const uint8_t *expressions)
{
    uint32_t found = 0;
    for (uint32_t cell = 0; cell < trace_ncells(t) && found <= MOST_KEPT; cell++) {
        trace_value c = {.kind = TV_CELL, .id = cell};
        uint32_t n =
            is_structure(t, c) && !bit_get(expressions, cell) ? trace_cell_arity(t, cell) : 0;
        for (uint32_t i = 0; i < n; i++) {
            trace_value v = trace_cell_arg(t, cell, i);
            found += is_variable(t, v) && bit_get(variables, v.id);
        }
    }
    return found;
}

// Do structures hold the values in between, as the number that each node of a tree gets? Then the
// line is what the program is for.
static bool values_are_kept(const line_study *s, uint32_t last)
{
    const trace *t = s->l->t;
    uint8_t *between = bits_allocate(trace_ncells(t)),
            *expressions = bits_allocate(trace_ncells(t));
    for (uint32_t r = last; s->before[r]; r = s->before[r]) {
        uint32_t variable = iot_variable_from(s->l, r, s->before[r]);
        if (variable != TRACE_NONE)
            bit_set(between, variable);
        if (loops_is_named(t, loops_predicate(s->l, r), ":="))
            mark_expression(t, trace_reduction_goal(t, r), expressions);
    }
    bool are = count_holders(t, between, expressions) > MOST_KEPT;
    free(between);
    free(expressions);
    return are;
}

// The goals of the line but the last one, as bits.
static uint8_t *goals_before(const line_study *s, uint32_t last)
{
    uint8_t *bits = bits_allocate(s->l->g->n);
    for (uint32_t r = s->before[last]; r; r = s->before[r])
        bit_set(bits, r);
    return bits;
}

// Does somebody else wait for the values in between?
static bool values_are_used(const line_study *s, uint32_t last)
{
    const wait_graph *g = s->l->g;
    uint8_t *on_line = goals_before(s, last);
    uint32_t used = 0;
    for (uint32_t r = 1; r < g->n; r++)
        for (uint64_t i = g->first[r]; i < g->first[r + 1] && !bit_get(on_line, r); i++)
            used += r != last && bit_get(g->begins, (uint32_t)i) && bit_get(on_line, g->makers[i]);
    free(on_line);
    return 4 * used > s->ngoals;
}

// How long one combination takes: from one part to the next at least.
static int64_t time_of_one(const line_study *s, uint32_t last)
{
    int64_t least = INT64_MAX;
    for (uint32_t r = last; s->before[r]; r = s->before[r]) {
        int64_t time = trace_time(s->l->t, r) - trace_time(s->l->t, s->before[r]);
        if (goes_on_within(s, r))
            continue;
        least = time < least ? time : least;
    }
    return least > 0 ? least : 1;
}

// Does the reduction wait for what another goal of the line made? Leaves that out.
static bool leave_out_line(const line_study *s, uint32_t r, const uint8_t *goals, change_draft *d)
{
    const wait_graph *g = s->l->g;
    bool found = false;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t other = s->side[g->makers[i]];
        if (!other || other == s->side[r] || !bit_get(goals, other))
            continue;
        draft_wait(d, i, IOT_NONE);
        found = true;
    }
    return found;
}

// What the goals of the line call combines, too, as the sums in a structure that they hand on: at
// each place of the text it is as on the line itself.
static void draft_below(const line_study *s, uint32_t last, double more, change_draft *d)
{
    const wait_graph *g = s->l->g;
    uint8_t *goals = goals_before(s, last);
    ARRAY_OF(uint32_t) combining = {0};
    bit_set(goals, last);
    for (uint32_t r = 1; r < g->n; r++)
        if (s->side[r] && s->side[r] != r && bit_get(goals, s->side[r]) &&
            leave_out_line(s, r, goals, d)) {
            ARRAY_PUSH(combining, r);
            if (s->side[r] != last)
                draft_reduction(d, r, IOT_NONE, more + (double)wait_cost(g, r));
        }
    uint32_t of_last = 0;
    for (size_t i = 0; i < combining.n && of_last < MOST_BELOW; i++) {
        if (s->side[combining.at[i]] != last)
            continue;
        of_last++;
        for (size_t k = 0; k < i; k++)
            if (g->sites[combining.at[k]] == g->sites[combining.at[i]])
                draft_add(d, combining.at[i], combining.at[k]);
    }
    free(combining.at);
    free(goals);
}

// The last goal of each part takes the time of all levels, the last one waits for all others.
static void draft_line(const line_study *s, uint32_t last, change_draft *d)
{
    const wait_graph *g = s->l->g;
    double more = (double)time_of_one(s, last) * (loops_levels(s->parts[last] + 1) - 1.0);
    uint8_t *on_line = goals_before(s, last);
    for (uint32_t r = last, end = last; s->before[r]; r = s->before[r]) {
        if (goes_on_within(s, r))
            continue;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (bit_get(on_line, g->makers[i])) // the one before, or what it passed on
                draft_wait(d, i, IOT_NONE);
        draft_add(d, last, s->before[r]);
        if (end != last)
            draft_reduction(d, end, IOT_NONE, more + (double)wait_cost(g, end));
        end = s->before[r];
    }
    free(on_line);
    if (s->side[last] == last)
        draft_below(s, last, more, d);
}

// The clauses through which the loop calls the goal.
static void add_callers(const line_study *s, uint32_t goal, candidate *x)
{
    const loops *l = s->l;
    for (uint32_t r = goal;; r = l->g->parents[r]) {
        uint32_t clause = iot_clause_near(l, r);
        if (clause != IOT_NONE)
            candidate_also(x, iot_clause_location(l->a, clause));
        if (r == l->g->parents[s->side[goal]])
            return;
    }
}

static void say_line(const line_study *s, uint32_t last, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    draft_line(s, last, &d);
    uint32_t middle = last;
    for (uint32_t i = 0; i < s->ngoals / 2; i++)
        middle = s->before[middle];
    candidate *x = candidate_add(c, FINDING_CHAIN);
    x->clause = iot_loop_clause(l, s->loop, &x->reduction);
    x->place = iot_clause_location(l->a, x->clause);
    add_callers(s, middle, x);
    x->estimate = true;
    x->change = draft_finish(&d);
    char *loop = iot_site_text(l->a, &l->g->all_sites[l->g->sites[x->reduction]]);
    char *by = iot_site_text(l->a, &l->g->all_sites[l->g->sites[middle]]);
    uint32_t values = s->parts[last] + 1;
    x->text =
        base_format("%s calls itself as a tree, but %s the values one after the other: each of "
                    "%u goals of %s waits for the result of the goal before",
                    loop, s->verb, values, by);
    x->advice =
        base_format("let %s combine each part by itself, without a value that goes from part "
                    "to part, and then the results of the parts (%u levels instead of %u "
                    "steps)",
                    loop, loops_levels(values), values);
    x->condition = base_copy("as a tree");
    free(loop);
    free(by);
}

static void study_loop(const loops *l, uint32_t loop, candidates *c)
{
    line_study s = {.l = l, .loop = loop, .verb = "combines"};
    s.side = iot_side_goals(l, loop);
    s.before = base_allocate(l->g->n, sizeof *s.before);
    s.parts = base_allocate(l->g->n, sizeof *s.parts);
    uint32_t last = find_line(&s);
    if (last && s.ngoals >= worth_it * l->path.n && line_combines(&s, last) &&
        !values_are_used(&s, last) && !values_are_kept(&s, last))
        say_line(&s, last, c);
    free(s.side);
    free(s.before);
    map_free(&s.tried);
    free(s.parts);
}

// Is most of the loop beside its longest chain? A tree whose nodes have lists of parts has chains
// that are longer than those of one with halves.
static bool is_tree(const loops *l, uint32_t chain)
{
    return !iot_is_lopsided(l, chain) || l->chains.at[chain].total >= BUSHY * l->chains.at[chain].n;
}

void iot_find_threaded(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++)
        if (is_tree(l, l->biggest[looked[i]]))
            study_loop(l, looked[i], c);
}
