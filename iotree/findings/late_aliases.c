// SPDX-License-Identifier: MIT
//
// Aliases that are made later than necessary. A clause binds `X = Y` in its body, X and Y come from
// its head, and the parent of the goal already had both among its arguments: goals only handed the
// pair down until one of them bound it. The alias must pass on a term; an unbound variable does not
// count.
//
// The alias could have been made as soon as both the variable and the term existed. The span
// without the delay is exact: all times are computed again on the recorded graph, with the bindings
// of one clause and item available at that earlier time.
#include "base/search.h"
#include "iotree/findings/findings.h"
#include "iotree/terms/values.h"

typedef struct {
    uint32_t binding, maker;
    uint32_t clause, item;
    uint32_t output, input; // holes
    // What it had to wait for: the variable's creator; the bindings from `passed` to its end, or
    // (if there is none) the reduction since which the term is in hand.
    uint32_t creator, holder;
    trace_value passed;
    int64_t available;
} alias;

// A binding that may be an alias: x = y with both from the head.
typedef struct {
    uint32_t binding, maker;
    uint32_t
        above; // the reduction that made the parent's goal, whose arguments are to be looked at
    trace_value x, y;
} pair;

typedef struct {
    const trace *t;
    uint8_t *has_alias; // by clause
    ARRAY_OF(pair) pairs;
    ARRAY_OF(alias) found;
} search;

// ---------------------------------------------------------------------------------------------
// Finding

static bool is_alias_item(const trace_clause *c, uint32_t item)
{
    const trace_item *i = &c->items[item];
    return i->kind == TI_UNIFY && c->nodes[c->children[i->first]].kind == TN_HOLE &&
           c->nodes[c->children[i->first + 1]].kind == TN_HOLE;
}

static bool has_argument(const trace *t, uint32_t goal, trace_value v)
{
    uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    for (uint32_t i = 0; i < arity; i++) {
        if (is_same_value(trace_goal_arg(t, goal, i), v))
            return true;
    }
    return false;
}

// Does the text of the parent hand a variable on that holds this constant here? A constant has no
// identity: without that, its presence in both goals says nothing.
static bool hands_constant_on(const trace *t, uint32_t goal, uint32_t parent, trace_value v)
{
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, parent));
    uint32_t item = trace_goal_item(t, goal);
    if (c->dynamic || item == TRACE_NONE)
        return false;
    const trace_item *i = &c->items[item];
    for (uint32_t j = 0; j < i->n; j++) {
        if (c->nodes[c->children[i->first + j]].kind == TN_HOLE &&
            is_same_value(trace_goal_arg(t, goal, j), v))
            return true;
    }
    return false;
}

// The goal that created this one, if it had the value as an argument and handed it down; else
// TRACE_NONE.
static uint32_t handed_down_by(const trace *t, uint32_t goal, trace_value v)
{
    uint32_t parent = trace_goal_parent(t, goal);
    if (parent == 0 || !has_argument(t, trace_reduction_goal(t, parent), v))
        return TRACE_NONE;
    if (v.kind != TV_CELL && !hands_constant_on(t, goal, parent, v))
        return TRACE_NONE;
    return trace_reduction_goal(t, parent);
}

// The end of a chain as it was when binding `before` was made, and the time of its latest link.
static trace_value end_of(const trace *t, trace_value v, uint32_t before, int64_t *latest)
{
    while (is_variable(t, v)) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE || binding >= before)
            break;
        int64_t time = binding_time(t, binding);
        *latest = time > *latest ? time : *latest;
        v = trace_binding_value(t, binding);
    }
    return v;
}

// The reduction since which a term that is passed as it is, not through a bound variable, is there.
static uint32_t holder_of(const trace *t, uint32_t goal, trace_value v)
{
    if (v.kind == TV_CELL)
        return trace_cell_maker(t, v.id);
    for (uint32_t above; (above = handed_down_by(t, goal, v)) != TRACE_NONE;)
        goal = above;
    return trace_goal_parent(t, goal);
}

// What the parent made itself it had not as an argument.
static bool is_older(const trace *t, trace_value v, uint32_t parent)
{
    return v.kind != TV_CELL || v.id < trace_first_cell(t, parent);
}

static void note_pair(search *s, uint32_t reduction, uint32_t binding)
{
    const trace *t = s->t;
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, reduction));
    uint32_t item = trace_binding_item(t, binding);
    uint32_t parent = trace_goal_parent(t, trace_reduction_goal(t, reduction));
    if (!is_alias_item(c, item) || parent == 0)
        return;
    pair x = {.binding = binding, .maker = reduction};
    x.x = trace_hole(t, reduction, c->nodes[c->children[c->items[item].first]].index);
    x.y = trace_hole(t, reduction, c->nodes[c->children[c->items[item].first + 1]].index);
    if (!is_older(t, x.x, parent) || !is_older(t, x.y, parent))
        return;
    x.above = trace_goal_parent(t, trace_reduction_goal(t, parent));
    ARRAY_PUSH(s->pairs, x);
}

static int by_above(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->above != y->above)
        return x->above < y->above ? -1 : 1;
    return x->binding < y->binding ? -1 : x->binding > y->binding;
}

static int by_binding(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->binding < y->binding ? -1 : x->binding > y->binding;
}

// Keeps the aliases whose parents had both terms. Terms are decoded block by block, so they are
// asked for in the order of their positions in the trace, which may be far back.
static void keep_handed_down(search *s)
{
    const trace *t = s->t;
    size_t n = 0;
    if (s->pairs.n > 0)
        qsort(s->pairs.at, s->pairs.n, sizeof *s->pairs.at, by_above);
    for (size_t i = 0; i < s->pairs.n; i++) {
        const pair *x = &s->pairs.at[i];
        uint32_t goal = trace_reduction_goal(t, x->maker);
        if (handed_down_by(t, goal, x->x) != TRACE_NONE &&
            handed_down_by(t, goal, x->y) != TRACE_NONE)
            s->pairs.at[n++] = *x;
    }
    s->pairs.n = n;
    if (n > 0)
        qsort(s->pairs.at, n, sizeof *s->pairs.at, by_binding);
}

static void look_at(search *s, const pair *found)
{
    const trace *t = s->t;
    uint32_t reduction = found->maker, binding = found->binding;
    uint32_t clause = trace_reduction_clause(t, reduction);
    const trace_clause *c = trace_get_clause(t, clause);
    uint32_t item = trace_binding_item(t, binding), goal = trace_reduction_goal(t, reduction);
    uint32_t left = c->nodes[c->children[c->items[item].first]].index;
    uint32_t right = c->nodes[c->children[c->items[item].first + 1]].index;
    trace_value x = found->x, y = found->y;
    uint32_t variable = trace_binding_variable(t, binding);
    trace_value bound = {.kind = TV_CELL, .id = variable};
    int64_t ignored = 0, latest = -1;
    bool left_bound = is_same_value(end_of(t, x, binding, &ignored), bound);
    if (!left_bound && !is_same_value(end_of(t, y, binding, &ignored), bound))
        return; // a variable inside of two terms
    alias a = {.binding = binding,
               .maker = reduction,
               .clause = clause,
               .item = item,
               .output = left_bound ? left : right,
               .input = left_bound ? right : left,
               .passed = left_bound ? y : x,
               .creator = trace_cell_maker(t, variable),
               .holder = TRACE_NONE};
    if (is_variable(t, end_of(t, a.passed, binding, &latest)))
        return;
    if (latest < 0) {
        a.holder = holder_of(t, goal, a.passed);
        latest = trace_time(t, a.holder);
    }
    int64_t created = trace_time(t, a.creator);
    a.available = latest > created ? latest : created;
    if (trace_time(t, reduction) <= a.available)
        return;
    ARRAY_PUSH(s->found, a);
}

static void find_aliases(search *s)
{
    const trace *t = s->t;
    s->has_alias = base_allocate(trace_nclauses(t), 1);
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        for (uint32_t j = 0; !c->dynamic && j < c->nitems; j++)
            s->has_alias[i] |= is_alias_item(c, j);
    }
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        uint32_t clause = trace_reduction_clause(t, r);
        if (!s->has_alias[clause])
            continue;
        uint32_t end = trace_first_binding(t, r + 1);
        for (uint32_t b = trace_first_binding(t, r); b < end; b++)
            note_pair(s, r, b);
    }
    keep_handed_down(s);
    for (size_t i = 0; i < s->pairs.n; i++)
        look_at(s, &s->pairs.at[i]);
}

// ---------------------------------------------------------------------------------------------
// The span without

typedef struct {
    const trace *t;
    const alias *aliases; // of one clause and item, in order of binding
    size_t n;
    int64_t *alias_times;
    uint8_t *is_alias; // bits by binding
    int64_t *times;    // by reduction
} rerun;

static int64_t new_binding_time(const rerun *w, uint32_t binding)
{
    if (!bit_get(w->is_alias, binding))
        return w->times[trace_binding_maker(w->t, binding)];
    size_t first;
    FIRST_NOT(first, w->n, i, w->aliases[i].binding < binding);
    return w->alias_times[first];
}

static int64_t new_alias_time(const rerun *w, const alias *a)
{
    int64_t latest = w->times[a->creator];
    if (a->holder != TRACE_NONE)
        return w->times[a->holder] > latest ? w->times[a->holder] : latest;
    for (trace_value v = a->passed; is_variable(w->t, v);) {
        uint32_t binding = trace_cell_binding(w->t, v.id);
        if (binding == TRACE_NONE || binding >= a->binding)
            break;
        int64_t time = new_binding_time(w, binding);
        latest = time > latest ? time : latest;
        v = trace_binding_value(w->t, binding);
    }
    return latest;
}

// A reduction keeps its own cost: what it took beyond the later of its creation and its reads.
static int64_t new_time(const rerun *w, uint32_t reduction)
{
    const trace *t = w->t;
    uint32_t parent = trace_goal_parent(t, trace_reduction_goal(t, reduction));
    int64_t old = trace_time(t, parent), latest = w->times[parent];
    const uint32_t *reads;
    uint32_t n = trace_reads(t, reduction, &reads);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(t, reads[i]);
        if (binding == TRACE_NONE)
            continue;
        int64_t was = binding_time(t, binding), is = new_binding_time(w, binding);
        old = was > old ? was : old;
        latest = is > latest ? is : latest;
    }
    return latest + trace_time(t, reduction) - old;
}

static int64_t span_without(const trace *t, const alias *aliases, size_t n)
{
    rerun w = {.t = t, .aliases = aliases, .n = n};
    w.alias_times = base_allocate(n, sizeof *w.alias_times);
    w.is_alias = bits_allocate(trace_nbindings(t));
    w.times = base_allocate(trace_nreductions(t), sizeof *w.times);
    for (size_t i = 0; i < n; i++)
        bit_set(w.is_alias, aliases[i].binding);
    int64_t span = 0;
    size_t next = 0;
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        w.times[r] = new_time(&w, r);
        span = w.times[r] > span ? w.times[r] : span;
        for (; next < n && aliases[next].maker == r; next++)
            w.alias_times[next] = new_alias_time(&w, &aliases[next]);
    }
    free(w.alias_times);
    free(w.is_alias);
    free(w.times);
    return span;
}

// ---------------------------------------------------------------------------------------------
// Rows

static int by_place(const void *x, const void *y)
{
    const alias *a = x, *b = y;
    if (a->clause != b->clause)
        return a->clause < b->clause ? -1 : 1;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return a->binding < b->binding ? -1 : a->binding > b->binding;
}

static int by_saving(const void *x, const void *y)
{
    const iot_unneeded *a = x, *b = y;
    if (a->span_without != b->span_without)
        return a->span_without < b->span_without ? -1 : 1;
    if (a->delay != b->delay)
        return a->delay > b->delay ? -1 : 1;
    if (a->clause != b->clause)
        return a->clause < b->clause ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

void iot_ensure_unneeded(iot *a)
{
    if (a->unneeded.known)
        return;
    search s = {.t = a->t};
    ARRAY_OF(iot_unneeded) rows = {0};
    find_aliases(&s);
    if (s.found.n)
        qsort(s.found.at, s.found.n, sizeof *s.found.at, by_place);
    for (size_t i = 0, j; i < s.found.n; i = j) {
        const trace_clause *c = trace_get_clause(a->t, s.found.at[i].clause);
        iot_unneeded row = {.clause = s.found.at[i].clause, .item = s.found.at[i].item};
        row.output = c->names[c->nfresh + s.found.at[i].output];
        row.input = c->names[c->nfresh + s.found.at[i].input];
        for (j = i;
             j < s.found.n && s.found.at[j].clause == row.clause && s.found.at[j].item == row.item;
             j++) {
            row.count++;
            row.delay +=
                (uint64_t)(trace_time(a->t, s.found.at[j].maker) - s.found.at[j].available);
        }
        row.span_without = span_without(a->t, s.found.at + i, j - i);
        ARRAY_PUSH(rows, row);
    }
    a->unneeded.rows = rows.at;
    a->unneeded.n = (uint32_t)rows.n;
    if (a->unneeded.n)
        qsort(a->unneeded.rows, a->unneeded.n, sizeof *a->unneeded.rows, by_saving);
    free(s.has_alias);
    free(s.pairs.at);
    free(s.found.at);
    a->unneeded.known = true;
}

uint32_t iot_nunneeded(const iot *analysis)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->locks.unneeded);
    iot_ensure_unneeded(a);
    pthread_mutex_unlock(&a->locks.unneeded);
    return a->unneeded.n;
}

const iot_unneeded *iot_get_unneeded(const iot *a, uint32_t i)
{
    return iot_nunneeded(a) > i ? &a->unneeded.rows[i] : NULL;
}
