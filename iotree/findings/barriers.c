// SPDX-License-Identifier: MIT
//
// Loops that only wait for all items of a list, and then call a goal:
//
//     settled([X|Xs], All, R) :- integer(X) | settled(Xs, All, R).
//     settled([], All, R) :- go_on(All, R).
//
// Whoever does without them calls that goal at once.
#include "iotree/findings/barriers.h"

// The argument in which the head takes a list apart and hands on its rest, or has the empty list if
// `end`; IOT_NONE: there is none.
static uint32_t walked_argument(const trace *t, const trace_clause *c, bool end)
{
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        bool empty = n->kind == TN_CONST && n->value.kind == TV_ATOM &&
                     strcmp(trace_string(t, n->value.id, NULL), "[]") == 0;
        if (end ? empty : n->kind == TN_CONS)
            return i;
    }
    return IOT_NONE;
}

// `p([_|Xs], A, ...) :- tests of types | p(Xs, A, ...).`
static bool only_goes_on(const trace *t, const trace_clause *c, uint32_t list)
{
    for (uint32_t i = 0; i < c->nguards; i++)
        if (!iot_is_type_test(trace_string(t, c->guards[i].name, NULL)))
            return false;
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *from = &c->patterns[c->head[i]];
        const trace_node *to = &c->nodes[c->children[c->items[0].first + i]];
        if (i == list)
            from = &c->patterns[c->pattern_children[from->first + 1]];
        if (from->kind != TN_HOLE || to->kind != TN_HOLE || from->index != to->index)
            return false;
    }
    return true;
}

bool iot_is_barrier(const clause_facts *f, uint32_t predicate)
{
    const trace *t = f->t;
    uint32_t steps = 0, ends = 0, list = IOT_NONE;
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        const trace_clause *c = trace_get_clause(t, f->clauses[i]);
        if (!clause_is_told(f, f->clauses[i]) || c->nitems != 1 || c->items[0].kind != TI_GOAL)
            return false;
        bool end = c->items[0].predicate != predicate;
        uint32_t walked = walked_argument(t, c, end);
        if (walked == IOT_NONE || (list != IOT_NONE && walked != list))
            return false;
        list = walked;
        ends += end;
        steps += !end;
        if (end ? c->nguards > 0 : !only_goes_on(t, c, list))
            return false;
    }
    return steps == 1 && ends == 1;
}

void iot_leave_out_barrier(const wait_graph *g, uint32_t predicate, change_draft *d)
{
    for (uint32_t r = 1; r < g->n; r++) {
        if (g->all_sites[g->sites[r]].predicate != predicate)
            continue;
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
            draft_wait(d, w, IOT_NONE);
        draft_reduction(d, r, IOT_NONE, 0);
    }
}
