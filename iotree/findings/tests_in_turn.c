// SPDX-License-Identifier: MIT
//
// Tests that are goals, one asked after the other, of which the later one could have decided alone:
//
//     examine(Place, A) :- rod(Place, Swings), swings(Swings, Place, A).
//     swings(S, Place, A) :- S >= 12 | shade(Place, A).
//     swings(S, _, A) :- S < 12 | A = bad.
//     shade(Place, A) :- Place mod 4 =:= 1 | A = good.
//     shade(Place, A) :- Place mod 4 =\= 1 | A = bad.
//
// Where shade/2 comes to `bad`, A is `bad` whatever the rod does, and shade/2 needs nothing but the
// place. What it would have come to where it was not asked, its clauses tell (outcomes.h). The price is
// the run in which nobody waits for the first test where the second one decides.
#include "iotree/findings/findings.h"
#include "iotree/findings/loops.h"
#include "iotree/findings/outcomes.h"
#include "iotree/terms/values.h"

enum {
    PROPOSED = 4,
    FEWEST = 3,             // goals that the later test would have decided
    MOST_ARGUMENTS = 31,
    LOOKS = 1 << 16,        // at clauses, for what tests come to
    LOOKS_EACH = 4
};

// A predicate all of whose clauses refuse (`A = bad`) or ask the later test.
typedef struct {
    uint32_t predicate, out; // of it: the argument that gets the answer
    trace_value refusal;
    uint32_t asked, asked_out; // the later test
    uint32_t clause, item;     // that asks it
    uint32_t needs;            // bits by argument of `predicate`: what the later test gets
} test_pair;

typedef struct {
    uint32_t reduction;
    bool asked;
    bool decided; // by the later test, too
} test_case;

typedef struct {
    test_pair pair;
    ARRAY_OF(test_case) cases; // where the change makes a difference
    uint64_t gained, goals, decided;
    int64_t longest, steps, askings; // steps: of the later test, where it was asked
    uint32_t example;
} subject;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    ARRAY_OF(subject) subjects;
    uint32_t *of; // by predicate: its subject, plus one
    uint64_t looks;
} search;

// ---------------------------------------------------------------------------------------------
// What clauses do

static uint32_t argument_of(const trace_clause *c, const trace_node *variable)
{
    for (uint32_t i = 0; variable->kind == TN_HOLE && i < c->nhead; i++)
        if (c->patterns[c->head[i]].kind == TN_HOLE &&
            c->patterns[c->head[i]].index == variable->index)
            return i;
    return IOT_NONE;
}

// `A = bad`, and nothing else.
static bool refuses(const trace_clause *c, test_pair *x)
{
    if (c->nitems != 1 || c->items[0].kind != TI_UNIFY)
        return false;
    for (uint32_t side = 0; side < 2; side++) {
        const trace_node *variable = &c->nodes[c->children[c->items[0].first + side]];
        const trace_node *constant = &c->nodes[c->children[c->items[0].first + 1 - side]];
        x->out = argument_of(c, variable);
        x->refusal = constant->value;
        if (x->out != IOT_NONE && constant->kind == TN_CONST)
            return true;
    }
    return false;
}

static bool is_tested(const trace *t, uint32_t clause, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(t, clause);
    for (uint32_t g = 0; g < c->nguards; g++)
        if (test_has_variable(t, (clause_test){clause, true, g}, &c->patterns[c->head[argument]]))
            return true;
    return false;
}

// One goal of the program, which gets the output and arguments that the clause does not look at.
static bool asks(search *s, uint32_t clause, test_pair *x)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    const trace_item *item = &c->items[0];
    if (c->nitems != 1 || item->kind != TI_GOAL ||
        trace_get_predicate(s->t, item->predicate)->origin == TRACE_BUILTIN ||
        predicates_call_each_other(s->facts, item->predicate, c->predicate))
        return false;
    x->asked = item->predicate;
    x->asked_out = IOT_NONE;
    x->clause = clause;
    for (uint32_t i = 0; i < item->n; i++) {
        const trace_node *n = &c->nodes[c->children[item->first + i]];
        uint32_t argument = argument_of(c, n);
        if (n->kind == TN_CONST)
            continue;
        if (argument == IOT_NONE || argument >= MOST_ARGUMENTS || is_tested(s->t, clause, argument))
            return false;
        if (argument == x->out)
            x->asked_out = i;
        else
            x->needs |= 1u << argument;
    }
    return x->asked_out != IOT_NONE;
}

static bool is_pair(search *s, uint32_t predicate, test_pair *ret)
{
    bool known = false;
    *ret = (test_pair){.predicate = predicate, .clause = IOT_NONE};
    for (uint32_t i = s->facts->first[predicate]; i < s->facts->first[predicate + 1]; i++) {
        test_pair x;
        const trace_clause *c = trace_get_clause(s->t, s->facts->clauses[i]);
        if (!clause_is_told(s->facts, s->facts->clauses[i]))
            return false;
        if (!refuses(c, &x))
            continue;
        if (known && (x.out != ret->out || !is_same_value(x.refusal, ret->refusal)))
            return false;
        known = true;
        ret->out = x.out;
        ret->refusal = x.refusal;
    }
    for (uint32_t i = s->facts->first[predicate]; known && i < s->facts->first[predicate + 1]; i++) {
        test_pair x = {.out = ret->out}, refusing;
        uint32_t clause = s->facts->clauses[i];
        if (refuses(trace_get_clause(s->t, clause), &refusing))
            continue;
        if (!asks(s, clause, &x) || (ret->clause != IOT_NONE && x.asked != ret->asked))
            return false;
        ret->asked = x.asked;
        ret->asked_out = x.asked_out;
        ret->clause = clause;
        ret->needs |= x.needs;
    }
    return known && ret->clause != IOT_NONE && !predicate_leads_to_act(s->facts, ret->asked);
}

static void find_pairs(search *s)
{
    uint32_t n = trace_npredicates(s->t);
    s->of = base_allocate(n, sizeof *s->of);
    for (uint32_t p = 0; p < n; p++) {
        subject x = {.longest = -1};
        if (!is_pair(s, p, &x.pair))
            continue;
        ARRAY_PUSH(s->subjects, x);
        s->of[p] = (uint32_t)s->subjects.n;
    }
}

// ---------------------------------------------------------------------------------------------
// What became of them

// When the value was there; *ret_maker: the reduction that made it.
static int64_t time_of(const trace *t, trace_value v, uint32_t *ret_maker)
{
    int64_t latest = 0;
    *ret_maker = 0;
    while (is_variable(t, v)) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE)
            return INT64_MAX;
        uint32_t maker = trace_binding_maker(t, binding);
        if (trace_time(t, maker) > latest) {
            latest = trace_time(t, maker);
            *ret_maker = maker;
        }
        v = trace_binding_value(t, binding);
    }
    return latest;
}

// Since when the later test could have been asked.
static int64_t known_since(const search *s, const test_pair *x, uint32_t r)
{
    int64_t latest = trace_time(s->t, s->g->parents[r]);
    uint32_t goal = trace_reduction_goal(s->t, r), maker;
    for (uint32_t i = 0; i < MOST_ARGUMENTS; i++) {
        int64_t time = x->needs >> i & 1 ? time_of(s->t, trace_goal_arg(s->t, goal, i), &maker) : 0;
        latest = time > latest ? time : latest;
    }
    return latest;
}

// The later test's goal; 0: it was not asked.
static uint32_t goal_asked(const search *s, const test_pair *x, uint32_t r)
{
    uint32_t goal = trace_first_goal(s->t, r);
    if (goal == trace_first_goal(s->t, r + 1) ||
        trace_goal_predicate(s->t, goal) != x->asked)
        return 0;
    uint32_t child = trace_goal_reduction(s->t, goal);
    return child == TRACE_NONE ? 0 : child;
}

// Would the later test have refused, too, by its clauses?
static bool would_refuse(search *s, const test_pair *x, uint32_t r)
{
    const trace_clause *c = trace_get_clause(s->t, x->clause);
    const trace_item *item = &c->items[x->item];
    bounds arguments[MOST_BOUNDS], outcome;
    if (item->n > MOST_BOUNDS)
        return false;
    for (uint32_t i = 0; i < item->n; i++) {
        const trace_node *n = &c->nodes[c->children[item->first + i]];
        uint32_t goal = trace_reduction_goal(s->t, r), argument = argument_of(c, n);
        trace_value v = n->kind == TN_CONST ? n->value : trace_goal_arg(s->t, goal, argument);
        arguments[i] = bounds_of_value(iot_end_value(s->t, v));
    }
    return iot_find_outcome(s->facts, x->asked, arguments, x->asked_out, &s->looks, &outcome) &&
           bounds_are(&outcome, x->refusal);
}

static void look_at(search *s, subject *x, uint32_t r)
{
    const test_pair *pair = &x->pair;
    uint32_t asked = goal_asked(s, pair, r), maker;
    int64_t known = known_since(s, pair, r), gain = trace_time(s->t, r) - wait_cost(s->g, r) - known;
    trace_value answer = trace_goal_arg(s->t, trace_reduction_goal(s->t, r), pair->out);
    bool refused = is_same_value(iot_end_value(s->t, answer), pair->refusal);
    x->goals++;
    if (asked) {
        int64_t answered = time_of(s->t, answer, &maker);
        x->askings += answered != INT64_MAX;
        x->steps += answered == INT64_MAX ? 0 : answered - trace_time(s->t, r);
    }
    bool decided = known != INT64_MAX && gain > 0 && refused && (asked || would_refuse(s, pair, r));
    if (decided || !asked)
        ARRAY_PUSH(x->cases, (test_case){r, asked != 0, decided});
    if (!decided)
        return;
    x->decided++;
    x->gained += (uint64_t)gain;
    if (gain > x->longest) {
        x->longest = gain;
        x->example = r;
    }
}

// ---------------------------------------------------------------------------------------------
// Candidates

// The goal waits for what the later test needs, and for nothing else.
static void draft_decided(const search *s, const test_pair *x, uint32_t r, change_draft *d)
{
    uint32_t goal = trace_reduction_goal(s->t, r), maker;
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
        draft_wait(d, w, IOT_NONE);
    for (uint32_t k = 0; k < MOST_ARGUMENTS; k++)
        if (x->needs >> k & 1 && time_of(s->t, trace_goal_arg(s->t, goal, k), &maker) != INT64_MAX &&
            maker)
            draft_add(d, r, maker);
}

// What the example waited for last.
static uint32_t waited_for(const search *s, uint32_t r)
{
    uint32_t latest = 0;
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
        if (trace_time(s->t, s->g->makers[w]) >= trace_time(s->t, latest))
            latest = s->g->makers[w];
    return latest;
}

// The goal beside r from which comes what it waits for; 0: none.
static uint32_t first_test_of(const search *s, uint32_t r)
{
    uint32_t caller = s->g->parents[r], found = waited_for(s, r);
    while (found > caller && s->g->parents[found] != caller)
        found = s->g->parents[found];
    bool beside = found > caller && found != r;
    return beside && !predicate_leads_to_act(s->facts, trace_goal_predicate(
                                                           s->t, trace_reduction_goal(s->t, found)))
               ? found
               : 0;
}

// First tests that nobody else waits for are not begun where the later one decides.
static void draft_spared(const search *s, const subject *x, change_draft *d)
{
    const wait_graph *g = s->g;
    uint32_t *of = base_allocate(g->n, sizeof *of); // by reduction: the first test that it is of
    uint32_t *reader = base_allocate(g->n, sizeof *reader); // by first test: who asked; 0: it is needed
    for (size_t i = 0; i < x->cases.n; i++) {
        uint32_t r = x->cases.at[i].reduction;
        uint32_t test = x->cases.at[i].decided ? first_test_of(s, r) : 0;
        of[test] = test;
        reader[test] = r;
    }
    reader[0] = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        of[r] = of[r] ? of[r] : of[g->parents[r]];
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++) {
            uint32_t test = of[g->makers[w]];
            if (test != of[r] && r != reader[test])
                reader[test] = 0;
        }
    }
    for (uint32_t r = 1; r < g->n; r++)
        if (reader[of[r]])
            draft_reduction(d, r, IOT_NONE, 0);
    free(of);
    free(reader);
}

// Where the later test was not asked its steps come on top, be it that it decides or not.
static wait_change change_of(const search *s, const subject *x)
{
    change_draft d = {0};
    double steps = x->askings ? (double)x->steps / (double)x->askings : 1;
    for (size_t i = 0; i < x->cases.n; i++) {
        const test_case *y = &x->cases.at[i];
        if (y->decided)
            draft_decided(s, &x->pair, y->reduction, &d);
        if (!y->asked)
            draft_reduction(&d, y->reduction, IOT_NONE,
                            (double)wait_cost(s->g, y->reduction) + steps - y->decided);
    }
    draft_spared(s, x, &d);
    return draft_finish(&d);
}

static void add_candidate(search *s, candidates *c, const subject *x)
{
    const test_pair *pair = &x->pair;
    candidate *y = candidate_at(s->a, c, FINDING_GUARD, pair->clause, x->example);
    uint32_t asked = s->facts->clauses[s->facts->first[pair->asked]];
    uint32_t caller = s->g->parents[x->example];
    iot_location made, above = {TRACE_NONE, 0, IOT_NONE, IOT_NONE};
    y->estimate = true;
    y->change = change_of(s, x);
    char *name = iot_predicate_text(s->t, pair->predicate);
    char *where = iot_place_text(s->t, y->place.source, y->place.line);
    char *test = iot_predicate_text(s->t, pair->asked);
    char *maker = iot_maker_text(s->a, s->g, waited_for(s, x->example), &made);
    char *steps = iot_amount_text(s->a, x->longest);
    char *first = caller ? iot_maker_text(s->a, s->g, caller, &above) : base_copy("the first goal");
    y->text = base_format("%s%s asks %s only when %s has answered, up to %s later than it could: in %llu "
                          "of %llu goals %s alone would have decided",
                          name, where, test, maker, steps, (unsigned long long)x->decided,
                          (unsigned long long)x->goals, test);
    y->advice = base_format("ask %s first, in %s, and begin what %s waits for only where that does "
                            "not decide",
                            test, first, name);
    y->condition = base_copy("with that test first");
    candidate_also(y, iot_clause_location(s->a, asked));
    candidate_also(y, made);
    if (above.line != 0)
        candidate_also(y, above);
    free(name);
    free(where);
    free(test);
    free(maker);
    free(steps);
    free(first);
}

void iot_find_tests_in_turn(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    s.looks = LOOKS + (uint64_t)LOOKS_EACH * a->n;
    find_pairs(&s);
    for (uint32_t r = 1; r < a->n && s.subjects.n > 0; r++) {
        uint32_t of = s.of[trace_goal_predicate(a->t, trace_reduction_goal(a->t, r))];
        if (of)
            look_at(&s, &s.subjects.at[of - 1], r);
    }
    uint64_t *gained = base_allocate(s.subjects.n, sizeof *gained);
    uint32_t best[PROPOSED];
    for (size_t i = 0; i < s.subjects.n; i++)
        gained[i] = s.subjects.at[i].decided >= FEWEST ? s.subjects.at[i].gained : 0;
    uint32_t n = iot_most_gained(a, gained, s.subjects.n, PROPOSED, best);
    for (uint32_t i = 0; i < n; i++)
        add_candidate(&s, c, &s.subjects.at[best[i]]);
    free(gained);
    for (size_t i = 0; i < s.subjects.n; i++)
        free(s.subjects.at[i].cases.at);
    free(s.subjects.at);
    free(s.of);
    clause_facts_destroy(s.facts);
}
