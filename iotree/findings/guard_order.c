// SPDX-License-Identifier: MIT
//
// Clauses whose tests come in an unlucky order. A goal that takes the clause below `otherwise` has
// waited, for each clause above, for all that this clause looks at up to the first test that fails.
// If a later test fails, too, and its values come sooner, that one could have decided alone.
//
//     pass(Colour, Score, A) :- Score > 10, Colour == gold | A = yes.
//     otherwise.
//     pass(_, _, A) :- A = no.
//
// A goal that takes any other clause needs no more than what refuses the clauses with other bodies:
//
//     check(Smoke, Speed, A) :- Smoke =< 85, Speed =< 20 | A = go.
//     check(Smoke, Speed, A) :- Smoke =< 85, Speed > 20 | A = stop.
//     check(Smoke, _, A) :- Smoke > 85 | A = stop.
//
// A comparison with a constant may imply one with a late value. If no Dark of the run exceeds 99,
// the second test here holds wherever the first one holds:
//
//     reading(X, Dark, L) :- X >= 400, Dark * 4 < X | L = bright(X).
#include <stddef.h>

#include "iotree/findings/findings.h"
#include "iotree/findings/test_reads.h"
#include "iotree/terms/values.h"

enum { PROPOSED = 4, DEEPEST = 32, MOST_READS = 64 };

// The bindings that one test needs, and whether it fails. Only the first n of them are copied.
typedef struct {
    clause_test test;
    bool fails;
    bool whole;   // all that it needs is in `bindings`
    uint32_t n;
    int64_t time; // of the latest
    uint32_t bindings[MOST_READS];
} outcome;

typedef struct {
    uint32_t node;
    trace_value value;
    outcome way;
} head_step;

typedef struct {
    clause_test test; // at: IOT_NONE: there is none
    int64_t time;     // when its values are known
} late_test;

typedef struct {
    uint32_t clause;           // above `otherwise`; else the clause of the example
    bool chosen;               // not above `otherwise`: one for the predicate
    bool implied;              // `decides` implies `late` in this run
    clause_test late, decides; // of the example
    ARRAY_OF(wait_edit) waits;
    ARRAY_OF(wait_added) added;
    uint64_t gained, goals;
    int64_t longest;
    uint32_t example, maker, below;
} guard_order;

// Of a clause: the guard that compares a variable with a late value, and the one that compares it
// with a constant. IOT_NONE: there are no such guards, or one does not imply the other in this run.
typedef struct {
    uint32_t late, decides;
} implied_guard;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    implied_guard *implied; // by clause
    uint32_t *needed;   // by binding: the reduction that needs it
    uint32_t *deciding; // by binding: the reduction of which only guards that decide look at it
    uint8_t **decides;  // by clause that has a twin: by guard, whether it decides; else NULL
    ARRAY_OF(guard_order) orders;
    // Of the clause that is tried: by variable of head and guards its value, and the bindings on
    // the way to it.
    trace_value *values;
    outcome *ways;
    uint8_t *known;
    size_t nvariables;
    ARRAY_OF(head_step) stack; // scratch
    uint32_t reduction;
} search;

// ---------------------------------------------------------------------------------------------
// Values

static void begin_outcome(outcome *x, clause_test test)
{
    x->test = test;
    x->fails = false;
    x->whole = true;
    x->n = 0;
    x->time = -1;
}

static void copy_outcome(outcome *to, const outcome *from)
{
    memcpy(to, from, offsetof(outcome, bindings) + from->n * sizeof *from->bindings);
}

static void add_binding(const search *s, outcome *x, uint32_t binding)
{
    if (x->n == MOST_READS) {
        x->whole = false;
        return;
    }
    int64_t time = binding_time(s->t, binding);
    x->bindings[x->n++] = binding;
    x->time = time > x->time ? time : x->time;
}

static void add_way(const search *s, outcome *x, const outcome *way)
{
    x->whole &= way->whole;
    for (uint32_t i = 0; i < way->n; i++)
        add_binding(s, x, way->bindings[i]);
}

// The end of a chain as the reduction saw it; a variable if it is not bound.
static trace_value follow(const search *s, trace_value v, outcome *x)
{
    while (is_variable(s->t, v)) {
        uint32_t binding = trace_cell_binding(s->t, v.id);
        if (binding == TRACE_NONE || !trace_bound_before(s->t, binding, s->reduction))
            break;
        add_binding(s, x, binding);
        v = trace_binding_value(s->t, binding);
    }
    return v;
}

static bool differs(const trace *t, const trace_node *n, trace_value v)
{
    if (n->kind == TN_CONST)
        return !is_same_value(v, n->value);
    if (v.kind != TV_CELL)
        return true;
    trace_cell_kind kind = trace_cell_get_kind(t, v.id);
    if (n->kind == TN_CONS)
        return kind != TC_CONS;
    if (n->kind == TN_STRUCT)
        return kind != TC_STRUCT || trace_cell_name(t, v.id) != n->value.id ||
               trace_cell_arity(t, v.id) != n->n;
    return kind != TC_VECTOR && kind != TC_VECTOR_UPDATE;
}

static void keep_variable(search *s, const trace_clause *c, const trace_node *n, trace_value value,
                          const outcome *way)
{
    uint32_t variable = n->kind == TN_HOLE ? n->index : c->nholes + n->index;
    s->known[variable] = 1;
    s->values[variable] = value;
    copy_outcome(&s->ways[variable], way);
}

static void push_step(search *s, uint32_t node, trace_value value, const outcome *way)
{
    if (!ARRAY_RESERVE(s->stack, 1))
        base_out_of_memory(sizeof *s->stack.at, __FILE__, __LINE__);
    head_step *top = &s->stack.at[s->stack.n++];
    top->node = node;
    top->value = value;
    copy_outcome(&top->way, way);
}

static void pop_step(search *s, head_step *ret)
{
    const head_step *top = &s->stack.at[--s->stack.n];
    ret->node = top->node;
    ret->value = top->value;
    copy_outcome(&ret->way, &top->way);
}

// One argument of the head against its value. The variables inside get values and ways.
static void try_argument(search *s, uint32_t clause, uint32_t argument, trace_value value,
                         outcome *ret)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    head_step at;
    begin_outcome(ret, (clause_test){clause, false, c->head[argument]});
    push_step(s, c->head[argument], value, ret);
    while (s->stack.n > 0) {
        pop_step(s, &at);
        const trace_node *n = &c->patterns[at.node];
        if (n->kind == TN_HOLE || n->kind == TN_FRESH) {
            keep_variable(s, c, n, at.value, &at.way);
            continue;
        }
        trace_value v = follow(s, at.value, &at.way);
        if (!ret->fails && at.way.time > ret->time)
            ret->time = at.way.time;
        if (is_variable(s->t, v))
            continue; // it does not fail here
        if (differs(s->t, n, v)) {
            if (!ret->fails || at.way.time < ret->time)
                copy_outcome(ret, &at.way);
            ret->fails = true;
            continue;
        }
        for (uint32_t i = 0; i < n->n && v.kind == TV_CELL; i++)
            push_step(s, c->pattern_children[n->first + i], trace_cell_arg(s->t, v.id, i), &at.way);
    }
}

// ---------------------------------------------------------------------------------------------
// Guards

static trace_value value_of(const search *s, const trace_clause *c, const trace_node *n, outcome *x)
{
    if (n->kind == TN_CONST)
        return n->value;
    if (n->kind != TN_HOLE && n->kind != TN_FRESH)
        return (trace_value){.kind = TV_NODE};
    uint32_t variable = n->kind == TN_HOLE ? n->index : c->nholes + n->index;
    if (!s->known[variable])
        return (trace_value){.kind = TV_NODE};
    add_way(s, x, &s->ways[variable]);
    return follow(s, s->values[variable], x);
}

static bool calculate(const char *name, int64_t a, int64_t b, int64_t *ret)
{
    if (!strcmp(name, "+"))
        return !__builtin_add_overflow(a, b, ret);
    if (!strcmp(name, "-"))
        return !__builtin_sub_overflow(a, b, ret);
    if (!strcmp(name, "*"))
        return !__builtin_mul_overflow(a, b, ret);
    if (b <= 0)
        return false;
    int64_t rest = a % b < 0 ? a % b + b : a % b;
    if (!strcmp(name, "mod"))
        *ret = rest;
    else if (!strcmp(name, "//") && a >= 0)
        *ret = a / b;
    else
        return false;
    return true;
}

// False: the value of the expression is not known, or no integer of 64 bits.
static bool number_of(const search *s, const trace_clause *c, uint32_t node, uint32_t depth,
                      outcome *x, int64_t *ret)
{
    const trace_node *n = &c->patterns[node];
    if (n->kind != TN_STRUCT) {
        trace_value v = value_of(s, c, n, x);
        *ret = v.i;
        return v.kind == TV_INT;
    }
    int64_t a, b = 0;
    if (depth == DEEPEST || n->n == 0 || n->n > 2 ||
        !number_of(s, c, c->pattern_children[n->first], depth + 1, x, &a))
        return false;
    const char *name = trace_string(s->t, n->value.id, NULL);
    if (n->n == 1)
        return !strcmp(name, "-") && calculate("-", 0, a, ret);
    return number_of(s, c, c->pattern_children[n->first + 1], depth + 1, x, &b) &&
           calculate(name, a, b, ret);
}

static bool comparison_fails(const char *name, int64_t a, int64_t b)
{
    return (!strcmp(name, "<") && a >= b) || (!strcmp(name, "=<") && a > b) ||
           (!strcmp(name, ">") && a <= b) || (!strcmp(name, ">=") && a < b) ||
           (!strcmp(name, "=:=") && a != b) || (!strcmp(name, "=\\=") && a == b);
}

// Both are known and no compounds, so they are equal or different for good.
static bool equality_fails(const char *name, trace_value a, trace_value b)
{
    if (a.kind == TV_NODE || b.kind == TV_NODE || a.kind == TV_CELL || b.kind == TV_CELL)
        return false;
    return is_same_value(a, b) ? !strcmp(name, "\\=") : !strcmp(name, "==");
}

static void try_guard(const search *s, uint32_t clause, uint32_t guard, outcome *ret)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    const trace_guard *g = &c->guards[guard];
    const char *name = trace_string(s->t, g->name, NULL);
    int64_t a, b;
    begin_outcome(ret, (clause_test){clause, true, guard});
    if (g->n != 2)
        return;
    uint32_t left = c->pattern_children[g->first], right = c->pattern_children[g->first + 1];
    if (!strcmp(name, "==") || !strcmp(name, "\\=")) {
        trace_value v = value_of(s, c, &c->patterns[left], ret);
        ret->fails = equality_fails(name, v, value_of(s, c, &c->patterns[right], ret));
    } else if (number_of(s, c, left, 0, ret, &a) && number_of(s, c, right, 0, ret, &b)) {
        ret->fails = comparison_fails(name, a, b);
    }
}

// ---------------------------------------------------------------------------------------------
// One goal

static void make_room(search *s, const trace_clause *c)
{
    size_t n = (size_t)c->nholes + c->nunused;
    if (n > s->nvariables) {
        s->nvariables = n;
        s->values = base_resize(s->values, n, sizeof *s->values);
        s->ways = base_resize(s->ways, n, sizeof *s->ways);
        s->known = base_resize(s->known, n, 1);
    }
    if (n)
        memset(s->known, 0, n);
}

// Of the tests that fail the one that is known first, and in *ret_late the one that is known last of
// those that the clause comes to: up to the first one that fails.
static void soonest_failure(search *s, uint32_t clause, const trace_value *arguments,
                            outcome *ret, late_test *ret_late)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    outcome x;
    bool failed = false;
    begin_outcome(ret, (clause_test){clause, false, 0});
    make_room(s, c);
    *ret_late = (late_test){{clause, false, IOT_NONE}, -1};
    for (uint32_t i = 0; i < c->nhead + c->nguards; i++) {
        if (i < c->nhead)
            try_argument(s, clause, i, arguments[i], &x);
        else
            try_guard(s, clause, i - c->nhead, &x);
        x.test = i < c->nhead ? (clause_test){clause, false, c->head[i]}
                              : (clause_test){clause, true, i - c->nhead};
        if (!failed && x.time > ret_late->time)
            *ret_late = (late_test){x.test, x.time};
        failed |= x.fails;
        if (x.fails && x.whole && (!ret->fails || x.time < ret->time))
            copy_outcome(ret, &x);
    }
}

static void need(search *s, const outcome *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        s->needed[x->bindings[i]] = s->reduction;
}

// What the clause itself reads is needed.
static void need_own(search *s, uint32_t clause, const trace_value *arguments)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    outcome x;
    make_room(s, c);
    for (uint32_t i = 0; i < c->nhead; i++)
        try_argument(s, clause, i, arguments[i], &x);
    for (uint32_t i = 0; i < c->nhead; i++) {
        begin_outcome(&x, (clause_test){clause, false, c->head[i]});
        if (c->patterns[c->head[i]].kind != TN_HOLE && c->patterns[c->head[i]].kind != TN_FRESH)
            follow(s, arguments[i], &x);
        need(s, &x);
    }
}

// The variables of a guard, as far as head and guards before give them a value.
static void need_guard(search *s, const trace_clause *c, const trace_guard *g)
{
    ARRAY_OF(uint32_t) stack = {0};
    for (uint32_t i = 0; i < g->n; i++)
        ARRAY_PUSH(stack, c->pattern_children[g->first + i]);
    while (stack.n > 0) {
        const trace_node *n = &c->patterns[stack.at[--stack.n]];
        outcome x;
        begin_outcome(&x, (clause_test){0});
        if (n->kind == TN_HOLE || n->kind == TN_FRESH)
            value_of(s, c, n, &x);
        need(s, &x);
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->pattern_children[n->first + i]);
    }
    free(stack.at);
}

// Does the clause come to a test that is known later than the one that decides?
static bool comes_to_late(const outcome *decides, const late_test *late)
{
    return late->test.at != IOT_NONE && late->time > decides->time;
}

// The clauses above, each by its failure that is known first; in *ret_late the latest test that one
// of them comes to before, and in *ret_decides what decides there. False: of one no failure is
// known, or all come to what decides first.
static bool need_failures(search *s, uint32_t clause, const trace_value *arguments,
                          outcome *ret_decides, clause_test *ret_late)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    int64_t latest = -1;
    for (uint32_t i = s->facts->first[c->predicate]; i < s->facts->first[c->predicate + 1]; i++) {
        uint32_t above = s->facts->clauses[i];
        late_test late;
        if (trace_get_clause(s->t, above)->number >= c->number ||
            clause_has_otherwise(s->facts, above))
            continue;
        outcome x;
        soonest_failure(s, above, arguments, &x, &late);
        if (!x.fails)
            return false;
        need(s, &x);
        if (comes_to_late(&x, &late) && late.time > latest) {
            latest = late.time;
            copy_outcome(ret_decides, &x);
            *ret_late = late.test;
        }
    }
    return latest >= 0;
}

static guard_order *order_of(search *s, uint32_t clause, bool chosen)
{
    uint32_t predicate = trace_get_clause(s->t, clause)->predicate;
    for (size_t i = 0; i < s->orders.n; i++) {
        const guard_order *order = &s->orders.at[i];
        bool same = chosen ? trace_get_clause(s->t, order->clause)->predicate == predicate
                           : order->clause == clause;
        if (same && order->chosen == chosen)
            return &s->orders.at[i];
    }
    ARRAY_PUSH(
        s->orders,
        (guard_order){.clause = clause, .chosen = chosen, .longest = -1, .example = IOT_NONE});
    return &s->orders.at[s->orders.n - 1];
}

static void leave_out_reads(search *s, guard_order *order, uint32_t r, const outcome *decides,
                            clause_test late)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads), maker = 0;
    uint64_t next = s->g->first[r], from;
    int64_t kept = trace_time(s->t, s->g->parents[r]), left = -1;
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(s->t, s->g, r, reads[i], &next, &from))
            continue;
        bool needed = s->needed[trace_cell_binding(s->t, reads[i])] == r;
        for (uint64_t w = from; w < next; w++) {
            int64_t time = trace_time(s->t, s->g->makers[w]);
            if (needed) {
                kept = time > kept ? time : kept;
                continue;
            }
            ARRAY_PUSH(order->waits, (wait_edit){w, IOT_NONE});
            maker = time > left ? s->g->makers[w] : maker;
            left = time > left ? time : left;
        }
    }
    if (left <= kept)
        return;
    order->gained += (uint64_t)(left - kept);
    order->goals++;
    if (left - kept > order->longest) {
        order->longest = left - kept;
        order->example = r;
        order->maker = maker;
        order->decides = decides->test;
        order->late = late;
        order->below = trace_reduction_clause(s->t, r);
        order->clause = order->chosen ? order->below : order->clause;
    }
}

static void look_at(search *s, uint32_t r, uint32_t clause, trace_value *arguments)
{
    outcome decides;
    clause_test late = {0};
    s->reduction = r;
    const trace_clause *c = trace_get_clause(s->t, clause);
    begin_outcome(&decides, (clause_test){clause, false, 0});
    trace_goal_args(s->t, trace_reduction_goal(s->t, r), arguments);
    need_own(s, clause, arguments);
    for (uint32_t i = 0; i < c->nguards; i++)
        need_guard(s, c, &c->guards[i]);
    if (need_failures(s, clause, arguments, &decides, &late))
        leave_out_reads(s, order_of(s, decides.test.clause, false), r, &decides, late);
}

// ---------------------------------------------------------------------------------------------
// A clause among others

typedef struct {
    search *s;
    const trace_clause *c;
    outcome x;
} guard_reads;

static void see_read(void *data, head_variable v)
{
    guard_reads *g = data;
    uint32_t variable = v.used ? v.index : g->c->nholes + v.index;
    if (!g->s->known[variable])
        return;
    follow(g->s, g->s->values[variable], &g->x);
}

// What only guards look at that tell clauses apart. *ret_late: the one whose value came last.
static bool find_deciding(search *s, uint32_t clause, const uint8_t *deciding,
                          const trace_value *arguments, clause_test *ret_late)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    int64_t latest = -1;
    make_room(s, c);
    guard_reads g = {.s = s, .c = c};
    for (uint32_t i = 0; i < c->nhead; i++)
        try_argument(s, clause, i, arguments[i], &g.x);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < c->nguards; i++) {
            clause_test test = {clause, true, i};
            bool decides = deciding[i];
            if (decides != (pass == 0))
                continue;
            begin_outcome(&g.x, test);
            test_variables(s->t, test, see_read, &g);
            for (uint32_t k = 0; k < g.x.n; k++)
                s->deciding[g.x.bindings[k]] = decides ? s->reduction : 0;
            if (decides && g.x.time > latest) {
                latest = g.x.time;
                *ret_late = test;
            }
        }
    return latest >= 0;
}

// The clauses with other bodies, each by its failure that is known first. False: of one no failure
// is known, or there is none.
static bool need_refusals(search *s, uint32_t clause, const trace_value *arguments,
                          outcome *ret_last, guard_order *order)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    size_t before = order->added.n;
    ret_last->time = -1;
    for (uint32_t i = s->facts->first[c->predicate]; i < s->facts->first[c->predicate + 1]; i++) {
        uint32_t other = s->facts->clauses[i];
        late_test late;
        if (other == clause || clauses_do_the_same(s->facts, clause, other))
            continue;
        outcome x;
        soonest_failure(s, other, arguments, &x, &late);
        if (!x.fails) {
            order->added.n = before;
            return false;
        }
        need(s, &x);
        for (uint32_t k = 0; k < x.n; k++)
            ARRAY_PUSH(order->added,
                       (wait_added){s->reduction, trace_binding_maker(s->t, x.bindings[k])});
        if (x.time >= ret_last->time)
            copy_outcome(ret_last, &x);
    }
    return ret_last->fails;
}

static void look_at_chosen(search *s, uint32_t r, uint32_t clause, trace_value *arguments)
{
    outcome decides;
    clause_test late = {0};
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads);
    s->reduction = r;
    begin_outcome(&decides, (clause_test){clause, false, 0});
    trace_goal_args(s->t, trace_reduction_goal(s->t, r), arguments);
    if (!find_deciding(s, clause, s->decides[clause], arguments, &late))
        return;
    guard_order *order = order_of(s, clause, true);
    size_t waits = order->waits.n, added = order->added.n;
    if (!need_refusals(s, clause, arguments, &decides, order))
        return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(s->t, reads[i]);
        if (binding != TRACE_NONE && s->deciding[binding] != r)
            s->needed[binding] = r;
    }
    leave_out_reads(s, order, r, &decides, late);
    if (order->waits.n == waits)
        order->added.n = added;
}

// Is there another clause with the same body? Else what refuses all others is what it tests itself.
static bool has_twin(search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    if (!clause_is_told(s->facts, clause) || c->nguards == 0)
        return false;
    for (uint32_t i = s->facts->first[c->predicate]; i < s->facts->first[c->predicate + 1]; i++)
        if (s->facts->clauses[i] != clause &&
            clauses_do_the_same(s->facts, clause, s->facts->clauses[i]))
            return true;
    return false;
}

static uint8_t *find_decisions(search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    uint8_t *decides = base_allocate(c->nguards, 1);
    for (uint32_t i = 0; i < c->nguards; i++)
        decides[i] = c->guards[i].n == 2 && !guard_computes(s->t, clause, i) &&
                     test_decides(s->facts, (clause_test){clause, true, i});
    return decides;
}

// ---------------------------------------------------------------------------------------------
// A comparison that implies another one

typedef struct {
    uint32_t variable, other; // patterns
    bool greater, strict;     // variable > other, >=; else <, =<
} bound;

// The guard as a bound of what stands on its left, or on its right.
static bool is_bound(const trace *t, const trace_clause *c, uint32_t guard, bool right, bound *ret)
{
    static const char *const names[] = {">", ">=", "<", "=<"};
    const trace_guard *g = &c->guards[guard];
    const char *name = trace_string(t, g->name, NULL);
    for (uint32_t i = 0; g->n == 2 && i < 4; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        ret->variable = c->pattern_children[g->first + right];
        ret->other = c->pattern_children[g->first + !right];
        ret->greater = (i < 2) != right;
        ret->strict = i % 2 == 0;
        return c->patterns[ret->variable].kind == TN_HOLE;
    }
    return false;
}

// Is `decides` a bound of the same variable on the same side, by a constant?
static bool may_imply(const trace_clause *c, const bound *decides, const bound *late)
{
    const trace_node *constant = &c->patterns[decides->other];
    trace_node_kind kind = c->patterns[late->other].kind;
    return constant->kind == TN_CONST && constant->value.kind == TV_INT &&
           (kind == TN_HOLE || kind == TN_STRUCT) && decides->greater == late->greater &&
           c->patterns[decides->variable].index == c->patterns[late->variable].index;
}

static bool find_bounds(const trace *t, const trace_clause *c, implied_guard x, bound *ret_late,
                        bound *ret_decides)
{
    for (int sides = 0; sides < 4; sides++)
        if (is_bound(t, c, x.late, sides & 1, ret_late) &&
            is_bound(t, c, x.decides, sides >> 1, ret_decides) &&
            may_imply(c, ret_decides, ret_late))
            return true;
    return false;
}

static implied_guard find_implied(const search *s, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    bound late, decides;
    if (clause_is_told(s->facts, clause) && c->nguards > 1 &&
        !clause_is_below_otherwise(s->facts, clause, IOT_NONE)) // that waits for those above, too
        for (uint32_t i = 0; i < c->nguards; i++)
            for (uint32_t k = 0; k < c->nguards; k++)
                if (i != k && find_bounds(s->t, c, (implied_guard){i, k}, &late, &decides))
                    return (implied_guard){i, k};
    return (implied_guard){IOT_NONE, IOT_NONE};
}

// Does the late value of a goal, whatever clause it took, contradict the implication?
static bool contradicts(search *s, uint32_t clause, const trace_value *arguments)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    bound late, decides;
    outcome x;
    int64_t value;
    make_room(s, c);
    for (uint32_t i = 0; i < c->nhead; i++)
        try_argument(s, clause, i, arguments[i], &x);
    begin_outcome(&x, (clause_test){clause, true, s->implied[clause].late});
    if (!find_bounds(s->t, c, s->implied[clause], &late, &decides) ||
        !number_of(s, c, late.other, 0, &x, &value))
        return false;
    int64_t constant = c->patterns[decides.other].value.i;
    if (value == constant)
        return late.strict && !decides.strict;
    return (value > constant) == late.greater;
}

static void refuse_contradicted(search *s, trace_value *arguments)
{
    for (uint32_t r = 1; r < s->a->n; r++) {
        uint32_t p = trace_get_clause(s->t, trace_reduction_clause(s->t, r))->predicate;
        bool known = false;
        s->reduction = r;
        for (uint32_t i = s->facts->first[p]; i < s->facts->first[p + 1]; i++) {
            uint32_t clause = s->facts->clauses[i];
            if (s->implied[clause].late == IOT_NONE)
                continue;
            if (!known)
                trace_goal_args(s->t, trace_reduction_goal(s->t, r), arguments);
            known = true;
            if (contradicts(s, clause, arguments))
                s->implied[clause].late = IOT_NONE;
        }
    }
}

static void look_at_implied(search *s, uint32_t r, uint32_t clause, trace_value *arguments)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    outcome decides;
    clause_test late = {0};
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads);
    uint8_t *left_out = base_allocate(c->nguards, 1);
    left_out[s->implied[clause].late] = 1;
    s->reduction = r;
    begin_outcome(&decides, (clause_test){clause, true, s->implied[clause].decides});
    trace_goal_args(s->t, trace_reduction_goal(s->t, r), arguments);
    if (find_deciding(s, clause, left_out, arguments, &late)) {
        need_own(s, clause, arguments);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t binding = trace_cell_binding(s->t, reads[i]);
            if (binding != TRACE_NONE && s->deciding[binding] != r)
                s->needed[binding] = r;
        }
        guard_order *order = order_of(s, clause, true);
        order->implied = true;
        leave_out_reads(s, order, r, &decides, late);
    }
    free(left_out);
}

// ---------------------------------------------------------------------------------------------
// Candidates

static void add_candidate(search *s, candidates *list, guard_order *order)
{
    const iot *a = s->a;
    iot_location made;
    candidate *x = candidate_at(a, list, FINDING_GUARD, order->clause, order->example);
    x->change.waits = order->waits.at;
    x->change.nwaits = order->waits.n;
    x->change.added = order->added.at;
    x->change.nadded = order->added.n;
    order->waits.at = NULL;
    order->added.at = NULL;
    char *name = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *late = test_text(s->t, order->late), *decides = test_text(s->t, order->decides);
    char *maker = iot_maker_text(a, s->g, order->maker, &made);
    char *cost = iot_cost_text(a, order->gained, order->goals, "goal");
    x->text = base_format("%s%s tests %s, which waits for %s, %s %s, which already decides (%s)",
                          name, where, late, maker, order->implied ? "besides" : "before", decides,
                          cost);
    x->advice = order->implied
                    ? base_format("leave %s out in %s%s: in this run it holds wherever %s holds",
                                  late, name, where, decides)
                    : base_format("test %s before %s in %s%s", decides, late, name, where);
    x->condition = base_copy(order->implied ? "without that test" : "in that order");
    candidate_also(x, iot_clause_location(a, order->below));
    candidate_also(x, made);
    free(name);
    free(where);
    free(late);
    free(decides);
    free(maker);
    free(cost);
}

static void look_at_all(search *s)
{
    const iot *a = s->a;
    uint32_t most = 0, n = trace_nclauses(a->t);
    uint8_t *below = base_allocate(n, 1);
    bool any = false, any_implied = false;
    for (uint32_t c = 0; c < n; c++) {
        below[c] = clause_has_otherwise(s->facts, c);
        if (!below[c] && has_twin(s, c))
            s->decides[c] = find_decisions(s, c);
        s->implied[c] = find_implied(s, c);
        any_implied |= s->implied[c].late != IOT_NONE;
        any |= below[c] || s->decides[c] || any_implied;
        uint32_t arity = trace_get_clause(a->t, c)->nhead;
        most = arity > most ? arity : most;
    }
    trace_value *arguments = base_allocate(most, sizeof *arguments);
    if (any_implied)
        refuse_contradicted(s, arguments);
    for (uint32_t r = 1; r < a->n && any; r++) {
        uint32_t clause = trace_reduction_clause(a->t, r);
        bool waits = s->g->first[r + 1] > s->g->first[r];
        if (waits && below[clause])
            look_at(s, r, clause, arguments);
        else if (waits && s->decides[clause])
            look_at_chosen(s, r, clause, arguments);
        else if (waits && s->implied[clause].late != IOT_NONE)
            look_at_implied(s, r, clause, arguments);
    }
    free(arguments);
    free(below);
}

void iot_find_guard_order(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    s.needed = base_allocate(trace_nbindings(a->t), sizeof *s.needed);
    s.decides = base_allocate(trace_nclauses(a->t), sizeof *s.decides);
    s.implied = base_allocate(trace_nclauses(a->t), sizeof *s.implied);
    s.deciding = base_allocate(trace_nbindings(a->t), sizeof *s.deciding);
    look_at_all(&s);
    for (size_t i = 0; i < s.orders.n; i++) {
        bool gains = s.orders.at[i].goals > 0 && iot_may_save(a, s.orders.at[i].gained);
        if (gains && i < PROPOSED)
            add_candidate(&s, c, &s.orders.at[i]);
        free(s.orders.at[i].waits.at);
        free(s.orders.at[i].added.at);
    }
    free(s.orders.at);
    free(s.needed);
    free(s.implied);
    free(s.deciding);
    for (uint32_t i = 0; i < trace_nclauses(a->t); i++)
        free(s.decides[i]);
    free(s.decides);
    free(s.values);
    free(s.ways);
    free(s.known);
    free(s.stack.at);
    clause_facts_destroy(s.facts);
}
