// SPDX-License-Identifier: MIT
//
// What a loop comes to, by its text (outcomes.h): clauses are gone through with bounds in the place
// of values, until the bounds of all goals of the loop hold.
#include "iotree/findings/outcomes.h"

#include "iotree/findings/evaluate.h"

#include "iotree/terms/values.h"

enum {
    MOST_GOALS = 8, // predicates of one loop, and arguments for its outcome
    PASSES = 3,     // over the items of a body: one may need what a later one makes
    DEEPEST = 3,    // goals that make what a goal gets
    EXACT = 1       // changes of bounds that are followed step by step
};

typedef struct {
    uint32_t predicate, out;
    bounds arguments[MOST_BOUNDS];
    uint32_t changes;
    bool changed;
} loop_goal;

typedef struct {
    clause_facts *f;
    uint32_t loop; // a predicate of it
    loop_goal goals[MOST_GOALS];
    uint32_t ngoals;
    bounds outcome;
    uint64_t *budget;
} search;

// The variables of a clause: of the head and guards, and those that it makes.
typedef struct {
    const trace_clause *c;
    bounds *holes, *unused, *fresh;
    bounds *all; // malloc'ed: they are in here
} clause_bounds;

// ---------------------------------------------------------------------------------------------
// Bounds

static const bounds anything = {.kind = BOUNDS_ANY};

static bounds range(int64_t low, int64_t high)
{
    return (bounds){.kind = BOUNDS_RANGE, .low = low, .high = high};
}

bounds bounds_of_value(trace_value v)
{
    if (v.kind == TV_INT)
        return range(v.i, v.i);
    if (v.kind == TV_CELL || v.kind == TV_NODE)
        return anything;
    return (bounds){.kind = BOUNDS_CONSTANT, .constant = v};
}

static bool is_one(const bounds *b)
{
    return b->kind == BOUNDS_CONSTANT || (b->kind == BOUNDS_RANGE && b->low == b->high);
}

static bool are_same(const bounds *x, const bounds *y)
{
    if (x->kind != y->kind)
        return false;
    return x->kind == BOUNDS_RANGE      ? x->low == y->low && x->high == y->high
           : x->kind == BOUNDS_CONSTANT ? is_same_value(x->constant, y->constant)
                                        : true;
}

static bounds joined(const bounds *x, const bounds *y)
{
    if (x->kind == BOUNDS_NONE || are_same(x, y))
        return *y;
    if (y->kind == BOUNDS_NONE)
        return *x;
    if (x->kind == BOUNDS_RANGE && y->kind == BOUNDS_RANGE)
        return range(x->low < y->low ? x->low : y->low, x->high > y->high ? x->high : y->high);
    return anything;
}

// Bounds that still change have none.
static bounds widened(const bounds *old, const bounds *new)
{
    if (old->kind != BOUNDS_RANGE || new->kind != BOUNDS_RANGE)
        return *new;
    return range(new->low < old->low ? INT64_MIN : new->low,
                 new->high > old->high ? INT64_MAX : new->high);
}

static bool may_be(const bounds *b, trace_value constant)
{
    if (b->kind == BOUNDS_RANGE)
        return constant.kind == TV_INT && b->low <= constant.i && constant.i <= b->high;
    return b->kind != BOUNDS_CONSTANT || is_same_value(b->constant, constant);
}

// ---------------------------------------------------------------------------------------------
// Arithmetic

static int64_t added(int64_t x, int64_t y, int64_t none)
{
    int64_t sum;
    return x == none || y == none || __builtin_add_overflow(x, y, &sum) ? none : sum;
}

static bounds negated(bounds b)
{
    return range(b.high == INT64_MAX || b.high == INT64_MIN ? INT64_MIN : -b.high,
                 b.low == INT64_MIN ? INT64_MAX : -b.low);
}

static int64_t lesser(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static bounds computed(const char *name, bounds x, bounds y)
{
    bool zero = (x.kind == BOUNDS_RANGE && x.low == 0 && x.high == 0) ||
                (y.kind == BOUNDS_RANGE && y.low == 0 && y.high == 0);
    if (strcmp(name, "*") == 0 && zero)
        return range(0, 0);
    bool known = x.kind == BOUNDS_RANGE && y.kind == BOUNDS_RANGE;
    int64_t exact;
    if (known && is_one(&x) && is_one(&y) && iot_calculate(name, x.low, y.low, &exact))
        return range(exact, exact);
    bounds wide = range(INT64_MIN, INT64_MAX), a = x.kind == BOUNDS_RANGE ? x : wide,
           b = y.kind == BOUNDS_RANGE ? y : wide;
    if (strcmp(name, "max") == 0)
        return range(larger(a.low, b.low), larger(a.high, b.high));
    if (strcmp(name, "min") == 0)
        return range(lesser(a.low, b.low), lesser(a.high, b.high));
    if (known && strcmp(name, "-") == 0) {
        b = negated(b);
        name = "+";
    }
    if (known && strcmp(name, "+") == 0)
        return range(added(a.low, b.low, INT64_MIN), added(a.high, b.high, INT64_MAX));
    return anything;
}

// A term of head and guards, or of the body.
typedef struct {
    const trace_node *nodes;
    const uint32_t *children;
    bool body;
} terms;

static terms terms_of(const trace_clause *c, bool body)
{
    return body ? (terms){c->nodes, c->children, true}
                : (terms){c->patterns, c->pattern_children, false};
}

static bounds *variable_at(const clause_bounds *v, terms in, uint32_t node)
{
    const trace_node *n = &in.nodes[node];
    if (n->kind == TN_HOLE)
        return &v->holes[n->index];
    if (n->kind != TN_FRESH)
        return NULL;
    return in.body ? &v->fresh[n->index] : &v->unused[n->index];
}

// The bounds of the term at this node of the text.
static bounds value_at(const clause_bounds *v, terms in, uint32_t node)
{
    const bounds *variable = variable_at(v, in, node);
    if (variable)
        return *variable;
    return in.nodes[node].kind == TN_CONST ? bounds_of_value(in.nodes[node].value) : anything;
}

// What comes out if it is computed. Deeper than two operations it may be anything.
static bounds number_at(const clause_bounds *v, const trace *t, terms in, uint32_t node)
{
    const trace_node *n = &in.nodes[node];
    bounds sides[2];
    if (n->kind != TN_STRUCT || n->n != 2)
        return value_at(v, in, node);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t side = in.children[n->first + i];
        const trace_node *s = &in.nodes[side];
        sides[i] = value_at(v, in, side);
        if (s->kind == TN_STRUCT && s->n == 2)
            sides[i] =
                computed(trace_string(t, s->value.id, NULL), value_at(v, in, in.children[s->first]),
                         value_at(v, in, in.children[s->first + 1]));
    }
    return computed(trace_string(t, n->value.id, NULL), sides[0], sides[1]);
}

// ---------------------------------------------------------------------------------------------
// Which clauses may be chosen

static bool may_hold(const char *name, const bounds *x, const bounds *y)
{
    bool equal = strcmp(name, "=:=") == 0 || strcmp(name, "==") == 0;
    bool differ = strcmp(name, "=\\=") == 0 || strcmp(name, "\\==") == 0;
    if (x->kind == BOUNDS_CONSTANT && y->kind == BOUNDS_CONSTANT)
        return equal ? are_same(x, y) : differ ? !are_same(x, y) : true;
    if (x->kind != BOUNDS_RANGE || y->kind != BOUNDS_RANGE)
        return !equal || x->kind == BOUNDS_ANY || y->kind == BOUNDS_ANY;
    if (equal)
        return x->low <= y->high && y->low <= x->high;
    if (differ)
        return !(is_one(x) && are_same(x, y));
    return strcmp(name, "<") == 0    ? x->low < y->high
           : strcmp(name, ">") == 0  ? x->high > y->low
           : strcmp(name, "=<") == 0 ? x->low <= y->high
           : strcmp(name, ">=") == 0 ? x->high >= y->low
                                     : true;
}

// Puts the arguments into the variables of the head. False: a pattern refuses one.
static bool fits_head(clause_bounds *v, const bounds *arguments)
{
    terms in = terms_of(v->c, false);
    for (uint32_t i = 0; i < v->c->nhead; i++) {
        const trace_node *n = &in.nodes[v->c->head[i]];
        bounds *variable = variable_at(v, in, v->c->head[i]);
        if (variable)
            *variable = arguments[i];
        else if (n->kind == TN_CONST && !may_be(&arguments[i], n->value))
            return false;
        else if (n->kind != TN_CONST && arguments[i].kind != BOUNDS_ANY)
            return false;
    }
    return true;
}

static bool may_be_chosen(clause_bounds *v, const trace *t, const bounds *arguments)
{
    terms in = terms_of(v->c, false);
    if (!fits_head(v, arguments))
        return false;
    for (uint32_t g = 0; g < v->c->nguards; g++) {
        const trace_guard *guard = &v->c->guards[g];
        const char *name = trace_string(t, guard->name, NULL);
        if (guard->n != 2)
            continue;
        uint32_t left = in.children[guard->first], right = in.children[guard->first + 1];
        bounds x = number_at(v, t, in, left), y = number_at(v, t, in, right);
        bounds *variable = variable_at(v, in, left);
        if (strcmp(name, ":=") == 0 && variable)
            *variable = y;
        else if (!may_hold(name, &x, &y))
            return false;
    }
    return true;
}

static clause_bounds begin_clause(const trace_clause *c)
{
    uint32_t n = c->nholes + c->nunused + c->nfresh;
    clause_bounds v = {.c = c, .all = base_allocate((size_t)n + 1, sizeof *v.all)};
    v.holes = v.all;
    v.unused = v.holes + c->nholes;
    v.fresh = v.unused + c->nunused;
    for (uint32_t i = 0; i < n; i++)
        v.all[i] = anything;
    return v;
}

// ---------------------------------------------------------------------------------------------
// Bodies

static bool is_told(search *s, uint32_t predicate)
{
    uint32_t begin = s->f->first[predicate], end = s->f->first[predicate + 1];
    for (uint32_t i = begin; i < end; i++) {
        const trace_clause *c = trace_get_clause(s->f->t, s->f->clauses[i]);
        if (c->dynamic || c->nhead > MOST_BOUNDS || c->nhead == 0)
            return false;
    }
    return begin < end;
}

// The place of the goal's arguments at which a variable is; IOT_NONE: at none, or at several.
static uint32_t place_of(const clause_bounds *v, const trace_item *item, const bounds *variable)
{
    terms in = terms_of(v->c, true);
    uint32_t found = IOT_NONE;
    for (uint32_t i = 0; i < item->n; i++)
        if (variable_at(v, in, v->c->children[item->first + i]) == variable) {
            if (found != IOT_NONE)
                return IOT_NONE;
            found = i;
        }
    return found;
}

static bounds made_by_goal(search *s, const clause_bounds *v, const trace_item *item,
                           uint32_t place, int depth);

// The bounds of the value to which an item binds the variable.
static bounds made_by_item(search *s, const clause_bounds *v, const trace_item *item,
                           const bounds *variable, int depth)
{
    const trace *t = s->f->t;
    terms in = terms_of(v->c, true);
    const uint32_t *sides = &v->c->children[item->first];
    uint32_t place = place_of(v, item, variable);
    if (place == IOT_NONE)
        return anything;
    if (item->kind == TI_UNIFY)
        return value_at(v, in, sides[1 - place]);
    const trace_predicate *p = trace_get_predicate(t, item->predicate);
    if (p->origin == TRACE_BUILTIN)
        return place == 0 && item->n == 2 && strcmp(trace_string(t, p->name, NULL), ":=") == 0
                   ? number_at(v, t, in, sides[1])
                   : anything;
    return made_by_goal(s, v, item, place, depth);
}

// What the body binds the variable to: one of its items does, or it is not known.
static bounds made_by_body(search *s, const clause_bounds *v, const bounds *variable, int depth)
{
    for (uint32_t i = 0; i < v->c->nitems; i++) {
        bounds made = made_by_item(s, v, &v->c->items[i], variable, depth);
        if (made.kind == BOUNDS_RANGE || made.kind == BOUNDS_CONSTANT)
            return made;
    }
    return anything;
}

static void fill_fresh(search *s, clause_bounds *v, int depth)
{
    for (int pass = 0; pass < PASSES; pass++)
        for (uint32_t k = 0; k < v->c->nfresh; k++)
            v->fresh[k] = made_by_body(s, v, &v->fresh[k], depth);
}

// What the clause binds the argument to; BOUNDS_ANY: not known.
static bounds made_by_clause(search *s, clause_bounds *v, uint32_t place, int depth)
{
    const bounds *out = variable_at(v, terms_of(v->c, false), v->c->head[place]);
    if (!out)
        return anything;
    fill_fresh(s, v, depth);
    return made_by_body(s, v, out, depth);
}

// What a goal that is not of the loop binds its argument to.
static bounds made_by_goal(search *s, const clause_bounds *v, const trace_item *item,
                           uint32_t place, int depth)
{
    bounds arguments[MOST_BOUNDS], made = {.kind = BOUNDS_NONE};
    uint32_t p = item->predicate;
    if (depth >= DEEPEST || item->n > MOST_BOUNDS || !is_told(s, p) ||
        predicates_call_each_other(s->f, p, s->loop))
        return anything;
    for (uint32_t i = 0; i < item->n; i++)
        arguments[i] = i == place
                           ? anything
                           : value_at(v, terms_of(v->c, true), v->c->children[item->first + i]);
    for (uint32_t i = s->f->first[p]; i < s->f->first[p + 1] && made.kind != BOUNDS_ANY; i++) {
        clause_bounds inner = begin_clause(trace_get_clause(s->f->t, s->f->clauses[i]));
        *s->budget -= *s->budget > 0;
        if (*s->budget == 0) {
            made = anything;
        } else if (may_be_chosen(&inner, s->f->t, arguments)) {
            bounds by = made_by_clause(s, &inner, place, depth + 1);
            made = joined(&made, &by);
        }
        free(inner.all);
    }
    return made.kind == BOUNDS_NONE ? anything : made;
}

// ---------------------------------------------------------------------------------------------
// The loop

static bool is_of_loop(search *s, const trace_item *item)
{
    return item->kind == TI_GOAL && predicates_call_each_other(s->f, item->predicate, s->loop);
}

// Adds what a clause calls to the goals of the loop. False: too many.
static bool add_goal(search *s, const clause_bounds *v, const trace_item *item, uint32_t out)
{
    uint32_t k = 0;
    while (k < s->ngoals && (s->goals[k].predicate != item->predicate || s->goals[k].out != out))
        k++;
    if (k == MOST_GOALS || item->n > MOST_BOUNDS)
        return false;
    loop_goal *g = &s->goals[k];
    if (k == s->ngoals)
        *g = (loop_goal){.predicate = item->predicate, .out = out};
    s->ngoals += k == s->ngoals;
    bool changed = false;
    for (uint32_t i = 0; i < item->n; i++) {
        bounds now = value_at(v, terms_of(v->c, true), v->c->children[item->first + i]);
        now = i == out ? anything : joined(&g->arguments[i], &now);
        if (are_same(&now, &g->arguments[i]))
            continue;
        g->arguments[i] = g->changes > EXACT ? widened(&g->arguments[i], &now) : now;
        changed = true;
    }
    g->changes += changed;
    g->changed |= changed;
    return true;
}

// Follows one clause. False: it is not known what it comes to.
static bool follow_clause(search *s, clause_bounds *v, uint32_t place)
{
    const bounds *out = variable_at(v, terms_of(v->c, false), v->c->head[place]);
    if (!out)
        return false;
    fill_fresh(s, v, 0);
    for (uint32_t i = 0; i < v->c->nitems; i++) {
        const trace_item *item = &v->c->items[i];
        uint32_t to = is_of_loop(s, item) ? place_of(v, item, out) : IOT_NONE;
        if (to != IOT_NONE)
            return is_told(s, item->predicate) && add_goal(s, v, item, to);
    }
    bounds made = made_by_body(s, v, out, 0);
    s->outcome = joined(&s->outcome, &made);
    return is_one(&s->outcome);
}

static bool follow_goal(search *s, const loop_goal *g)
{
    bool good = true;
    for (uint32_t i = s->f->first[g->predicate]; i < s->f->first[g->predicate + 1] && good; i++) {
        clause_bounds v = begin_clause(trace_get_clause(s->f->t, s->f->clauses[i]));
        *s->budget -= *s->budget > 0;
        good = *s->budget > 0 &&
               (!may_be_chosen(&v, s->f->t, g->arguments) || follow_clause(s, &v, g->out));
        free(v.all);
    }
    return good;
}

bool iot_has_one_outcome(clause_facts *f, uint32_t predicate, const bounds *arguments, uint32_t out,
                         uint64_t *budget)
{
    bounds outcome;
    return iot_find_outcome(f, predicate, arguments, out, budget, &outcome) && is_one(&outcome);
}

bool bounds_are(const bounds *b, trace_value constant)
{
    return is_one(b) && may_be(b, constant);
}

bool iot_find_outcome(clause_facts *f, uint32_t predicate, const bounds *arguments, uint32_t out,
                      uint64_t *budget, bounds *ret)
{
    search s = {.f = f, .loop = predicate, .budget = budget, .ngoals = 1};
    uint32_t arity = trace_get_predicate(f->t, predicate)->arity;
    s.goals[0] = (loop_goal){.predicate = predicate, .out = out, .changed = true};
    if (arity > MOST_BOUNDS || !is_told(&s, predicate))
        return false;
    for (uint32_t i = 0; i < arity; i++)
        s.goals[0].arguments[i] = i == out ? anything : arguments[i];
    for (uint32_t k = 0; k < s.ngoals;) {
        if (!s.goals[k].changed) {
            k++;
            continue;
        }
        loop_goal g = s.goals[k];
        s.goals[k].changed = false;
        if (!follow_goal(&s, &g))
            return false;
        k = 0;
    }
    *ret = s.outcome;
    return true;
}
