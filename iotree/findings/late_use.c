// SPDX-License-Identifier: MIT
//
// Arguments are followed from goal to goal as far as clauses hand them on as whole arguments.
#include "iotree/findings/late_use.h"
#include "iotree/terms/values.h"

enum { MANY_ARGUMENTS = 64 };

typedef struct {
    uint32_t goal;
    uint64_t arguments;
} held_goal;

typedef struct {
    const iot *a;
    const trace *t;
    uint32_t value;
    change_draft *d;
    ARRAY_OF(held_goal) goals; // to look at
    uint32_t *bound;           // by binding: its term holds an argument that is there then; or 0
    uint8_t *holes;            // by hole of the clause in hand: it holds one
} use_walk;

// ---------------------------------------------------------------------------------------------
// The text

// Is the variable nowhere but in goals of the loop?
static bool only_loop_has(clause_facts *f, const trace_clause *c, uint32_t hole)
{
    uint8_t *holes = base_allocate((size_t)c->nholes + 1, 1);
    bool only = true;
    holes[hole] = 1;
    for (uint32_t i = 0; i < c->nitems && only; i++)
        only = !item_has_hole_of(c, &c->items[i], holes) ||
               (c->items[i].kind == TI_GOAL &&
                predicates_call_each_other(f, c->items[i].predicate, c->predicate));
    free(holes);
    return only;
}

static bool is_free_there(clause_facts *f, uint32_t clause, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(f->t, clause);
    if (!clause_is_told(f, clause) || argument >= c->nhead)
        return false;
    const trace_node *n = &c->patterns[c->head[argument]];
    if (n->kind == TN_FRESH)
        return true;
    if (n->kind != TN_HOLE)
        return false;
    for (uint32_t g = 0; g < c->nguards; g++)
        if (test_has_variable(f->t, (clause_test){clause, true, g}, n))
            return false;
    return only_loop_has(f, c, n->index);
}

static bool goes_on(clause_facts *f, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL &&
            predicates_call_each_other(f, c->items[i].predicate, c->predicate))
            return true;
    return false;
}

bool iot_loop_can_begin_without(clause_facts *f, uint32_t predicate, uint32_t argument)
{
    bool any = false;
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        if (!goes_on(f, trace_get_clause(f->t, f->clauses[i])))
            continue;
        if (!is_free_there(f, f->clauses[i], argument))
            return false;
        any = true;
    }
    return any;
}

// ---------------------------------------------------------------------------------------------
// The run

// Marks the holes that the goal's arguments are; false: the clause looks at one.
static bool take_arguments(use_walk *w, uint32_t clause, uint64_t arguments)
{
    const trace_clause *c = trace_get_clause(w->t, clause);
    for (uint32_t i = 0; i < MANY_ARGUMENTS; i++) {
        if (!(arguments >> i & 1))
            continue;
        const trace_node *n = i < c->nhead ? &c->patterns[c->head[i]] : NULL;
        if (!n || (n->kind != TN_HOLE && n->kind != TN_FRESH))
            return false;
        for (uint32_t g = 0; g < c->nguards; g++)
            if (test_has_variable(w->t, (clause_test){clause, true, g}, n))
                return false;
        if (n->kind == TN_HOLE)
            w->holes[n->index] = 1;
    }
    return true;
}

// An argument in a term of a goal is as good as the argument: who looks at the term waits.
static void follow_goal(use_walk *w, const trace_clause *c, uint32_t goal)
{
    uint32_t number = trace_goal_item(w->t, goal), r = trace_goal_reduction(w->t, goal);
    const trace_item *item = &c->items[number];
    uint64_t arguments = 0;
    bool known = trace_get_predicate(w->t, item->predicate)->origin != TRACE_BUILTIN;
    for (uint32_t i = 0; i < item->n; i++) {
        if (!node_has_hole_of(c, c->children[item->first + i], w->holes))
            continue;
        known &= i < MANY_ARGUMENTS;
        arguments |= known ? 1ull << i : 0;
    }
    if (r == TRACE_NONE || (known && !arguments))
        return;
    if (known)
        ARRAY_PUSH(w->goals, (held_goal){goal, arguments});
    else
        draft_add(w->d, r, w->value);
}

static void follow_bindings(use_walk *w, const trace_clause *c, uint32_t r)
{
    uint32_t end = trace_first_binding(w->t, r + 1);
    for (uint32_t b = trace_first_binding(w->t, r); b < end; b++)
        if (item_has_hole_of(c, &c->items[trace_binding_item(w->t, b)], w->holes))
            w->bound[b] = w->value;
}

static void follow(use_walk *w, held_goal held)
{
    uint32_t r = trace_goal_reduction(w->t, held.goal);
    uint32_t clause = r == TRACE_NONE ? TRACE_NONE : trace_reduction_clause(w->t, r);
    if (clause == TRACE_NONE)
        return;
    const trace_clause *c = trace_get_clause(w->t, clause);
    w->holes = base_allocate((size_t)c->nholes + 1, 1);
    if (c->dynamic || !take_arguments(w, clause, held.arguments)) {
        draft_add(w->d, r, w->value);
    } else {
        uint32_t end = trace_first_goal(w->t, r + 1);
        for (uint32_t g = trace_first_goal(w->t, r); g < end; g++)
            follow_goal(w, c, g);
        follow_bindings(w, c, r);
    }
    free(w->holes);
}

// Who reads a term that holds an argument waits, too.
static void wait_for_terms(use_walk *w)
{
    for (uint32_t r = 1; r < w->a->n; r++) {
        const uint32_t *reads;
        uint32_t n = trace_reads(w->t, r, &reads);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t b = trace_cell_binding(w->t, reads[i]);
            if (b != TRACE_NONE && w->bound[b])
                draft_add(w->d, r, w->bound[b]);
        }
    }
}

void iot_wait_where_used(const iot *a, const late_goal *goals, size_t n, uint64_t arguments,
                         change_draft *d)
{
    use_walk w = {.a = a, .t = a->t, .d = d};
    w.bound = base_allocate(trace_nbindings(a->t), sizeof *w.bound);
    for (size_t i = 0; i < n; i++) {
        w.value = goals[i].value;
        ARRAY_PUSH(w.goals, (held_goal){goals[i].goal, arguments});
        while (w.goals.n > 0)
            follow(&w, w.goals.at[--w.goals.n]);
    }
    wait_for_terms(&w);
    free(w.goals.at);
    free(w.bound);
}
