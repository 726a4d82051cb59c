// SPDX-License-Identifier: MIT
//
// What an item needs, and whether every clause on its way hands that on.
#include "iotree/findings/late_items.h"

#include "iotree/findings/late_use.h"
#include "iotree/findings/loops.h"
#include "iotree/terms/values.h"

enum { MOST_STATES = 24 }; // predicates on the way of one item

// ---------------------------------------------------------------------------------------------
// Items that need nothing but whole arguments of the head

// The variable at a place of a pattern, as in late_item; IOT_NONE: there is none.
static uint32_t hole_at(const trace_clause *c, uint32_t pattern, const inner_place *place)
{
    for (uint32_t i = 0; i < place->depth; i++) {
        const trace_node *n = &c->patterns[pattern];
        if (n->kind != TN_STRUCT || n->n <= place->parts[i])
            return IOT_NONE;
        pattern = c->pattern_children[n->first + place->parts[i]];
    }
    const trace_node *n = &c->patterns[pattern];
    return n->kind == TN_HOLE ? n->index : n->kind == TN_FRESH ? c->nholes + n->index : IOT_NONE;
}

// Looks for a hole in the structures of a pattern, each place in turn.
static bool find_inside(const trace_clause *c, uint32_t pattern, uint32_t hole, inner_place *ret)
{
    *ret = (inner_place){0};
    if (hole_at(c, pattern, ret) == hole)
        return true;
    uint32_t n = c->patterns[pattern].kind == TN_STRUCT ? c->patterns[pattern].n : 0;
    for (uint32_t i = 0; i < n; i++) {
        *ret = (inner_place){1, {i}};
        if (hole_at(c, pattern, ret) == hole)
            return true;
        const trace_node *part = &c->patterns[c->pattern_children[c->patterns[pattern].first + i]];
        for (uint32_t k = 0; part->kind == TN_STRUCT && k < part->n; k++) {
            *ret = (inner_place){2, {i, k}};
            if (hole_at(c, pattern, ret) == hole)
                return true;
        }
    }
    return false;
}

bool iot_add_need(late_item *x, const trace_clause *c, uint32_t hole)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->holes[i] == hole)
            return true;
    for (uint32_t i = 0; i < c->nhead && x->n < MOST_NEEDS; i++)
        if (find_inside(c, c->head[i], hole, &x->inner[x->n])) {
            x->holes[x->n] = hole;
            x->arguments[x->n++] = i;
            return true;
        }
    return false;
}

static bool is_open(clause_facts *f, const trace_clause *c, const trace_item *item,
                    uint32_t argument)
{
    return c->nodes[c->children[item->first + argument]].kind == TN_HOLE &&
           iot_loop_can_begin_without(f, item->predicate, argument);
}

// Is the predicate a loop that makes one goal of its own at a time? Where it makes several, each
// of many goals has the item, with variables of its own; where it makes none, a wait holds the item
// up.
static bool find_one_loop(clause_facts *f, uint32_t predicate)
{
    bool loop = false;
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        const trace_clause *c = trace_get_clause(f->t, f->clauses[i]);
        uint32_t own = 0;
        for (uint32_t k = 0; k < c->nitems; k++)
            own += c->items[k].kind == TI_GOAL &&
                   predicates_call_each_other(f, c->items[k].predicate, predicate);
        if (own > 1)
            return false;
        loop |= own == 1;
    }
    return loop;
}

static bool is_one_loop(clause_facts *f, uint32_t predicate)
{
    enum { UNKNOWN, NO, YES };
    if (!f->one_loop)
        f->one_loop = base_allocate(trace_npredicates(f->t), 1);
    if (f->one_loop[predicate] == UNKNOWN)
        f->one_loop[predicate] = find_one_loop(f, predicate) ? YES : NO;
    return f->one_loop[predicate] == YES;
}

// The expression of the guard that computes the variable; IOT_NONE: none does.
static uint32_t expression_of(const trace *t, const trace_clause *c, const trace_node *variable)
{
    for (uint32_t g = 0; g < c->nguards; g++) {
        const trace_guard *guard = &c->guards[g];
        const uint32_t *arguments = &c->pattern_children[guard->first];
        const trace_node *result = guard->n == 2 ? &c->patterns[arguments[0]] : NULL;
        if (result && result->kind == variable->kind && result->index == variable->index &&
            strcmp(trace_string(t, guard->name, NULL), ":=") == 0)
            return arguments[1];
    }
    return IOT_NONE;
}

// Adds what the variable needs: that it is an argument of the head, or what a guard computes it
// from. False: neither.
static bool add_variable(const trace *t, late_item *x, const trace_clause *c,
                         const trace_node *variable)
{
    ARRAY_OF(trace_node) stack = {0};
    bool good = true;
    ARRAY_PUSH(stack, *variable);
    for (uint32_t steps = 0; stack.n > 0 && good; steps++) {
        trace_node n = stack.at[--stack.n];
        bool is_variable = n.kind == TN_HOLE || n.kind == TN_FRESH;
        uint32_t number = n.kind == TN_HOLE ? n.index : c->nholes + n.index;
        bool need = is_variable && iot_add_need(x, c, number);
        for (uint32_t i = 0; need && steps > 0 && i < x->n; i++)
            x->computed |= x->holes[i] == number ? 1u << i : 0;
        if (is_variable && !need) {
            uint32_t expression = expression_of(t, c, &n);
            good = expression != IOT_NONE && steps <= c->npatterns;
            if (good)
                ARRAY_PUSH(stack, c->patterns[expression]);
        }
        for (uint32_t i = 0; !is_variable && i < n.n; i++)
            ARRAY_PUSH(stack, c->patterns[c->pattern_children[n.first + i]]);
    }
    free(stack.at);
    return good;
}

// A loop inside another one, which goes on with the outer loop when it ends: `work(0, X, Xs) :-
// next(Xs)`, where a step of next/1 begins the next work. Does it do more than count? What the goal
// of the outer loop gets is handed down only (find_needs), so that loop could go on at once.
static bool is_inner_loop(clause_facts *f, const trace_clause *c, const trace_item *item)
{
    bool loop = false, counts = true;
    if (item->predicate == c->predicate)
        return false;
    for (uint32_t i = f->first[c->predicate]; i < f->first[c->predicate + 1]; i++) {
        const trace_clause *d = trace_get_clause(f->t, f->clauses[i]);
        bool step = false;
        for (uint32_t k = 0; k < d->nitems; k++)
            step |= d->items[k].kind == TI_GOAL && d->items[k].predicate == c->predicate;
        for (uint32_t k = 0; k < d->nitems && step; k++)
            counts &= (d->items[k].kind == TI_GOAL && d->items[k].predicate == c->predicate) ||
                      iot_is_counter(f->t, d, k);
        counts &= !step || iot_guards_only_count(f->t, d);
        loop |= step;
        if (step && d == c)
            return false;
    }
    return loop && !counts;
}

// Does a goal of the outer loop get this variable, which the clause makes? Then whoever makes that
// goal sooner makes the variable, too.
static bool goes_on(clause_facts *f, const trace_clause *c, const trace_node *fresh)
{
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind != TI_GOAL ||
            !predicates_call_each_other(f, item->predicate, c->predicate) ||
            !is_inner_loop(f, c, item))
            continue;
        for (uint32_t k = 0; k < item->n; k++) {
            const trace_node *n = &c->nodes[c->children[item->first + k]];
            if (n->kind == TN_FRESH && n->index == fresh->index)
                return true;
        }
    }
    return false;
}

// Variables that the clause makes go with a goal: the clause above can make them as well. Of a
// built-in they would save no more than the one step that it takes.
static bool find_needs(clause_facts *f, late_item *x, const trace_clause *c)
{
    const trace_item *item = &c->items[x->item];
    const trace *t = f->t;
    ARRAY_OF(uint32_t) stack = {0};
    bool good = true, goal = item->kind == TI_GOAL && is_one_loop(f, c->predicate) &&
                             trace_get_predicate(t, item->predicate)->origin != TRACE_BUILTIN;
    for (uint32_t i = item->n; i-- > 0;)
        if (goal && i < MOST_OPEN && is_open(f, c, item, i))
            x->open |= 1ull << i;
        else
            ARRAY_PUSH(stack, c->children[item->first + i]);
    while (stack.n > 0 && good) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        good = n->kind == TN_FRESH ? goal || (item->kind == TI_UNIFY && goes_on(f, c, n))
                                   : n->kind != TN_HOLE || add_variable(t, x, c, n);
        for (uint32_t i = n->n; i-- > 0;)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return good && (x->n > 0 || goal);
}

// Does clause d of the loop of c only count? Of c, what it does is the item.
static bool clause_passes_time(clause_facts *f, const trace_clause *d, const trace_clause *c,
                               bool *counts)
{
    bool only = iot_guards_only_count(f->t, d);
    for (uint32_t k = 0; k < d->nitems && only; k++) {
        bool step = d->items[k].kind == TI_GOAL &&
                    predicates_call_each_other(f, d->items[k].predicate, c->predicate);
        only = step || (d == c && d->nitems == 1) || iot_is_counter(f->t, d, k);
        *counts |= step;
    }
    return only;
}

// Does the loop of the item's clause do nothing but count until it comes to the item, which is all
// that the clause does? Then it stands for the time that passes until then.
static bool only_passes_time(clause_facts *f, const trace_clause *c)
{
    bool only = true, counts = false;
    uint32_t n;
    const uint32_t *loop = predicates_of_loop(f, c->predicate, &n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = f->first[loop[i]]; j < f->first[loop[i] + 1] && only; j++)
            only = clause_passes_time(f, trace_get_clause(f->t, f->clauses[j]), c, &counts);
    return only && counts;
}

static bool is_alias(const trace_clause *c, const trace_item *item)
{
    return c->nodes[c->children[item->first]].kind == TN_HOLE &&
           c->nodes[c->children[item->first + 1]].kind == TN_HOLE;
}

// An alias or a term with a variable of the head in it; a goal that is not a step of the loop
// itself.
static bool is_of_interest(clause_facts *f, const late_item *x, const trace_clause *c)
{
    const trace_item *item = &c->items[x->item];
    if (item->kind == TI_UNIFY)
        return x->n > 1 && (is_alias(c, item) || !only_passes_time(f, c));
    if (predicate_leads_to_act(f, item->predicate))
        return false;
    return predicates_call_each_other(f, item->predicate, c->predicate)
               ? x->open == 0 && is_inner_loop(f, c, item)
               : !only_passes_time(f, c);
}

bool iot_late_item(clause_facts *f, uint32_t clause, uint32_t item, late_item *ret)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    *ret = (late_item){.clause = clause, .item = item};
    return find_needs(f, ret, c) && is_of_interest(f, ret, c);
}

// ---------------------------------------------------------------------------------------------
// Does the item follow?

// What a goal hands on: a predicate and the arguments that the needs are there.
typedef struct {
    uint32_t predicate;
    uint32_t arguments[MOST_NEEDS];
} way_state;

typedef struct {
    clause_facts *f;
    const late_item *x;
    const trace_value *values;     // of the needs
    way_state states[MOST_STATES]; // those looked at, and those to look at
    uint32_t nstates;
    uint8_t *setters; // bits by clause
} way;

static bool value_fits(const trace *t, const trace_node *n, trace_value v)
{
    if (v.kind == TV_NODE || n->kind == TN_HOLE || n->kind == TN_FRESH)
        return true;
    if (v.kind != TV_CELL)
        return n->kind == TN_CONST && is_same_value(n->value, v);
    trace_cell_kind kind = trace_cell_get_kind(t, v.id);
    if (kind == TC_CONS)
        return n->kind == TN_CONS;
    if (kind == TC_STRUCT)
        return n->kind == TN_STRUCT && n->n == trace_cell_arity(t, v.id) &&
               n->value.id == trace_cell_name(t, v.id);
    return n->kind == TN_VECTOR;
}

// False: no room for another predicate.
static bool add_state(way *w, const way_state *state)
{
    for (uint32_t i = 0; i < w->nstates; i++)
        if (w->states[i].predicate == state->predicate &&
            !memcmp(w->states[i].arguments, state->arguments, w->x->n * sizeof *state->arguments))
            return true;
    if (w->nstates == MOST_STATES)
        return false;
    w->states[w->nstates++] = *state;
    return true;
}

// Is the need known to be a constant?
static bool is_known_constant(const way *w, uint32_t need)
{
    trace_value_kind kind = w->values[need].kind;
    return w->x->inner[need].depth == 0 && kind != TV_NODE && kind != TV_CELL;
}

// Of numbers the sign of x - y, of other constants 0 if both are the same one.
static int compare_constants(trace_value x, trace_value y)
{
    if (x.kind == TV_INT && y.kind == TV_INT)
        return x.i < y.i ? -1 : x.i > y.i;
    return !is_same_value(x, y);
}

static bool comparison_holds(const char *name, bool numbers, int order)
{
    if (strcmp(name, "==") == 0 || strcmp(name, "=:=") == 0)
        return order == 0;
    if (strcmp(name, "\\==") == 0 || strcmp(name, "=\\=") == 0)
        return order != 0;
    if (!numbers)
        return true;
    return strcmp(name, "<") == 0    ? order < 0
           : strcmp(name, ">") == 0  ? order > 0
           : strcmp(name, "=<") == 0 ? order <= 0
           : strcmp(name, ">=") == 0 ? order >= 0
                                     : true;
}

// The constant that a side of a comparison is; TV_NODE: not known.
static trace_value side_of(const way *w, const trace_clause *d, const way_state *state,
                           const trace_node *side)
{
    if (side->kind == TN_CONST)
        return side->value;
    for (uint32_t k = 0; k < w->x->n; k++) {
        const trace_node *n = &d->patterns[d->head[state->arguments[k]]];
        if ((side->kind == TN_HOLE || side->kind == TN_FRESH) && n->kind == side->kind &&
            n->index == side->index && is_known_constant(w, k))
            return w->values[k];
    }
    return (trace_value){.kind = TV_NODE};
}

// Does a guard compare a need that is known with another constant, so that it fails?
static bool guards_refuse(const way *w, const trace_clause *d, const way_state *state)
{
    for (uint32_t g = 0; g < d->nguards; g++) {
        const trace_guard *guard = &d->guards[g];
        const uint32_t *sides = &d->pattern_children[guard->first];
        if (guard->n != 2)
            continue;
        trace_value x = side_of(w, d, state, &d->patterns[sides[0]]);
        trace_value y = side_of(w, d, state, &d->patterns[sides[1]]);
        bool numbers = x.kind == TV_INT && y.kind == TV_INT;
        if (x.kind != TV_NODE && y.kind != TV_NODE && x.kind != TV_CELL && y.kind != TV_CELL &&
            !comparison_holds(trace_string(w->f->t, guard->name, NULL), numbers,
                              compare_constants(x, y)))
            return true;
    }
    return false;
}

// The hole of each need's argument in a clause; IOT_NONE if the head takes the argument apart, or
// the body does not use it and it is known.
static bool holes_in(const way *w, const trace_clause *c, const way_state *state, uint32_t *ret)
{
    for (uint32_t k = 0; k < w->x->n; k++) {
        if (state->arguments[k] >= c->nhead)
            return false;
        const trace_node *n = &c->patterns[c->head[state->arguments[k]]];
        if (n->kind == TN_FRESH && !is_known_constant(w, k))
            return false;
        ret[k] = n->kind == TN_HOLE ? n->index : IOT_NONE;
    }
    return true;
}

// The hole of each need itself.
static void needs_in(const way *w, const trace_clause *c, const way_state *state, uint32_t *ret)
{
    for (uint32_t k = 0; k < w->x->n; k++)
        ret[k] = hole_at(c, c->head[state->arguments[k]], &w->x->inner[k]);
}

typedef struct {
    uint32_t x, y;
} node_pair;

bool iot_is_made_again(const trace_clause *d, uint32_t pattern, uint32_t node)
{
    ARRAY_OF(node_pair) stack = {0};
    bool same = true;
    ARRAY_PUSH(stack, (node_pair){pattern, node});
    while (stack.n > 0 && same) {
        node_pair p = stack.at[--stack.n];
        const trace_node *m = &d->patterns[p.x], *n = &d->nodes[p.y];
        same = m->kind == n->kind && m->n == n->n && m->kind != TN_FRESH;
        if (m->kind == TN_HOLE)
            same = same && m->index == n->index;
        else if (m->kind == TN_CONST || m->kind == TN_STRUCT)
            same = same && is_same_value(m->value, n->value);
        for (uint32_t i = 0; same && i < m->n; i++)
            ARRAY_PUSH(stack,
                       (node_pair){d->pattern_children[m->first + i], d->children[n->first + i]});
    }
    free(stack.at);
    return same;
}

static bool same_node(const way *w, const uint32_t *holes, const trace_node *x, const trace_node *y)
{
    if (x->kind != y->kind || x->n != y->n)
        return false;
    if (x->kind == TN_HOLE) {
        uint32_t k = 0;
        while (k < w->x->n && w->x->holes[k] != x->index)
            k++;
        return k < w->x->n ? holes[k] == y->index : w->x->open != 0;
    }
    if (x->kind == TN_CONST || x->kind == TN_STRUCT)
        return is_same_value(x->value, y->value);
    return true;
}

static bool same_term(const way *w, const uint32_t *holes, const trace_clause *d, uint32_t x,
                      uint32_t y)
{
    const trace_clause *c = trace_get_clause(w->f->t, w->x->clause);
    ARRAY_OF(node_pair) stack = {0};
    bool same = true;
    ARRAY_PUSH(stack, (node_pair){x, y});
    while (stack.n > 0 && same) {
        node_pair p = stack.at[--stack.n];
        const trace_node *m = &c->nodes[p.x], *n = &d->nodes[p.y];
        same = same_node(w, holes, m, n);
        for (uint32_t i = 0; same && i < m->n; i++)
            ARRAY_PUSH(stack, (node_pair){c->children[m->first + i], d->children[n->first + i]});
    }
    free(stack.at);
    return same;
}

// The variable and the term of an `=`, as children of its item; false: it has no term.
static bool sides_of(const trace_clause *c, const trace_item *item, uint32_t *ret_variable,
                     uint32_t *ret_term)
{
    *ret_variable = c->children[item->first];
    *ret_term = c->children[item->first + 1];
    if (c->nodes[*ret_term].kind != TN_STRUCT) {
        *ret_variable = c->children[item->first + 1];
        *ret_term = c->children[item->first];
    }
    return item->kind == TI_UNIFY && c->nodes[*ret_term].kind == TN_STRUCT;
}

// Does it make a term of the same name, with the same part?
static bool same_part(const way *w, const uint32_t *holes, const trace_clause *d,
                      const trace_item *y)
{
    const trace_clause *c = trace_get_clause(w->f->t, w->x->clause);
    uint32_t mine, term, variable, other;
    if (!sides_of(c, &c->items[w->x->item], &mine, &term) || !sides_of(d, y, &variable, &other))
        return false;
    const trace_node *m = &c->nodes[term], *n = &d->nodes[other];
    uint32_t part = w->x->part - 1;
    return m->n == n->n && m->value.id == n->value.id &&
           same_term(w, holes, d, mine, variable) &&
           same_term(w, holes, d, c->children[m->first + part], d->children[n->first + part]);
}

static bool same_item(const way *w, const uint32_t *holes, const trace_clause *d,
                      const trace_item *y)
{
    const trace_clause *c = trace_get_clause(w->f->t, w->x->clause);
    const trace_item *x = &c->items[w->x->item];
    if (w->x->part)
        return same_part(w, holes, d, y);
    if (x->kind != y->kind || x->n != y->n || (x->kind == TI_GOAL && x->predicate != y->predicate))
        return false;
    bool same = true, turned = x->kind == TI_UNIFY;
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t mine = c->children[x->first + i];
        same = same && same_term(w, holes, d, mine, d->children[y->first + i]);
        turned = turned && same_term(w, holes, d, mine, d->children[y->first + 1 - i]);
    }
    return same || turned;
}

// Is this node the need as the clause got it, or the constant that the need is known to be?
static bool is_need(const way *w, const uint32_t *holes, const way_state *state,
                    const trace_clause *d, uint32_t need, uint32_t node)
{
    const trace_node *n = &d->nodes[node];
    if (n->kind == TN_CONST && is_known_constant(w, need))
        return is_same_value(n->value, w->values[need]);
    return holes[need] == IOT_NONE ? iot_is_made_again(d, d->head[state->arguments[need]], node)
                                   : n->kind == TN_HOLE && n->index == holes[need];
}

static bool hands_on(const way *w, const uint32_t *holes, const way_state *state,
                     const trace_clause *d, const trace_item *item, way_state *ret)
{
    *ret = (way_state){.predicate = item->predicate};
    for (uint32_t k = 0; k < w->x->n; k++) {
        uint32_t i = 0;
        while (i < item->n && !is_need(w, holes, state, d, k, d->children[item->first + i]))
            i++;
        if (i == item->n)
            return false;
        ret->arguments[k] = i;
    }
    return true;
}

// May a goal of the predicate lead to the item? Of an `=` it is not known.
static bool may_lead_there(const way *w, uint32_t predicate)
{
    const trace_clause *c = trace_get_clause(w->f->t, w->x->clause);
    const trace_item *x = &c->items[w->x->item];
    return x->kind != TI_GOAL || predicate_reaches(w->f, predicate, x->predicate);
}

static bool is_looked_at(const way *w, const trace_clause *d, uint32_t clause, uint32_t argument)
{
    const trace_node *n = &d->patterns[d->head[argument]];
    if (n->kind != TN_FRESH)
        return true;
    for (uint32_t g = 0; g < d->nguards; g++)
        if (test_has_variable(w->f->t, (clause_test){clause, true, g}, n))
            return true;
    return false;
}

// Does the clause drop some of the arguments, without a look at them, and hand all others on to a
// goal of the loop?
static bool is_setter(const way *w, uint32_t clause, const way_state *state)
{
    const trace_clause *d = trace_get_clause(w->f->t, clause);
    uint32_t loop = trace_get_clause(w->f->t, w->x->clause)->predicate, dropped = 0;
    for (uint32_t k = 0; k < w->x->n; k++)
        if (state->arguments[k] >= d->nhead)
            return false;
    uint8_t *holes = base_allocate((size_t)d->nholes + 1, 1);
    bool goes_on = false;
    for (uint32_t k = 0; k < w->x->n; k++)
        dropped += !is_looked_at(w, d, clause, state->arguments[k]);
    for (uint32_t i = 0; i < d->nitems && dropped > 0 && !goes_on; i++) {
        const trace_item *item = &d->items[i];
        goes_on = item->kind == TI_GOAL && predicate_reaches(w->f, item->predicate, loop);
        for (uint32_t k = 0; k < w->x->n && goes_on; k++) {
            const trace_node *n = &d->patterns[d->head[state->arguments[k]]];
            if (n->kind == TN_HOLE)
                holes[n->index] = 1;
            goes_on =
                n->kind == TN_FRESH || (n->kind == TN_HOLE && item_has_hole_of(d, item, holes));
            if (n->kind == TN_HOLE)
                holes[n->index] = 0;
        }
    }
    free(holes);
    return goes_on;
}

static bool clause_leads_on(way *w, uint32_t clause, const way_state *state)
{
    const trace_clause *d = trace_get_clause(w->f->t, clause);
    uint32_t holes[MOST_NEEDS], needs[MOST_NEEDS];
    for (uint32_t k = 0; k < w->x->n; k++) // may it be chosen?
        if (state->arguments[k] < d->nhead &&
            !value_fits(w->f->t, &d->patterns[d->head[state->arguments[k]]], w->values[k]))
            return true;
    if (!clause_is_told(w->f, clause))
        return false;
    if (guards_refuse(w, d, state))
        return true;
    if (w->setters && is_setter(w, clause, state)) {
        bit_set(w->setters, clause);
        return true;
    }
    needs_in(w, d, state, needs);
    if (clause == w->x->clause && !memcmp(needs, w->x->holes, w->x->n * sizeof *needs))
        return true;
    if (!holes_in(w, d, state, holes))
        return false;
    for (uint32_t i = 0; i < d->nitems; i++)
        if (same_item(w, needs, d, &d->items[i]))
            return true;
    for (uint32_t i = 0; i < d->nitems; i++) {
        way_state next;
        if (d->items[i].kind == TI_GOAL && may_lead_there(w, d->items[i].predicate) &&
            hands_on(w, holes, state, d, &d->items[i], &next) && add_state(w, &next))
            return true;
    }
    return false;
}

bool iot_item_follows(clause_facts *f, const late_item *x, uint32_t predicate,
                      const uint32_t *arguments, const trace_value *values, uint8_t *ret_setters)
{
    way w = {.f = f, .x = x, .values = values, .setters = ret_setters};
    way_state state = {.predicate = predicate};
    memcpy(state.arguments, arguments, sizeof state.arguments);
    add_state(&w, &state);
    for (uint32_t i = 0; i < w.nstates; i++) {
        state = w.states[i];
        uint32_t begin = f->first[state.predicate], end = f->first[state.predicate + 1];
        if (begin == end)
            return false;
        for (uint32_t c = begin; c < end; c++)
            if (!clause_leads_on(&w, f->clauses[c], &state))
                return false;
    }
    return true;
}
