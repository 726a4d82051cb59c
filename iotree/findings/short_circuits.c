// SPDX-License-Identifier: MIT
//
// Values that decide, and that no clause asks before another one.
//
//     both(yes, Q, R) :- R = Q.
//     both(no, _, R) :- R = no.
//
// Where Q is `no`, R is `no` whatever the first argument is; but a goal waits for the first one. So it
// is where all clauses for one value have the same body, which takes nothing from the other arguments:
//
//     decide(clean, valid, V) :- V = pass.
//     decide(clean, void, V) :- V = stay.
//     decide(listed, _, V) :- V = stay.
//
// A *front* waits for several values before the goal is made, and does nothing else:
//
//     all(P, Q, R) :- atom(P), atom(Q) | both(P, Q, R).
//
// Then the goal takes the front's place.
#include "iotree/findings/findings.h"
#include "iotree/findings/loops.h"
#include "iotree/findings/test_reads.h"
#include "iotree/terms/values.h"

enum { PROPOSED = 4, MOST_ARGUMENTS = 16, MOST_CLAUSES = 64 };

// What a clause does; of a `simple` one, what it makes: a constant, or what is in one of its arguments.
typedef struct {
    uint32_t body;  // the first clause of the predicate with the same body
    uint32_t taken; // bits by argument: the body uses what a pattern takes apart
    bool guarded;
    bool simple;
    uint32_t output, argument; // argument IOT_NONE: the constant
    trace_value constant;
} result;

typedef struct {
    uint32_t predicate;
    change_draft change;
    uint64_t gained, goals;
    int64_t longest;
    uint32_t example, decides, maker; // decides: an argument of the example
    uint32_t front;                   // of the example; 0: none
} subject;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    result *results;      // by clause
    uint8_t *fronts;      // by clause
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
        return (result){.simple = true, .output = left, .argument = right};
    if (y->kind == TN_CONST)
        return (result){.simple = true, .output = left, .argument = IOT_NONE, .constant = y->value};
    return none;
}

// Bits by argument: of what its pattern takes apart the body uses something.
static uint32_t taken_apart(const trace_clause *c)
{
    uint32_t taken = 0;
    uint8_t *inside = base_allocate((size_t)c->npatterns + 1, 1);
    for (uint32_t i = 0; i < c->nhead; i++) {
        if (c->patterns[c->head[i]].kind == TN_HOLE)
            continue;
        memset(inside, 0, c->npatterns);
        inside[c->head[i]] = 1;
        for (uint32_t k = c->npatterns; k-- > 0;) { // children come first
            const trace_node *n = &c->patterns[k];
            for (uint32_t j = 0; inside[k] && j < n->n; j++)
                inside[c->pattern_children[n->first + j]] = 1;
            if (inside[k] && n->kind == TN_HOLE)
                taken |= 1u << i;
        }
    }
    free(inside);
    return taken;
}

// Its clauses are told, and not all of them have the same body.
static bool is_of_interest(search *s, uint32_t predicate)
{
    uint32_t first = s->facts->first[predicate], end = s->facts->first[predicate + 1];
    bool differ = false;
    if (end - first < 2 || end - first > MOST_CLAUSES)
        return false;
    for (uint32_t i = first; i < end; i++) {
        uint32_t clause = s->facts->clauses[i], k = first;
        const trace_clause *c = trace_get_clause(s->t, clause);
        if (!clause_is_told(s->facts, clause) || c->nhead > MOST_ARGUMENTS ||
            clause_has_otherwise(s->facts, clause))
            return false;
        while (k < i && !clauses_do_the_same(s->facts, s->facts->clauses[k], clause))
            k++;
        s->results[clause].body = s->facts->clauses[k];
        s->results[clause].taken = taken_apart(c);
        s->results[clause].guarded = c->nguards > 0;
        differ |= s->facts->clauses[k] != s->facts->clauses[first];
    }
    return differ;
}

static bool may_accept(const search *s, const trace_node *n, trace_value v)
{
    if (n->kind == TN_CONST)
        return same_constant(n->value, v);
    if (n->kind == TN_HOLE || n->kind == TN_FRESH)
        return true;
    if (v.kind != TV_CELL)
        return false;
    trace_cell_kind kind = trace_cell_get_kind(s->t, v.id);
    if (n->kind == TN_CONS)
        return kind == TC_CONS;
    if (n->kind == TN_STRUCT)
        return kind == TC_STRUCT && trace_cell_name(s->t, v.id) == n->value.id &&
               trace_cell_arity(s->t, v.id) == n->n;
    return kind == TC_VECTOR || kind == TC_VECTOR_UPDATE;
}

// Do both clauses come to the same where this value is in the argument?
static bool agree(const search *s, uint32_t x, uint32_t y, uint32_t argument, trace_value v)
{
    const result *one = &s->results[x], *other = &s->results[y];
    if (one->body == other->body && !one->guarded && !other->guarded)
        return ((one->taken | other->taken) & ~(1u << argument)) == 0;
    if (!one->simple || !other->simple || one->output != other->output)
        return false;
    trace_value made[2] = {v, v};
    for (int i = 0; i < 2; i++) {
        const result *r = i == 0 ? one : other;
        if (r->argument == IOT_NONE)
            made[i] = r->constant;
        else if (r->argument != argument)
            return false;
    }
    return same_constant(made[0], made[1]);
}

// Do all clauses for this value in the argument come to the same? A single one waits for nothing else but
// where a front does, and there it has to make what is known.
static bool decides(const search *s, uint32_t predicate, uint32_t argument, trace_value v, bool front)
{
    uint32_t accepting = IOT_NONE, n = 0;
    for (uint32_t i = s->facts->first[predicate]; i < s->facts->first[predicate + 1]; i++) {
        uint32_t clause = s->facts->clauses[i];
        const trace_clause *c = trace_get_clause(s->t, clause);
        if (!may_accept(s, &c->patterns[c->head[argument]], v))
            continue;
        if (n++ > 0 && !agree(s, accepting, clause, argument, v))
            return false;
        accepting = n == 1 ? clause : accepting;
    }
    if (n > 1)
        return true;
    const result *x = n == 1 && front ? &s->results[accepting] : NULL;
    return x && x->simple && (x->argument == IOT_NONE || x->argument == argument);
}

// When the value is there; -1: it is a variable, or none that a head can ask for.
static int64_t time_of_value(const search *s, trace_value v, trace_value *ret)
{
    int64_t latest = 0;
    *ret = iot_end_value(s->t, v);
    if ((ret->kind != TV_INT && ret->kind != TV_ATOM && ret->kind != TV_CELL) || is_variable(s->t, *ret))
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

// The clause waits for values of its head, and calls one goal with arguments of the head.
static bool is_front(const search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    uint32_t p = c->predicate;
    if (!clause_is_told(s->facts, clause) || c->nitems != 1 || c->items[0].kind != TI_GOAL ||
        c->nguards == 0 || s->facts->first[p + 1] - s->facts->first[p] != 1)
        return false;
    for (uint32_t i = 0; i < c->nguards; i++)
        if (!iot_is_type_test(trace_string(s->t, c->guards[i].name, NULL)))
            return false;
    for (uint32_t i = 0; i < c->nhead; i++) {
        trace_node_kind kind = c->patterns[c->head[i]].kind;
        if (kind != TN_HOLE && kind != TN_FRESH)
            return false;
    }
    for (uint32_t i = 0; i < c->items[0].n; i++)
        if (c->nodes[c->children[c->items[0].first + i]].kind != TN_HOLE)
            return false;
    return true;
}

// The front that the reduction comes by; 0: none.
static uint32_t front_of(const search *s, uint32_t r)
{
    uint32_t parent = s->g->parents[r];
    return parent != 0 && s->fronts[trace_reduction_clause(s->t, parent)] ? parent : 0;
}

static uint32_t latest_maker(const search *s, uint32_t r)
{
    uint32_t latest = s->g->makers[s->g->first[r]];
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
        if (trace_time(s->t, s->g->makers[w]) > trace_time(s->t, latest))
            latest = s->g->makers[w];
    return latest;
}

// The front takes no step, and waits for nothing.
static void leave_out_front(const search *s, subject *x, uint32_t front)
{
    for (uint64_t w = s->g->first[front]; w < s->g->first[front + 1]; w++)
        draft_wait(&x->change, w, IOT_NONE);
    draft_reduction(&x->change, front, IOT_NONE, 0);
}

static void count_gain(const search *s, subject *x, uint32_t r, uint32_t argument, int64_t gain)
{
    x->gained += (uint64_t)gain;
    x->goals++;
    if (gain > x->longest) {
        x->longest = gain;
        x->example = r;
        x->decides = argument;
        x->front = front_of(s, r);
        x->maker = latest_maker(s, x->front ? x->front : r);
    }
}

// The goal waits for the one value only.
static void change_goal(search *s, subject *x, uint32_t r, trace_value v)
{
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
        draft_wait(&x->change, w, IOT_NONE);
    while (is_variable(s->t, v)) {
        uint32_t binding = trace_cell_binding(s->t, v.id);
        uint32_t maker = trace_binding_maker(s->t, binding);
        if (maker != 0 && maker < r)
            draft_add(&x->change, r, maker);
        v = trace_binding_value(s->t, binding);
    }
}

static void look_at(search *s, uint32_t r, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    trace_value arguments[MOST_ARGUMENTS], value;
    uint32_t best = IOT_NONE, front = front_of(s, r);
    int64_t soonest = trace_time(s->t, r) - 1;
    int64_t created = trace_time(s->t, s->g->parents[front ? front : r]);
    subject *x = subject_of(s, c->predicate);
    trace_goal_args(s->t, trace_reduction_goal(s->t, r), arguments);
    for (uint32_t i = 0; i < c->nhead; i++) {
        int64_t time = time_of_value(s, arguments[i], &value);
        bool output = s->results[clause].simple && i == s->results[clause].output;
        if (output || time < 0)
            continue;
        time = time < created ? created : time;
        if (time >= soonest || !decides(s, c->predicate, i, value, front != 0))
            continue;
        soonest = time;
        best = i;
    }
    if (front)
        leave_out_front(s, x, front);
    if (best != IOT_NONE) {
        change_goal(s, x, r, arguments[best]);
        count_gain(s, x, r, best, trace_time(s->t, r) - 1 - soonest);
    }
}

// As a head asks for it.
static char *value_text(const trace *t, trace_value v)
{
    if (v.kind == TV_INT)
        return base_format("%lld", (long long)v.i);
    if (v.kind == TV_ATOM)
        return base_copy(trace_string(t, v.id, NULL));
    trace_cell_kind kind = trace_cell_get_kind(t, v.id);
    if (kind == TC_CONS)
        return base_copy("[_|_]");
    if (kind == TC_STRUCT)
        return base_format("%s(%s)", trace_string(t, trace_cell_name(t, v.id), NULL),
                           trace_cell_arity(t, v.id) == 1 ? "_" : "_,...");
    return base_copy("a vector");
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
    char *decides = iot_predicate_text(s->t, x->predicate);
    char *value = value_text(s->t, v);
    c->text =
        base_format("%s%s waits for %s, though argument %u%s%s, which is %s, already decides (%s)",
                    name, where, maker, x->decides + 1, x->front ? " of " : "",
                    x->front ? decides : "", value, cost);
    c->advice =
        x->front ? base_format("take the guard out of %s, and add a clause to %s that has %s as "
                               "argument %u, and that looks at no other argument",
                               name, decides, value, x->decides + 1)
                 : base_format("add a clause to %s that has %s as argument %u, and that looks at no "
                               "other argument",
                               name, value, x->decides + 1);
    c->condition = base_copy("without that wait");
    candidate_also(c, made);
    free(name);
    free(where);
    free(maker);
    free(cost);
    free(value);
    free(decides);
}

static void add_candidate(const search *s, candidates *list, subject *x)
{
    uint32_t example = x->front ? x->front : x->example;
    uint32_t clause = trace_reduction_clause(s->t, example);
    candidate *c = candidate_at(s->a, list, FINDING_GUARD, clause, example);
    if (x->front)
        candidate_also(c, iot_clause_location(s->a, trace_reduction_clause(s->t, x->example)));
    c->change = draft_finish(&x->change);
    set_texts(s, c, x);
}

void iot_find_short_circuits(const iot *a, candidates *list)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    uint32_t nclauses = trace_nclauses(a->t), npredicates = trace_npredicates(a->t), proposed = 0;
    s.facts = clause_facts_create(a->t);
    s.results = base_allocate(nclauses, sizeof *s.results);
    s.fronts = base_allocate(nclauses, 1);
    s.of_interest = base_allocate(npredicates, 1);
    for (uint32_t k = 0; k < nclauses; k++) {
        s.results[k] = result_of(&s, k);
        s.fronts[k] = is_front(&s, k);
    }
    for (uint32_t p = 0; p < npredicates; p++)
        s.of_interest[p] = is_of_interest(&s, p);
    for (uint32_t r = 1; r < a->n; r++) {
        uint32_t clause = trace_reduction_clause(a->t, r);
        if (s.g->first[r] < s.g->first[r + 1] && s.of_interest[trace_get_clause(a->t, clause)->predicate])
            look_at(&s, r, clause);
    }
    for (size_t i = 0; i < s.subjects.n; i++) {
        if (iot_may_save(a, s.subjects.at[i].gained) && proposed++ < PROPOSED)
            add_candidate(&s, list, &s.subjects.at[i]);
        draft_free(&s.subjects.at[i].change);
    }
    free(s.subjects.at);
    free(s.results);
    free(s.fronts);
    free(s.of_interest);
    clause_facts_destroy(s.facts);
}
