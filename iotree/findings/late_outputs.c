// SPDX-License-Identifier: MIT
//
// Items of a body that come late: all they need is handed down from goal to goal, and whatever the
// goals on the way find out, the item comes in the end. So it could have come before the first of
// them.
//
//     loop([X|Xs], Limit, Out) :- work(X), loop(Xs, Limit, Out).
//     loop([], Limit, Out) :- Out = Limit.
//
// What an item needs may also be part of a state, which the goals hand down as a whole:
//
//     scan([seen(R)|Xs], none, Out) :- scan(Xs, some(R), Out).
//     scan([], some(R), Out) :- Out = R.
//
// An item follows from arguments of a predicate if every clause that may be chosen has the item or
// hands the arguments on, all to one goal of a predicate from whose arguments it follows. A clause
// cannot be chosen if an argument is known that its head refuses.
#include "iotree/findings/findings.h"
#include "iotree/findings/late_use.h"
#include "iotree/findings/test_reads.h"
#include "iotree/terms/values.h"

enum {
    PROPOSED = 12,
    MOST_NEEDS = 6,   // variables of one item
    DEEPEST = 2,      // structures around one
    MOST_STATES = 24, // predicates on the way of one item
    MOST_OPEN = 64,   // arguments of a goal
    NEARLY = 100,     // the part of the span by which an item may come later than it could
    BUDGET = 16       // goals looked at by reduction, on average
};

// Where a variable is in an argument: the part of the part ... of it. No depth: it is the argument.
typedef struct {
    uint32_t depth, parts[DEEPEST];
} inner_place;

// An item and the arguments that its variables are, or are parts of: of the goal in hand, in order
// of the holes.
typedef struct {
    uint32_t clause, item;
    uint32_t n;
    uint32_t holes[MOST_NEEDS], arguments[MOST_NEEDS];
    inner_place inner[MOST_NEEDS];
    uint64_t open; // bits by argument of a goal: its loop can begin without what stands there
    bool settled;  // `open` has only what is not known before
} late_item;

typedef struct {
    uint32_t reduction, sooner; // it could follow from this earlier reduction
} late_case;

typedef struct {
    late_item item;
    ARRAY_OF(late_case) cases;
    uint64_t gained;
    int64_t longest;
    uint32_t example, sooner;
} subject;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    ARRAY_OF(subject) subjects;
    uint32_t *first; // of clause c: subjects [first[c], first[c + 1])
    uint64_t budget;
} search;

// ---------------------------------------------------------------------------------------------
// Items that need nothing but whole arguments of the head

// The hole at a place of a pattern; IOT_NONE: there is none.
static uint32_t hole_at(const trace_clause *c, uint32_t pattern, const inner_place *place)
{
    for (uint32_t i = 0; i < place->depth; i++) {
        const trace_node *n = &c->patterns[pattern];
        if (n->kind != TN_STRUCT || n->n <= place->parts[i])
            return IOT_NONE;
        pattern = c->pattern_children[n->first + place->parts[i]];
    }
    return c->patterns[pattern].kind == TN_HOLE ? c->patterns[pattern].index : IOT_NONE;
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

// False: it is no argument of the head, or there are too many.
static bool add_need(late_item *x, const trace_clause *c, uint32_t hole)
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

static bool is_open(const search *s, const trace_clause *c, const trace_item *item, uint32_t argument)
{
    return c->nodes[c->children[item->first + argument]].kind == TN_HOLE &&
           iot_loop_can_begin_without(s->facts, item->predicate, argument);
}

// Is the predicate a loop that makes one goal of its own at a time? Where it makes several, each of
// many goals has the item, with variables of its own; where it makes none, a wait holds up the item.
static bool is_one_loop(clause_facts *f, uint32_t predicate)
{
    bool loop = false;
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        const trace_clause *c = trace_get_clause(f->t, f->clauses[i]);
        uint32_t own = 0;
        for (uint32_t k = 0; k < c->nitems; k++)
            own += c->items[k].kind == TI_GOAL &&
                   predicate_reaches(f, c->items[k].predicate, predicate);
        if (own > 1)
            return false;
        loop |= own == 1;
    }
    return loop;
}

// Variables that the clause makes go with a goal: the clause above can make them as well. Of a
// built-in they would save no more than the one step that it takes.
static bool find_needs(const search *s, late_item *x, const trace_clause *c)
{
    const trace_item *item = &c->items[x->item];
    const trace *t = s->t;
    ARRAY_OF(uint32_t) stack = {0};
    bool good = true, goal = item->kind == TI_GOAL && is_one_loop(s->facts, c->predicate) &&
                             trace_get_predicate(t, item->predicate)->origin != TRACE_BUILTIN;
    for (uint32_t i = item->n; i-- > 0;)
        if (goal && i < MOST_OPEN && is_open(s, c, item, i))
            x->open |= 1ull << i;
        else
            ARRAY_PUSH(stack, c->children[item->first + i]);
    while (stack.n > 0 && good) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        good = (n->kind != TN_FRESH || goal) && (n->kind != TN_HOLE || add_need(x, c, n->index));
        for (uint32_t i = n->n; i-- > 0;)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return good && (x->n > 0 || goal);
}

// An alias or a term with a variable of the head in it; a goal that is not a step of the loop
// itself.
static bool is_of_interest(const search *s, const late_item *x, const trace_clause *c)
{
    const trace_item *item = &c->items[x->item];
    if (item->kind == TI_UNIFY)
        return x->n > 1;
    for (uint32_t p = 0; p < trace_npredicates(s->t); p++)
        if (predicate_acts(s->t, p) && predicate_reaches(s->facts, item->predicate, p))
            return false;
    return !predicate_reaches(s->facts, item->predicate, c->predicate);
}

static void find_subjects(search *s)
{
    uint32_t n = trace_nclauses(s->t);
    s->first = base_allocate((size_t)n + 1, sizeof *s->first);
    for (uint32_t k = 0; k < n; k++) {
        const trace_clause *c = trace_get_clause(s->t, k);
        s->first[k] = (uint32_t)s->subjects.n;
        for (uint32_t i = 0; clause_is_told(s->facts, k) && i < c->nitems; i++) {
            late_item x = {.clause = k, .item = i};
            if (find_needs(s, &x, c) && is_of_interest(s, &x, c))
                ARRAY_PUSH(s->subjects, (subject){.item = x, .longest = -1, .example = IOT_NONE});
        }
    }
    s->first[n] = (uint32_t)s->subjects.n;
}

// ---------------------------------------------------------------------------------------------
// Does the item follow?

// What a goal hands on: a predicate and the arguments that the needs are there.
typedef struct {
    uint32_t predicate;
    uint32_t arguments[MOST_NEEDS];
} way_state;

typedef struct {
    const search *s;
    const late_item *x;
    trace_value values[MOST_NEEDS]; // of the needs, where they are known; TV_NODE: not known
    way_state states[MOST_STATES];  // those looked at, and those to look at
    uint32_t nstates;
} way;

static bool value_fits(const trace *t, const trace_node *n, trace_value v)
{
    if (v.kind == TV_NODE || n->kind == TN_HOLE || n->kind == TN_FRESH)
        return true;
    if (v.kind != TV_CELL) {
        if (n->kind != TN_CONST || n->value.kind != v.kind)
            return false;
        return v.kind == TV_INT || v.kind == TV_FLOAT ? n->value.i == v.i : n->value.id == v.id;
    }
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

// The hole of each need's argument in a clause; IOT_NONE if the head takes the argument apart.
static bool holes_in(const way *w, const trace_clause *c, const way_state *state, uint32_t *ret)
{
    for (uint32_t k = 0; k < w->x->n; k++) {
        if (state->arguments[k] >= c->nhead)
            return false;
        const trace_node *n = &c->patterns[c->head[state->arguments[k]]];
        if (n->kind == TN_FRESH)
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

// Does a term of the body say the same as a pattern of the head?
static bool is_made_again(const trace_clause *d, uint32_t pattern, uint32_t node)
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
            same =
                same && m->value.kind == n->value.kind &&
                (m->value.kind == TV_INT || m->value.kind == TV_FLOAT ? m->value.i == n->value.i
                                                                      : m->value.id == n->value.id);
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
        return x->value.kind == y->value.kind &&
               (x->value.kind == TV_INT || x->value.kind == TV_FLOAT ? x->value.i == y->value.i
                                                                     : x->value.id == y->value.id);
    return true;
}

static bool same_term(const way *w, const uint32_t *holes, const trace_clause *d, uint32_t x,
                      uint32_t y)
{
    const trace_clause *c = trace_get_clause(w->s->t, w->x->clause);
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

static bool same_item(const way *w, const uint32_t *holes, const trace_clause *d,
                      const trace_item *y)
{
    const trace_clause *c = trace_get_clause(w->s->t, w->x->clause);
    const trace_item *x = &c->items[w->x->item];
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

static bool hands_on(const way *w, const uint32_t *holes, const way_state *state,
                     const trace_clause *d, const trace_item *item, way_state *ret)
{
    *ret = (way_state){.predicate = item->predicate};
    for (uint32_t k = 0; k < w->x->n; k++) {
        uint32_t i = 0;
        while (i < item->n) {
            uint32_t node = d->children[item->first + i];
            const trace_node *n = &d->nodes[node];
            if (holes[k] == IOT_NONE ? is_made_again(d, d->head[state->arguments[k]], node)
                                     : n->kind == TN_HOLE && n->index == holes[k])
                break;
            i++;
        }
        if (i == item->n)
            return false;
        ret->arguments[k] = i;
    }
    return true;
}

// May a goal of the predicate lead to the item? Of an `=` it is not known.
static bool may_lead_there(const way *w, uint32_t predicate)
{
    const trace_clause *c = trace_get_clause(w->s->t, w->x->clause);
    const trace_item *x = &c->items[w->x->item];
    return x->kind != TI_GOAL || predicate_reaches(w->s->facts, predicate, x->predicate);
}

static bool clause_leads_on(way *w, uint32_t clause, const way_state *state)
{
    const trace_clause *d = trace_get_clause(w->s->t, clause);
    uint32_t holes[MOST_NEEDS], needs[MOST_NEEDS];
    for (uint32_t k = 0; k < w->x->n; k++) // may it be chosen?
        if (state->arguments[k] < d->nhead &&
            !value_fits(w->s->t, &d->patterns[d->head[state->arguments[k]]], w->values[k]))
            return true;
    if (!clause_is_told(w->s->facts, clause) || !holes_in(w, d, state, holes))
        return false;
    needs_in(w, d, state, needs);
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

static bool follows(way *w, uint32_t predicate, const uint32_t *arguments)
{
    const clause_facts *f = w->s->facts;
    way_state state = {.predicate = predicate};
    memcpy(state.arguments, arguments, sizeof state.arguments);
    w->nstates = 0;
    add_state(w, &state);
    for (uint32_t i = 0; i < w->nstates; i++) {
        state = w->states[i];
        uint32_t begin = f->first[state.predicate], end = f->first[state.predicate + 1];
        if (begin == end)
            return false;
        for (uint32_t c = begin; c < end; c++)
            if (!clause_leads_on(w, f->clauses[c], &state))
                return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// From the goal upwards

// A value as it was known when the reduction ended; TV_NODE: not known.
static trace_value known_by(const trace *t, trace_value v, uint32_t reduction)
{
    while (is_variable(t, v)) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE || !trace_bound_before(t, binding, reduction + 1))
            return (trace_value){.kind = TV_NODE};
        v = trace_binding_value(t, binding);
    }
    return v;
}

static bool follows_for(search *s, const late_item *x, uint32_t goal, const uint32_t *arguments)
{
    way w = {.s = s, .x = x};
    uint32_t parent = trace_goal_parent(s->t, goal), predicate = trace_goal_predicate(s->t, goal);
    for (uint32_t k = 0; k < x->n; k++) {
        w.values[k] = known_by(s->t, trace_goal_arg(s->t, goal, arguments[k]), parent);
        if (x->inner[k].depth && w.values[k].kind == TV_NODE)
            return false; // its part is not there yet
    }
    return follows(&w, predicate, arguments);
}

// The same needs as arguments of the parent's goal; false if they are not.
static bool go_up(const search *s, const late_item *x, uint32_t goal, uint32_t *arguments)
{
    const trace *t = s->t;
    uint32_t parent = trace_goal_parent(t, goal), item = trace_goal_item(t, goal);
    if (parent == 0 || item == TRACE_NONE)
        return false;
    const trace_clause *d = trace_get_clause(t, trace_reduction_clause(t, parent));
    if (d->dynamic || d->nhead == 0)
        return false;
    for (uint32_t k = 0; k < x->n; k++) {
        uint32_t node = d->children[d->items[item].first + arguments[k]], argument = 0;
        while (argument < d->nhead && !is_made_again(d, d->head[argument], node))
            argument++;
        if (argument == d->nhead)
            return false;
        arguments[k] = argument;
    }
    return true;
}

// Is the reduction by a predicate to which no goal of the item's clause leads back?
static bool is_above_loop(const search *s, const late_item *x, uint32_t r)
{
    return r == 0 || !predicate_reaches(s->facts, trace_get_clause(s->t, x->clause)->predicate,
                                        trace_goal_predicate(s->t, trace_reduction_goal(s->t, r)));
}

// The first reduction upwards that the item could have followed, of those above its loop that are
// done by the time; if there is none, the earliest. IOT_NONE: its own.
static uint32_t sooner_by(search *s, const late_item *x, uint32_t reduction, int64_t time)
{
    uint32_t arguments[MOST_NEEDS], found = IOT_NONE;
    uint32_t goal = trace_reduction_goal(s->t, reduction);
    memcpy(arguments, x->arguments, sizeof arguments);
    while (s->budget > 0 && follows_for(s, x, goal, arguments)) {
        s->budget--;
        found = trace_goal_parent(s->t, goal);
        if ((trace_time(s->t, found) <= time && is_above_loop(s, x, found)) || !go_up(s, x, goal, arguments))
            break;
        goal = trace_reduction_goal(s->t, found);
    }
    return found;
}

// The earliest reduction that the item could have followed, or one below it that is nearly as
// early: where a loop begins, not the goals around it.
static uint32_t soonest(search *s, const late_item *x, uint32_t reduction)
{
    uint32_t found = sooner_by(s, x, reduction, -1);
    if (found == IOT_NONE)
        return found;
    int64_t slack = s->a->span / NEARLY;
    return sooner_by(s, x, reduction, trace_time(s->t, found) + slack);
}

// Arguments that its loop can begin without, but which are there as soon as the others, are needs.
static void settle(search *s, late_item *x, uint32_t r)
{
    const trace_clause *c = trace_get_clause(s->t, x->clause);
    uint32_t sooner = soonest(s, x, r);
    if (sooner == IOT_NONE || sooner == s->g->parents[r])
        return;
    for (uint32_t i = 0; i < c->items[x->item].n && i < MOST_OPEN; i++) {
        late_item y = *x;
        y.open &= ~(1ull << i);
        if (y.open == x->open)
            continue;
        uint32_t hole = c->nodes[c->children[c->items[x->item].first + i]].index;
        if (add_need(&y, c, hole) && soonest(s, &y, r) == sooner)
            *x = y;
    }
    x->settled = true;
}

static void gather_reduction(search *s, uint32_t r, uint32_t clause)
{
    for (uint32_t i = s->first[clause]; i < s->first[clause + 1]; i++) {
        subject *x = &s->subjects.at[i];
        if (x->item.open && !x->item.settled)
            settle(s, &x->item, r);
        uint32_t sooner = soonest(s, &x->item, r);
        if (sooner == IOT_NONE || sooner == s->g->parents[r])
            continue; // what its own clause waits for, other detectors look at
        int64_t gain = trace_time(s->t, r) - trace_time(s->t, sooner);
        ARRAY_PUSH(x->cases, (late_case){r, sooner});
        x->gained += (uint64_t)gain;
        if (gain > x->longest) {
            x->longest = gain;
            x->example = r;
            x->sooner = sooner;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The change

static void move_goals(const search *s, const subject *x, wait_change *change)
{
    change_draft d = {0};
    ARRAY_OF(late_goal) late = {0};
    for (size_t i = 0; i < x->cases.n; i++) {
        uint32_t r = x->cases.at[i].reduction, end = trace_first_goal(s->t, r + 1);
        for (uint32_t g = trace_first_goal(s->t, r); g < end; g++) {
            uint32_t child = trace_goal_reduction(s->t, g);
            if (trace_goal_item(s->t, g) != x->item.item || child == TRACE_NONE)
                continue;
            draft_reduction(&d, child, x->cases.at[i].sooner, -1);
            ARRAY_PUSH(late, (late_goal){g, r});
        }
    }
    if (x->item.open)
        iot_wait_where_used(s->a, late.at, late.n, x->item.open, &d);
    free(late.at);
    *change = draft_finish(&d);
}

// Readers of the item's bindings wait for the earlier reduction instead.
static void move_bindings(const search *s, const subject *x, wait_change *change)
{
    const trace *t = s->t;
    ARRAY_OF(wait_edit) edits = {0};
    uint32_t *sooner = base_allocate(trace_nbindings(t), sizeof *sooner); // plus one
    for (size_t i = 0; i < x->cases.n; i++) {
        uint32_t r = x->cases.at[i].reduction, end = trace_first_binding(t, r + 1);
        for (uint32_t b = trace_first_binding(t, r); b < end; b++)
            if (trace_binding_item(t, b) == x->item.item)
                sooner[b] = x->cases.at[i].sooner + 1;
    }
    for (uint32_t r = 1; r < s->a->n; r++) {
        const uint32_t *reads;
        uint32_t n = trace_reads(t, r, &reads);
        uint64_t next = s->g->first[r], first;
        for (uint32_t i = 0; i < n; i++)
            if (waits_of_read(t, s->g, r, reads[i], &next, &first) &&
                sooner[trace_cell_binding(t, reads[i])])
                ARRAY_PUSH(edits, (wait_edit){first, sooner[trace_cell_binding(t, reads[i])] - 1});
    }
    free(sooner);
    change->waits = edits.at;
    change->nwaits = edits.n;
}

// ---------------------------------------------------------------------------------------------
// Candidates

static bool is_alias(const trace_clause *c, const trace_item *item)
{
    return item->kind == TI_UNIFY && c->nodes[c->children[item->first]].kind == TN_HOLE &&
           c->nodes[c->children[item->first + 1]].kind == TN_HOLE;
}

// "Limit and Out": what the item needs. malloc'ed.
static char *needs_text(const trace *t, const late_item *x)
{
    const trace_clause *c = trace_get_clause(t, x->clause);
    base_text text = {0};
    for (uint32_t i = 0; i < x->n; i++) {
        if (i > 0)
            text_add_string(&text, i + 1 == x->n ? " and " : ", ");
        text_add_string(&text, head_variable_name(c, t, (head_variable){true, x->holes[i]}));
    }
    return text_finish(&text);
}

// "Heat": what the item's loop begins without. malloc'ed, "" if there is nothing of the kind.
static char *open_text(const trace *t, const late_item *x)
{
    const trace_clause *c = trace_get_clause(t, x->clause);
    const trace_item *item = &c->items[x->item];
    base_text text = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < item->n && i < MOST_OPEN; i++)
        if (x->open >> i & 1)
            text_add_format(&text, "%s%s", n++ > 0 ? " and " : "",
                            head_variable_name(c, t, (head_variable){
                                true, c->nodes[c->children[item->first + i]].index}));
    return text_finish(&text);
}

// "Trees": the variables that the clause makes for the item. malloc'ed.
static char *fresh_text(const trace *t, const late_item *x)
{
    const trace_clause *c = trace_get_clause(t, x->clause);
    const trace_item *item = &c->items[x->item];
    base_text text = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < item->n; i++) {
        const trace_node *node = &c->nodes[c->children[item->first + i]];
        if (node->kind == TN_FRESH && c->names[node->index] != TRACE_NONE)
            text_add_format(&text, "%s%s", n++ > 0 ? " and " : "",
                            trace_name(t, c->names[node->index]));
    }
    return text_finish(&text);
}

static void set_texts(const search *s, candidate *x, const subject *late)
{
    const iot *a = s->a;
    iot_location sooner = {TRACE_NONE, 0, IOT_NONE, IOT_NONE};
    char *what = item_text(s->t, late->item.clause, late->item.item);
    char *name = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *above = late->sooner == 0 ? base_copy("the first goal")
                                    : iot_maker_text(a, s->g, late->sooner, &sooner);
    char *steps = iot_amount_text(a, late->longest), *needs = needs_text(s->t, &late->item);
    uint64_t n = late->cases.n;
    const trace_clause *c = trace_get_clause(s->t, late->item.clause);
    bool call = c->items[late->item.item].kind == TI_GOAL;
    char *open = open_text(s->t, &late->item);
    char *why = *open ? base_format("it begins without %s", open)
                : late->item.n > 0 ? base_format("goals only hand %s down to it", needs)
                                   : base_format("it needs nothing that %s finds out", name);
    char *made = fresh_text(s->t, &late->item);
    x->text = base_format("%s%s %s %s %s later than %s could: %s (%llu time%s)", name, where,
                          call ? "calls" : "makes", what, steps, above, why, (unsigned long long)n,
                          n == 1 ? "" : "s");
    x->advice = *open ? base_format("call %s in %s with a variable for %s, which %s binds", what,
                                    above, open, name)
                : *made ? base_format("call %s in %s, and hand %s down to %s", what, above, made, name)
                      : base_format("%s %s in %s", call ? "call" : "make", what, above);
    free(why);
    free(open);
    free(made);
    if (sooner.line != 0)
        candidate_also(x, sooner);
    free(what);
    free(name);
    free(where);
    free(above);
    free(steps);
    free(needs);
}

static void add_candidate(const search *s, candidates *list, const subject *late)
{
    const trace_clause *c = trace_get_clause(s->t, late->item.clause);
    const trace_item *item = &c->items[late->item.item];
    candidate *x = candidate_add(list, is_alias(c, item) ? FINDING_ALIAS : FINDING_LATE_OUTPUT);
    x->place = iot_clause_location(s->a, late->item.clause);
    x->clause = late->item.clause;
    x->reduction = late->example;
    x->estimate = x->kind != FINDING_ALIAS;
    if (item->kind == TI_GOAL)
        move_goals(s, late, &x->change);
    else
        move_bindings(s, late, &x->change);
    set_texts(s, x, late);
}

static uint32_t best_subject(const search *s, const uint8_t *taken)
{
    uint32_t best = IOT_NONE;
    for (uint32_t i = 0; i < s->subjects.n; i++)
        if (!taken[i] && s->subjects.at[i].longest > 1 &&
            iot_may_save(s->a, s->subjects.at[i].gained) &&
            (best == IOT_NONE || s->subjects.at[i].gained > s->subjects.at[best].gained))
            best = i;
    return best;
}

void iot_find_late_outputs(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    s.budget = (uint64_t)BUDGET * a->n;
    find_subjects(&s);
    for (uint32_t r = 1; r < a->n && s.subjects.n > 0; r++)
        gather_reduction(&s, r, trace_reduction_clause(a->t, r));
    uint8_t *taken = base_allocate(s.subjects.n, 1);
    for (uint32_t i = 0, best; i < PROPOSED && (best = best_subject(&s, taken)) != IOT_NONE; i++) {
        taken[best] = 1;
        add_candidate(&s, c, &s.subjects.at[best]);
    }
    for (size_t i = 0; i < s.subjects.n; i++)
        free(s.subjects.at[i].cases.at);
    free(taken);
    free(s.subjects.at);
    free(s.first);
    clause_facts_destroy(s.facts);
}
