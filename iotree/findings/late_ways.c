// SPDX-License-Identifier: MIT
//
// From a late item upwards: goals that had all that it needs.
#include "iotree/findings/late_ways.h"

#include "iotree/terms/values.h"

enum {
    NEARLY = 100, // the part of the span by which an item may come later than it could
    BUDGET = 16   // goals looked at by reduction, on average
};

late_ways late_ways_of(const iot *a, clause_facts *facts)
{
    return (late_ways){a, a->t, iot_waits(a, NULL, NULL), facts, (uint64_t)BUDGET * a->n};
}

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

bool late_follows(late_ways *s, const late_item *x, uint32_t goal, const uint32_t *arguments,
                        uint8_t *ret_setters)
{
    trace_value values[MOST_NEEDS];
    uint32_t parent = trace_goal_parent(s->t, goal), predicate = trace_goal_predicate(s->t, goal);
    for (uint32_t k = 0; k < x->n; k++) {
        values[k] = known_by(s->t, trace_goal_arg(s->t, goal, arguments[k]), parent);
        if ((x->inner[k].depth || x->computed >> k & 1) && values[k].kind == TV_NODE)
            return false; // its part is not there yet
    }
    return iot_item_follows(s->facts, x, predicate, arguments, values, ret_setters);
}

// Has the reduction in its argument what the node of its clause's body is? A constant may stand in
// the place of a variable that was known to be it.
static bool is_handed_down(const trace *t, const trace_clause *d, uint32_t reduction,
                           uint32_t argument, uint32_t node)
{
    if (iot_is_made_again(d, d->head[argument], node))
        return true;
    const trace_node *n = &d->nodes[node];
    uint32_t goal = trace_reduction_goal(t, reduction);
    return n->kind == TN_CONST &&
           is_same_value(n->value, known_by(t, trace_goal_arg(t, goal, argument), reduction));
}

bool late_go_up(const late_ways *s, const late_item *x, uint32_t goal, uint32_t *arguments)
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
        while (argument < d->nhead && !is_handed_down(t, d, parent, argument, node))
            argument++;
        if (argument == d->nhead)
            return false;
        arguments[k] = argument;
    }
    return true;
}

bool late_is_above_loop(const late_ways *s, const late_item *x, uint32_t r)
{
    return r == 0 || !predicate_reaches(s->facts, trace_get_clause(s->t, x->clause)->predicate,
                                        trace_goal_predicate(s->t, trace_reduction_goal(s->t, r)));
}

// The first reduction upwards that the item could have followed, of those above its loop that are
// done by the time; if there is none, the earliest. IOT_NONE: its own.
static uint32_t sooner_by(late_ways *s, const late_item *x, uint32_t reduction, int64_t time)
{
    uint32_t arguments[MOST_NEEDS], found = IOT_NONE;
    uint32_t goal = trace_reduction_goal(s->t, reduction);
    memcpy(arguments, x->arguments, sizeof arguments);
    while (s->budget > 0 && late_follows(s, x, goal, arguments, NULL)) {
        s->budget--;
        found = trace_goal_parent(s->t, goal);
        bool is_enough = trace_time(s->t, found) <= time && late_is_above_loop(s, x, found);
        if (is_enough || !late_go_up(s, x, goal, arguments))
            break;
        goal = trace_reduction_goal(s->t, found);
    }
    return found;
}

uint32_t late_soonest(late_ways *s, const late_item *x, uint32_t reduction)
{
    uint32_t found = sooner_by(s, x, reduction, -1);
    if (found == IOT_NONE)
        return found;
    int64_t slack = s->a->span / NEARLY;
    return sooner_by(s, x, reduction, trace_time(s->t, found) + slack);
}
