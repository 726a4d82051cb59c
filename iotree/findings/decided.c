// SPDX-License-Identifier: MIT
//
// When the outcome of a loop was decided, in a run (decided.h).
#include "iotree/findings/decided.h"

#include "iotree/findings/loops.h"
#include "iotree/terms/values.h"

static bool is_end_of_list(const trace *t, trace_value v)
{
    return v.kind == TV_ATOM && strcmp(trace_string(t, v.id, NULL), "[]") == 0;
}

// The argument of the head that one side of an `=` is, if the other one is a constant or an
// argument, too; IOT_NONE: none. `[]` ends a stream: who makes it later has more items to come.
static uint32_t argument_bound(const trace *t, const trace_clause *c, const trace_item *item,
                               uint32_t side)
{
    if (item->kind != TI_UNIFY)
        return IOT_NONE;
    const trace_node *n = &c->nodes[c->children[item->first + side]];
    const trace_node *other = &c->nodes[c->children[item->first + 1 - side]];
    bool ends = other->kind == TN_CONST && is_end_of_list(t, other->value);
    for (uint32_t i = 0; n->kind == TN_HOLE && i < c->nhead && !ends; i++)
        if (c->patterns[c->head[i]].kind == TN_HOLE && c->patterns[c->head[i]].index == n->index &&
            (other->kind == TN_CONST || other->kind == TN_HOLE))
            return i;
    return IOT_NONE;
}

static bool is_in_loop(clause_facts *f, uint32_t predicate)
{
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        const trace_clause *c = trace_get_clause(f->t, f->clauses[i]);
        for (uint32_t k = 0; k < c->nitems; k++)
            if (c->items[k].kind == TI_GOAL &&
                predicates_call_each_other(f, c->items[k].predicate, predicate))
                return true;
    }
    return false;
}

bool iot_may_be_decided(clause_facts *f, uint32_t clause, uint32_t item, uint64_t *budget)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    bounds arguments[MOST_BOUNDS];
    bool may = false;
    if (c->nhead > MOST_BOUNDS || !is_in_loop(f, c->predicate) ||
        predicate_leads_to_act(f, c->predicate))
        return false;
    for (uint32_t i = 0; i < MOST_BOUNDS; i++)
        arguments[i] = (bounds){.kind = BOUNDS_ANY};
    for (uint32_t side = 0; side < 2 && !may; side++) {
        uint32_t out = argument_bound(f->t, c, &c->items[item], side);
        may = out != IOT_NONE && !iot_has_one_outcome(f, c->predicate, arguments, out, budget);
    }
    return may;
}

// A step of the loop, with what it had.
typedef struct {
    uint32_t predicate, goal, out, arity;
    bounds arguments[MOST_BOUNDS];
} step;

// False: it does not have the variable as one argument.
static bool look_at_step(const trace *t, uint32_t reduction, uint32_t variable, step *ret)
{
    uint32_t goal = trace_reduction_goal(t, reduction), predicate = trace_goal_predicate(t, goal);
    *ret = (step){.predicate = predicate, .goal = goal, .out = IOT_NONE};
    ret->arity = trace_get_predicate(t, predicate)->arity;
    for (uint32_t i = 0; ret->arity <= MOST_BOUNDS && i < ret->arity; i++) {
        trace_value v = trace_goal_arg(t, goal, i);
        ret->arguments[i] = bounds_of_value(iot_end_value(t, v));
        if (v.kind == TV_CELL && v.id == variable) {
            if (ret->out != IOT_NONE)
                return false;
            ret->out = i;
        }
    }
    return ret->out != IOT_NONE;
}

// The last reduction that the argument's value needed, or the one before; they are by their times.
static uint32_t later_maker(const trace *t, trace_value v, uint32_t before)
{
    while (is_variable(t, v) && trace_cell_binding(t, v.id) != TRACE_NONE) {
        uint32_t maker = trace_binding_maker(t, trace_cell_binding(t, v.id));
        before = trace_time(t, maker) > trace_time(t, before) ? maker : before;
        v = trace_binding_value(t, trace_cell_binding(t, v.id));
    }
    return before;
}

// By which reduction it was decided at the latest: the goal was made, and the arguments that matter
// were known.
static uint32_t known_by(clause_facts *f, step *x, uint64_t *budget)
{
    uint32_t by = trace_goal_parent(f->t, x->goal);
    for (uint32_t i = 0; i < x->arity; i++) {
        bounds b = x->arguments[i];
        if (b.kind == BOUNDS_ANY)
            continue;
        x->arguments[i] = (bounds){.kind = BOUNDS_ANY};
        if (iot_has_one_outcome(f, x->predicate, x->arguments, x->out, budget))
            continue;
        x->arguments[i] = b;
        by = later_maker(f->t, trace_goal_arg(f->t, x->goal, i), by);
    }
    return by;
}

// The variable that an item of the reduction binds, if not to the end of a list; IOT_NONE: none.
static uint32_t variable_bound(const trace *t, uint32_t reduction, uint32_t item)
{
    uint32_t end = trace_first_binding(t, reduction + 1);
    for (uint32_t b = trace_first_binding(t, reduction); b < end; b++)
        if (trace_binding_item(t, b) == item)
            return is_end_of_list(t, iot_end_value(t, trace_binding_value(t, b)))
                       ? IOT_NONE
                       : trace_binding_variable(t, b);
    return IOT_NONE;
}

uint32_t iot_decided_by(clause_facts *f, uint32_t reduction, uint32_t item, uint64_t *budget)
{
    const trace *t = f->t;
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, reduction));
    uint32_t variable = variable_bound(t, reduction, item), by = IOT_NONE;
    if (variable == IOT_NONE)
        return IOT_NONE;
    for (uint32_t r = reduction;;) {
        step x;
        if (!look_at_step(t, r, variable, &x) ||
            !iot_has_one_outcome(f, x.predicate, x.arguments, x.out, budget))
            return by;
        by = known_by(f, &x, budget);
        r = trace_goal_parent(t, x.goal);
        uint32_t above =
            r == 0 ? c->predicate : trace_goal_predicate(t, trace_reduction_goal(t, r));
        if (r == 0 || *budget == 0 || !predicates_call_each_other(f, above, c->predicate))
            return IOT_NONE;
    }
}
