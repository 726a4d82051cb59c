// SPDX-License-Identifier: MIT
//
// What a clause does with arguments is the same in all its reductions, so it is found out once: where
// it looks, and which goals of its body get a whole argument of its head.
#include "iotree/tree/arguments.h"

// A goal of the body gets the argument at `from` of the head at `to`.
typedef struct {
    uint32_t goal, to, from; // goal: place among those of the body
} argument_move;

typedef ARRAY_OF(argument_move) move_list;

typedef struct argument_moves {
    bool known;
    uint8_t *looks; // bits by position
    move_list list; // ascending by goal
} argument_moves;

// ---------------------------------------------------------------------------------------------
// Clauses

typedef struct {
    const trace *t;
    const trace_clause *c;
    uint32_t *from; // by hole: the position in the head that it is the whole of, or IOT_NONE
    uint8_t *met;   // bits by node: it was found in the arguments of a built-in
    argument_moves *moves;
    ARRAY_OF(uint32_t) todo;
} moving;

static bool has_name(const trace *t, uint32_t string, const char *name)
{
    return strcmp(trace_string(t, string, NULL), name) == 0;
}

static bool is_call(const trace *t, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    return p->origin == TRACE_BUILTIN && has_name(t, p->name, "call");
}

static void move_node(moving *x, uint32_t node, uint32_t goal, uint32_t to)
{
    const trace_node *n = &x->c->nodes[node];
    if (n->kind == TN_HOLE && x->from[n->index] != IOT_NONE)
        ARRAY_PUSH(x->moves->list, (argument_move){goal, to, x->from[n->index]});
}

// Children of a term that is called which are goals themselves.
static void push_called(moving *x, const trace_node *n)
{
    const uint32_t *children = &x->c->children[n->first];
    if (n->kind != TN_STRUCT || n->n != 2)
        return;
    bool both = has_name(x->t, n->value.id, ",");
    if (both || has_name(x->t, n->value.id, "@"))
        ARRAY_PUSH(x->todo, children[0]);
    if (both || has_name(x->t, n->value.id, ":"))
        ARRAY_PUSH(x->todo, children[1]);
}

// What stands in an argument of a built-in; of `call` only what is called.
static void move_inside(moving *x, uint32_t node, uint32_t goal, bool call)
{
    ARRAY_PUSH(x->todo, node);
    while (x->todo.n > 0) {
        uint32_t at = x->todo.at[--x->todo.n];
        const trace_node *n = &x->c->nodes[at];
        move_node(x, at, goal, 0);
        if (n->kind < TN_CONS || bit_get(x->met, at))
            continue;
        bit_set(x->met, at); // each is part of one term
        if (call)
            push_called(x, n);
        for (uint32_t i = 0; i < n->n && !call; i++)
            ARRAY_PUSH(x->todo, x->c->children[n->first + i]);
    }
}

static void move_goal(moving *x, const trace_item *item, uint32_t goal)
{
    const uint32_t *children = &x->c->children[item->first];
    bool builtin = trace_get_predicate(x->t, item->predicate)->origin == TRACE_BUILTIN;
    bool call = is_call(x->t, item->predicate);
    for (uint32_t i = 0; i < (call && item->n > 1 ? 1 : item->n); i++) {
        if (builtin)
            move_inside(x, children[i], goal, call);
        else
            move_node(x, children[i], goal, i);
    }
}

static void find_moves(const trace *t, const trace_clause *c, argument_moves *ret)
{
    moving x = {.t = t, .c = c, .moves = ret};
    x.from = base_allocate(c->nholes, sizeof *x.from);
    x.met = bits_allocate(c->nnodes);
    memset(x.from, 0xff, c->nholes * sizeof *x.from);
    for (uint32_t i = c->nhead; i-- > 0;) {
        const trace_node *pattern = &c->patterns[c->head[i]];
        if (pattern->kind == TN_HOLE)
            x.from[pattern->index] = i;
    }
    uint32_t goal = 0;
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL)
            move_goal(&x, &c->items[i], goal++);
    free(x.from);
    free(x.met);
    free(x.todo.at);
}

static const argument_moves *moves_of(iot *a, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(a->t, clause);
    if (!a->io.moves)
        a->io.moves = base_allocate(trace_nclauses(a->t), sizeof *a->io.moves);
    argument_moves *m = &a->io.moves[clause];
    if (m->known)
        return m;
    m->known = true;
    m->looks = bits_allocate(trace_get_predicate(a->t, c->predicate)->arity);
    for (uint32_t i = 0; i < c->nlooks; i++)
        bit_set(m->looks, c->looks[i]);
    find_moves(a->t, c, m);
    return m;
}

void iot_destroy_argument_moves(iot *a)
{
    for (uint32_t i = 0; a->io.moves && i < trace_nclauses(a->t); i++) {
        free(a->io.moves[i].looks);
        free(a->io.moves[i].list.at);
    }
    free(a->io.moves);
}

// ---------------------------------------------------------------------------------------------
// Members

void iot_arguments_begin(argument_search *s, iot *a, uint32_t process)
{
    const trace *t = a->t;
    uint32_t goal = a->processes[process].goal, reduction = trace_goal_reduction(t, goal);
    uint32_t predicate = trace_goal_predicate(t, goal);
    uint32_t arity = trace_get_predicate(t, predicate)->arity;
    *s = (argument_search){.a = a, .process = process};
    if (reduction == TRACE_NONE || trace_is_measured(t) || trace_is_older_definition(t))
        return;
    trace_value *args = base_allocate(arity, sizeof *args);
    trace_goal_args(t, goal, args);
    for (uint32_t i = 0; i < (is_call(t, predicate) && arity > 1 ? 1 : arity); i++)
        if (!is_variable(t, args[i]))
            ARRAY_PUSH(s->held, (held_argument){i, i});
    free(args);
    if (s->held.n == 0)
        return;
    s->held_by = base_allocate(a->processes[process].members, sizeof *s->held_by);
    s->held_by[a->members.rank[reduction]].n = (uint32_t)s->held.n;
}

void iot_arguments_free(argument_search *s)
{
    free(s->held_by);
    free(s->held.at);
    free(s->looked.at);
    free(s->origin_at.at);
}

// The goal's reduction gets the argument, if it is a member.
static void give(argument_search *s, uint32_t goal, held_argument h)
{
    uint32_t reduction = trace_goal_reduction(s->a->t, goal);
    if (reduction == TRACE_NONE || process_of(s->a, reduction) != s->process)
        return;
    struct held_range *to = &s->held_by[s->a->members.rank[reduction]];
    if (to->n == 0)
        to->first = s->held.n;
    ARRAY_PUSH(s->held, h);
    to->n++;
}

// To the goals of the body. What the reduction has looked at, all below need because they need it.
static void pass_down(argument_search *s, const argument_moves *moves, uint32_t reduction)
{
    uint32_t first = trace_first_goal(s->a->t, reduction);
    for (size_t i = 0; i < moves->list.n; i++) {
        const argument_move *m = &moves->list.at[i];
        uint32_t origin = m->from < s->origin_at.n ? s->origin_at.at[m->from] : 0;
        if (origin != 0)
            give(s, first + m->goal, (held_argument){m->to, origin - 1});
    }
}

void iot_arguments_looked(argument_search *s, uint32_t rank, uint32_t reduction)
{
    uint32_t clause = trace_reduction_clause(s->a->t, reduction);
    s->looked.n = 0;
    if (!s->held_by || s->held_by[rank].n == 0)
        return;
    struct held_range held = s->held_by[rank];
    bool builtin = trace_get_clause(s->a->t, clause)->dynamic, left = false;
    const argument_moves *moves = moves_of(s->a, clause);
    for (size_t i = held.first; i < held.first + held.n; i++) {
        held_argument h = s->held.at[i];
        while (s->origin_at.n <= h.position)
            ARRAY_PUSH(s->origin_at, 0);
        if (builtin || bit_get(moves->looks, h.position))
            ARRAY_PUSH(s->looked, h.origin);
        else
            s->origin_at.at[h.position] = h.origin + 1;
        left |= s->origin_at.at[h.position] != 0;
    }
    if (left)
        pass_down(s, moves, reduction);
    for (size_t i = held.first; i < held.first + held.n; i++)
        s->origin_at.at[s->held.at[i].position] = 0;
}
