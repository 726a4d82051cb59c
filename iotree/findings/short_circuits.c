// SPDX-License-Identifier: MIT
//
// Values that decide, and that no clause asks before another one.
//
//     both(yes, Q, R) :- R = Q.
//     both(no, _, R) :- R = no.
//
// Where Q is `no`, R is `no` whatever the first argument is; but a goal waits for the first one.
// All clauses bind the same argument, to a constant or to another argument.
#include "iotree/findings/findings.h"
#include "iotree/findings/loops.h"
#include "iotree/findings/test_reads.h"
#include "iotree/terms/values.h"

enum { PROPOSED = 4, MOST_ARGUMENTS = 16 };

// What a clause makes: a constant, or what is in one of its arguments.
typedef struct {
    bool simple;
    uint32_t output, argument; // argument IOT_NONE: the constant
    trace_value constant;
} result;

typedef struct {
    uint32_t predicate;
    ARRAY_OF(wait_edit) waits;
    ARRAY_OF(wait_added) added;
    uint64_t gained, goals;
    int64_t longest;
    uint32_t example, decides, maker; // decides: an argument of the example
} subject;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    result *results;      // by clause
    uint8_t *of_interest; // by predicate
    ARRAY_OF(subject) subjects;
} search;

static bool same_constant(trace_value x, trace_value y)
{
    if (x.kind != y.kind || (x.kind != TV_INT && x.kind != TV_ATOM))
        return false;
    return x.kind == TV_INT ? x.i == y.i : x.id == y.id;
}

static uint32_t argument_of(const trace_clause *c, const trace_node *variable)
{
    for (uint32_t i = 0; variable->kind == TN_HOLE && i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        if (n->kind == TN_HOLE && n->index == variable->index)
            return i;
    }
    return IOT_NONE;
}

static result result_of(const search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    result none = {0};
    if (!clause_is_told(s->facts, clause) || c->nitems != 1 || c->nhead > MOST_ARGUMENTS ||
        c->items[0].kind != TI_UNIFY)
        return none;
    const trace_node *x = &c->nodes[c->children[c->items[0].first]];
    const trace_node *y = &c->nodes[c->children[c->items[0].first + 1]];
    uint32_t left = argument_of(c, x), right = argument_of(c, y);
    if (left == IOT_NONE)
        return none;
    if (right != IOT_NONE)
        return (result){true, left, right, {0}};
    if (y->kind == TN_CONST)
        return (result){true, left, IOT_NONE, y->value};
    return none;
}

// All clauses bind one argument, and some of them to another one.
static bool is_of_interest(const search *s, uint32_t predicate)
{
    uint32_t first = s->facts->first[predicate], end = s->facts->first[predicate + 1], other = 0;
    for (uint32_t i = first; i < end; i++) {
        const result *x = &s->results[s->facts->clauses[i]];
        if (!x->simple || x->output != s->results[s->facts->clauses[first]].output)
            return false;
        other += x->argument != IOT_NONE;
    }
    return other > 0 && other < end - first;
}

// Does each clause make this constant if it is in the argument, or refuse it?
static bool decides(const search *s, uint32_t predicate, uint32_t argument, trace_value constant)
{
    for (uint32_t i = s->facts->first[predicate]; i < s->facts->first[predicate + 1]; i++) {
        uint32_t clause = s->facts->clauses[i];
        const trace_clause *c = trace_get_clause(s->t, clause);
        const result *x = &s->results[clause];
        const trace_node *n = &c->patterns[c->head[argument]];
        bool free = n->kind == TN_HOLE || n->kind == TN_FRESH;
        if (!free && !(n->kind == TN_CONST && same_constant(n->value, constant)))
            continue;
        if (x->argument == IOT_NONE ? !same_constant(x->constant, constant)
                                    : x->argument != argument)
            return false;
    }
    return true;
}

// When the value is there; -1: it is no constant.
static int64_t time_of_constant(const search *s, trace_value v, trace_value *ret)
{
    int64_t latest = 0;
    *ret = iot_end_value(s->t, v);
    if (ret->kind != TV_INT && ret->kind != TV_ATOM)
        return -1;
    while (is_variable(s->t, v)) {
        uint32_t binding = trace_cell_binding(s->t, v.id);
        int64_t time = binding_time(s->t, binding);
        latest = time > latest ? time : latest;
        v = trace_binding_value(s->t, binding);
    }
    return latest;
}

static subject *subject_of(search *s, uint32_t predicate)
{
    for (size_t i = 0; i < s->subjects.n; i++)
        if (s->subjects.at[i].predicate == predicate)
            return &s->subjects.at[i];
    ARRAY_PUSH(s->subjects, (subject){.predicate = predicate, .longest = -1});
    return &s->subjects.at[s->subjects.n - 1];
}

static uint32_t latest_maker(const search *s, uint32_t r)
{
    uint32_t latest = s->g->makers[s->g->first[r]];
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
        if (trace_time(s->t, s->g->makers[w]) > trace_time(s->t, latest))
            latest = s->g->makers[w];
    return latest;
}

// The goal waits for the one value only.
static void change_goal(search *s, uint32_t r, uint32_t argument, trace_value v, int64_t gain)
{
    uint32_t clause = trace_reduction_clause(s->t, r);
    subject *x = subject_of(s, trace_get_clause(s->t, clause)->predicate);
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
        ARRAY_PUSH(x->waits, (wait_edit){w, IOT_NONE});
    while (is_variable(s->t, v)) {
        uint32_t binding = trace_cell_binding(s->t, v.id);
        uint32_t maker = trace_binding_maker(s->t, binding);
        if (maker != 0 && maker < r)
            ARRAY_PUSH(x->added, (wait_added){r, maker});
        v = trace_binding_value(s->t, binding);
    }
    x->gained += (uint64_t)gain;
    x->goals++;
    if (gain > x->longest) {
        x->longest = gain;
        x->example = r;
        x->decides = argument;
        x->maker = latest_maker(s, r);
    }
}

static void look_at(search *s, uint32_t r, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    trace_value arguments[MOST_ARGUMENTS], constant;
    uint32_t best = IOT_NONE;
    int64_t soonest = trace_time(s->t, r) - 1;
    int64_t created = trace_time(s->t, s->g->parents[r]);
    trace_goal_args(s->t, trace_reduction_goal(s->t, r), arguments);
    for (uint32_t i = 0; i < c->nhead; i++) {
        int64_t time = time_of_constant(s, arguments[i], &constant);
        if (i == s->results[clause].output || time < 0 || !decides(s, c->predicate, i, constant))
            continue;
        time = time < created ? created : time;
        if (time >= soonest)
            continue;
        soonest = time;
        best = i;
    }
    if (best != IOT_NONE)
        change_goal(s, r, best, arguments[best], trace_time(s->t, r) - 1 - soonest);
}

static void set_texts(const search *s, candidate *c, const subject *x)
{
    iot_location made;
    uint32_t goal = trace_reduction_goal(s->t, x->example);
    trace_value v = iot_end_value(s->t, trace_goal_arg(s->t, goal, x->decides));
    char *name = iot_predicate_text(s->t, c->place.predicate);
    char *where = iot_place_text(s->t, c->place.source, c->place.line);
    char *maker = iot_maker_text(s->a, s->g, x->maker, &made);
    char *cost = iot_cost_text(s->a, x->gained, x->goals, "goal");
    char *value = v.kind == TV_INT ? base_format("%lld", (long long)v.i)
                                   : base_copy(trace_string(s->t, v.id, NULL));
    c->text =
        base_format("%s%s waits for %s, though argument %u, which is %s, already decides (%s)",
                    name, where, maker, x->decides + 1, value, cost);
    c->advice =
        base_format("add a clause to %s that has %s as argument %u, and that looks at no other "
                    "argument",
                    name, value, x->decides + 1);
    c->condition = base_copy("without that wait");
    candidate_also(c, made);
    free(name);
    free(where);
    free(maker);
    free(cost);
    free(value);
}

static void add_candidate(const search *s, candidates *list, subject *x)
{
    uint32_t clause = trace_reduction_clause(s->t, x->example);
    candidate *c = candidate_at(s->a, list, FINDING_GUARD, clause, x->example);
    c->change.waits = x->waits.at;
    c->change.nwaits = x->waits.n;
    c->change.added = x->added.at;
    c->change.nadded = x->added.n;
    x->waits.at = NULL;
    x->added.at = NULL;
    set_texts(s, c, x);
}

void iot_find_short_circuits(const iot *a, candidates *list)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    uint32_t nclauses = trace_nclauses(a->t), npredicates = trace_npredicates(a->t), proposed = 0;
    s.facts = clause_facts_create(a->t);
    s.results = base_allocate(nclauses, sizeof *s.results);
    s.of_interest = base_allocate(npredicates, 1);
    for (uint32_t k = 0; k < nclauses; k++)
        s.results[k] = result_of(&s, k);
    for (uint32_t p = 0; p < npredicates; p++)
        s.of_interest[p] = is_of_interest(&s, p);
    for (uint32_t r = 1; r < a->n; r++) {
        uint32_t clause = trace_reduction_clause(a->t, r);
        if (s.g->first[r] < s.g->first[r + 1] && s.results[clause].simple &&
            s.of_interest[trace_get_clause(a->t, clause)->predicate])
            look_at(&s, r, clause);
    }
    for (size_t i = 0; i < s.subjects.n; i++) {
        if (iot_may_save(a, s.subjects.at[i].gained) && proposed++ < PROPOSED)
            add_candidate(&s, list, &s.subjects.at[i]);
        free(s.subjects.at[i].waits.at);
        free(s.subjects.at[i].added.at);
    }
    free(s.subjects.at);
    free(s.results);
    free(s.of_interest);
    clause_facts_destroy(s.facts);
}
