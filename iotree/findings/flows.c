// SPDX-License-Identifier: MIT
//
// A *flow* of a predicate: what it makes at a place of one of its arguments is always what is at a
// place of another one. At first every flow that is asked for is taken to be true, whichever place
// it leads to; then clauses refute it until none does. A place is an argument and at most MOST_DEEP
// steps into terms.
#include "base/table.h"
#include "iotree/findings/flows.h"

enum {
    MOST_DEEP = 3,
    MOST_FLOWS = 4096,
    MOST_STEPS = 24 // from variable to variable in one clause
};

typedef struct {
    uint64_t functor; // of the term
    uint32_t child;
} path_step;

typedef struct {
    uint32_t n;
    path_step steps[MOST_DEEP];
} path;

typedef struct {
    uint32_t argument;
    path path;
} place;

typedef enum { ANYWHERE, FROM, NOWHERE } flow_state;

typedef struct {
    uint32_t predicate;
    place made;
    flow_state state;
    place from;
} flow;

// Of one clause, by variable: where the body has it. Holes come first, then new variables.
typedef struct {
    uint32_t *first; // items with variable v as an argument: items[first[v] .. first[v + 1])
    uint32_t *items; // in the order of the body; several times if it is there several times
    uint32_t *node;  // its first node; IOT_NONE: none
} occurrences;

struct flows {
    clause_facts *facts;
    occurrences *occurrences; // by clause; all NULL until asked for
    ARRAY_OF(flow) list;
    size_t settled;          // that many of the list do not change any more
    uint32_t *first;         // by predicate: its newest flow, plus one; 0: none
    ARRAY_OF(uint32_t) next; // by flow: the one before of its predicate, plus one
};

// A variable of a clause and a path into it.
typedef struct {
    bool fresh;
    uint32_t index;
    path path;
} spot;

// ---------------------------------------------------------------------------------------------
// Places

static uint64_t functor_of(const trace_node *n)
{
    return n->kind == TN_CONS     ? 1
           : n->kind == TN_STRUCT ? hash_word(hash_word(2, n->value.id), n->n)
                                  : 0;
}

static bool same_path(const path *x, const path *y)
{
    bool same = x->n == y->n;
    for (uint32_t i = 0; same && i < x->n; i++)
        same = x->steps[i].functor == y->steps[i].functor && x->steps[i].child == y->steps[i].child;
    return same;
}

static bool same_place(const place *x, const place *y)
{
    return x->argument == y->argument && same_path(&x->path, &y->path);
}

// False: too deep.
static bool join(const path *x, const path *y, path *ret)
{
    *ret = *x;
    if (x->n + y->n > MOST_DEEP)
        return false;
    for (uint32_t i = 0; i < y->n; i++)
        ret->steps[ret->n++] = y->steps[i];
    return true;
}

static bool is_variable_kind(trace_node_kind kind)
{
    return kind == TN_HOLE || kind == TN_FRESH;
}

// The variable in which a path into a term of the body ends or goes on; false: a term is there, or
// no such one.
static bool spot_in(const trace_clause *c, uint32_t node, const path *p, spot *ret)
{
    uint32_t i = 0;
    for (; !is_variable_kind(c->nodes[node].kind); i++) {
        const trace_node *n = &c->nodes[node];
        if (i == p->n || functor_of(n) == 0 || functor_of(n) != p->steps[i].functor)
            return false;
        node = c->children[n->first + p->steps[i].child];
    }
    *ret = (spot){.fresh = c->nodes[node].kind == TN_FRESH, .index = c->nodes[node].index};
    for (; i < p->n; i++)
        ret->path.steps[ret->path.n++] = p->steps[i];
    return true;
}

static bool same_variable(const trace_node *n, const spot *x)
{
    return n->kind == (x->fresh ? TN_FRESH : TN_HOLE) && n->index == x->index;
}

typedef struct {
    uint32_t node;
    path path;
} pattern_step;

// Where the head has the variable, first; false: nowhere, or too deep.
static bool place_in_head(const trace_clause *c, const spot *x, place *ret)
{
    ARRAY_OF(pattern_step) stack = {0};
    bool found = false;
    for (uint32_t i = 0; i < c->nhead && !found && !x->fresh; i++) {
        ARRAY_PUSH(stack, (pattern_step){.node = c->head[i]});
        while (stack.n > 0 && !found) {
            pattern_step at = stack.at[--stack.n];
            const trace_node *n = &c->patterns[at.node];
            found = n->kind == TN_HOLE && n->index == x->index;
            *ret = (place){i, at.path};
            for (uint32_t k = 0; k < n->n && at.path.n < MOST_DEEP && functor_of(n); k++) {
                pattern_step in = {c->pattern_children[n->first + k], at.path};
                in.path.steps[in.path.n++] = (path_step){functor_of(n), k};
                ARRAY_PUSH(stack, in);
            }
        }
        stack.n = 0;
    }
    free(stack.at);
    path whole = {0};
    if (!found || !join(&ret->path, &x->path, &whole))
        return false;
    ret->path = whole;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Steps in one clause

static flow *flow_of(flows *f, uint32_t predicate, uint32_t argument, const path *p)
{
    place made = {argument, *p};
    for (uint32_t i = f->first[predicate]; i != 0; i = f->next.at[i - 1])
        if (same_place(&f->list.at[i - 1].made, &made))
            return &f->list.at[i - 1];
    if (f->list.n == MOST_FLOWS)
        return NULL;
    flow_state state =
        f->facts->first[predicate] == f->facts->first[predicate + 1] ? NOWHERE : ANYWHERE;
    ARRAY_PUSH(f->list, (flow){.predicate = predicate, .made = made, .state = state});
    ARRAY_PUSH(f->next, f->first[predicate]);
    f->first[predicate] = (uint32_t)f->list.n;
    return &f->list.at[f->list.n - 1];
}

// `X = term`, from X.
static flow_state step_by_unify(const trace_clause *c, const trace_item *item, const spot *x,
                                spot *ret)
{
    for (uint32_t i = 0; i < 2; i++)
        if (same_variable(&c->nodes[c->children[item->first + i]], x))
            return spot_in(c, c->children[item->first + 1 - i], &x->path, ret) ? FROM : NOWHERE;
    return ANYWHERE; // another variable
}

// A goal with X as an argument, whose flow leads to another argument.
static flow_state step_by_goal(flows *f, const trace_clause *c, const trace_item *item,
                               const spot *x, spot *ret)
{
    for (uint32_t k = 0; k < item->n; k++) {
        if (!same_variable(&c->nodes[c->children[item->first + k]], x))
            continue;
        const flow *g = flow_of(f, item->predicate, k, &x->path);
        if (!g)
            return NOWHERE;
        if (g->state != FROM)
            return g->state;
        uint32_t node = c->children[item->first + g->from.argument];
        bool good = !same_place(&g->from, &g->made) && spot_in(c, node, &g->from.path, ret);
        return good && !(ret->fresh == x->fresh && ret->index == x->index) ? FROM : NOWHERE;
    }
    return NOWHERE;
}

static uint32_t number_of(const trace_clause *c, const trace_node *n)
{
    return n->kind == TN_HOLE ? n->index : n->kind == TN_FRESH ? c->nholes + n->index : IOT_NONE;
}

// Counts the items of each variable, or puts them where the counts say.
static void go_through_items(occurrences *o, const trace_clause *c, bool put)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        for (uint32_t k = 0; k < c->items[i].n; k++) {
            uint32_t v = number_of(c, &c->nodes[c->children[c->items[i].first + k]]);
            if (v == IOT_NONE)
                continue;
            if (put)
                o->items[o->first[v]] = i;
            o->first[v]++;
        }
}

// first[v] counts up to the end of v, which is the beginning of v + 1: it is moved one place up.
static void sum_up(occurrences *o, uint32_t n, bool shift)
{
    uint32_t sum = 0;
    for (uint32_t v = 0; v <= n; v++) {
        uint32_t here = o->first[v];
        o->first[v] = sum;
        sum = shift ? here : sum + here;
    }
}

static const occurrences *occurrences_of(flows *f, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(f->facts->t, clause);
    occurrences *o = &f->occurrences[clause];
    uint32_t n = c->nholes + c->nfresh;
    if (o->first)
        return o;
    o->first = base_allocate((size_t)n + 1, sizeof *o->first);
    o->node = base_allocate((size_t)n + 1, sizeof *o->node);
    go_through_items(o, c, false);
    sum_up(o, n, false);
    o->items = base_allocate((size_t)o->first[n] + 1, sizeof *o->items);
    go_through_items(o, c, true);
    sum_up(o, n, true);
    for (uint32_t v = 0; v < n; v++)
        o->node[v] = IOT_NONE;
    for (uint32_t i = c->nnodes; i-- > 0;)
        if (is_variable_kind(c->nodes[i].kind))
            o->node[number_of(c, &c->nodes[i])] = i;
    return o;
}

static bool is_variable_of(const spot *x, const spot *y)
{
    return x && x->fresh == y->fresh && x->index == y->index;
}

// What the body makes the variable. ANYWHERE: not known yet. before: from which the last step came; a step
// does not lead back there, as `Y = Y1` does from Y1. NULL: it is the first step.
static flow_state step_from(flows *f, uint32_t clause, const spot *x, const spot *before, bool goals_only,
                            spot *ret)
{
    const trace_clause *c = trace_get_clause(f->facts->t, clause);
    const occurrences *o = occurrences_of(f, clause);
    uint32_t v = x->fresh ? c->nholes + x->index : x->index;
    flow_state state = NOWHERE;
    for (uint32_t i = o->first[v]; i < o->first[v + 1]; i++) {
        const trace_item *item = &c->items[o->items[i]];
        flow_state by;
        if (item->kind == TI_UNIFY) {
            by = goals_only ? ANYWHERE : step_by_unify(c, item, x, ret);
            if (by != ANYWHERE && !(by == FROM && is_variable_of(before, ret)))
                return by;
            continue;
        }
        by = step_by_goal(f, c, item, x, ret);
        if (by == FROM && is_variable_of(before, ret))
            continue;
        if (by == FROM)
            return FROM;
        state = by == ANYWHERE ? ANYWHERE : state;
    }
    return state;
}

// ---------------------------------------------------------------------------------------------
// Flows of predicates

static flow_state flow_in_clause(flows *f, uint32_t clause, const place *made, place *ret)
{
    const trace_clause *c = trace_get_clause(f->facts->t, clause);
    if (!clause_is_told(f->facts, clause) || made->argument >= c->nhead ||
        c->patterns[c->head[made->argument]].kind != TN_HOLE)
        return NOWHERE;
    spot x = {.index = c->patterns[c->head[made->argument]].index, .path = made->path};
    spot before = {0};
    for (uint32_t i = 0; i < MOST_STEPS; i++) {
        spot next = {0};
        flow_state state = step_from(f, clause, &x, i ? &before : NULL, false, &next);
        if (state != FROM)
            return state;
        before = x;
        x = next;
        if (place_in_head(c, &x, ret))
            return same_place(ret, made) ? NOWHERE : FROM;
    }
    return NOWHERE;
}

// What all clauses agree on. Whether it changed.
static bool test_flow(flows *f, size_t number)
{
    flow x = f->list.at[number];
    const clause_facts *facts = f->facts;
    flow_state before = x.state;
    for (uint32_t i = facts->first[x.predicate]; i < facts->first[x.predicate + 1]; i++) {
        place from;
        flow_state state = flow_in_clause(f, facts->clauses[i], &x.made, &from);
        if (state == ANYWHERE || x.state == NOWHERE)
            continue;
        if (state == NOWHERE || (x.state == FROM && !same_place(&x.from, &from))) {
            x.state = NOWHERE;
        } else {
            x.state = FROM;
            x.from = from;
        }
    }
    f->list.at[number] = x;
    return x.state != before;
}

// Until nothing changes; flows that others ask for come at the end. A flow changes twice at most,
// and those that were settled before ask for none of the new ones.
static void settle(flows *f)
{
    bool changed;
    size_t n;
    do {
        changed = false;
        n = f->list.n;
        for (size_t i = f->settled; i < f->list.n; i++)
            changed |= f->list.at[i].state != NOWHERE && test_flow(f, i);
    } while (changed || n != f->list.n);
    f->settled = n;
}

flows *flows_create(clause_facts *facts)
{
    flows *f = base_allocate(1, sizeof *f);
    f->facts = facts;
    f->first = base_allocate(trace_npredicates(facts->t), sizeof *f->first);
    f->occurrences = base_allocate(trace_nclauses(facts->t), sizeof *f->occurrences);
    return f;
}

void flows_destroy(flows *f)
{
    free(f->list.at);
    free(f->next.at);
    free(f->first);
    for (uint32_t i = 0; i < trace_nclauses(f->facts->t); i++) {
        free(f->occurrences[i].first);
        free(f->occurrences[i].items);
        free(f->occurrences[i].node);
    }
    free(f->occurrences);
    free(f);
}

// ---------------------------------------------------------------------------------------------
// Variables of a clause

static uint32_t node_of(flows *f, uint32_t clause, const spot *x)
{
    uint32_t nholes = trace_get_clause(f->facts->t, clause)->nholes;
    return occurrences_of(f, clause)->node[x->fresh ? nholes + x->index : x->index];
}

// From variable to variable, the first step by a goal; the last one that is whole, or IOT_NONE.
static uint32_t follow(flows *f, uint32_t clause, spot x)
{
    const trace_clause *c = trace_get_clause(f->facts->t, clause);
    uint32_t found = IOT_NONE;
    spot before = {0};
    for (uint32_t i = 0; i < MOST_STEPS; i++) {
        spot next = {0};
        place at;
        if (step_from(f, clause, &x, i ? &before : NULL, i == 0, &next) != FROM)
            break;
        before = x;
        x = next;
        if (x.path.n == 0)
            found = node_of(f, clause, &x);
        if (place_in_head(c, &x, &at))
            break;
    }
    return found;
}

variable_flow *flows_in_clause(flows *f, uint32_t clause, uint32_t *ret_n)
{
    const trace_clause *c = trace_get_clause(f->facts->t, clause);
    ARRAY_OF(variable_flow) found = {0};
    size_t known;
    do { // each answer may ask for further flows
        known = f->list.n;
        found.n = 0;
        for (uint32_t i = 0; i < c->nitems; i++)
            for (uint32_t k = 0; k < c->items[i].n && c->items[i].kind == TI_GOAL; k++) {
                uint32_t node = c->children[c->items[i].first + k];
                const trace_node *n = &c->nodes[node];
                if (!is_variable_kind(n->kind))
                    continue;
                spot x = {.fresh = n->kind == TN_FRESH, .index = n->index};
                uint32_t there = follow(f, clause, x);
                if (there != IOT_NONE && !same_variable(&c->nodes[there], &x))
                    ARRAY_PUSH(found, (variable_flow){node, there});
            }
        settle(f);
    } while (f->list.n != known);
    *ret_n = (uint32_t)found.n;
    return found.at;
}
