// SPDX-License-Identifier: MIT
//
// Could a clause begin anything without the value that it takes apart?
//
//     middle([Op|T], O, B, R) :- O = Op, parse(T, B, T1), close(T1, R).
//
// Here each item needs a part, or what follows from one. To take the list apart later would spare no
// more than the step of the clause itself.
#include "iotree/findings/early_reads.h"
#include "iotree/findings/loops.h"
#include "iotree/terms/values.h"

// Which variables of a clause follow from the parts.
typedef struct {
    const trace_clause *c;
    uint8_t *parts; // by hole, then by unused variable
    uint8_t *fresh; // by variable that the clause makes
} followers;

static bool is_marked(const followers *f, const trace_node *n)
{
    return (n->kind == TN_HOLE && f->parts[n->index]) ||
           (n->kind == TN_FRESH && f->fresh[n->index]);
}

// Has the item a variable that follows? `ret_new`, if given: marks all that it makes, and sets it if
// one was not marked before.
static bool look_through(const followers *f, const trace_item *item, bool *ret_new)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool has = false;
    for (uint32_t i = 0; i < item->n; i++)
        ARRAY_PUSH(stack, f->c->children[item->first + i]);
    while (stack.n > 0) {
        const trace_node *n = &f->c->nodes[stack.at[--stack.n]];
        has |= is_marked(f, n);
        if (ret_new && n->kind == TN_FRESH && !f->fresh[n->index]) {
            f->fresh[n->index] = 1;
            *ret_new = true;
        }
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, f->c->children[n->first + i]);
    }
    free(stack.at);
    return has;
}

static void spread(const followers *f)
{
    for (bool marks = true; marks;) {
        marks = false;
        for (uint32_t i = 0; i < f->c->nitems; i++)
            if (look_through(f, &f->c->items[i], NULL))
                look_through(f, &f->c->items[i], &marks);
    }
}

// Did the clause that the goal took look at an argument that is a part, or is it a built-in with one?
static bool looks_at_part(const early_search *s, const followers *f, uint32_t item, uint32_t child)
{
    const trace_clause *d = trace_get_clause(s->t, trace_reduction_clause(s->t, child));
    const trace_item *x = &f->c->items[item];
    if (d->dynamic || d->nhead == 0)
        return item_has_hole_of(f->c, x, f->parts);
    for (uint32_t i = 0; i < d->nlooks; i++) {
        uint32_t at = d->looks[i];
        const trace_node *n = at < x->n ? &f->c->nodes[f->c->children[x->first + at]] : NULL;
        if (n && n->kind == TN_HOLE && f->parts[n->index])
            return true;
    }
    return false;
}

// Did the item's goal wait at once for what came after its own clause was chosen, or look at a part?
static bool waits_at_once(const early_search *s, const followers *f, uint32_t r, uint32_t item)
{
    uint32_t end = trace_first_goal(s->t, r + 1);
    for (uint32_t g = trace_first_goal(s->t, r); g < end; g++) {
        uint32_t child = trace_goal_reduction(s->t, g);
        if (trace_goal_item(s->t, g) != item || child == TRACE_NONE)
            continue;
        if (looks_at_part(s, f, item, child))
            return true;
        for (uint64_t w = s->g->first[child]; w < s->g->first[child + 1]; w++)
            if (trace_time(s->t, s->g->makers[w]) >= trace_time(s->t, r))
                return true;
    }
    return false;
}

// Does the item bind a variable to a structure, `As = [alarm(H)|As1]`? That is there for its readers,
// whatever comes to be As1.
static bool makes_structure(const trace_clause *c, const trace_item *item)
{
    for (uint32_t i = 0; item->kind == TI_UNIFY && i < item->n; i++)
        if (c->nodes[c->children[item->first + i]].n > 0)
            return true;
    return false;
}

bool iot_begins_something(const early_search *s, uint32_t r, clause_test test)
{
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    if (trace_reduction_clause(s->t, r) != test.clause)
        return true;
    followers f = {.c = c,
                   .parts = base_allocate((size_t)c->nholes + c->nunused + 1, 1),
                   .fresh = base_allocate((size_t)c->nfresh + 1, 1)};
    test_mark_variables(s->t, test, f.parts);
    guards_spread(s->t, test.clause, f.parts);
    spread(&f);
    bool begins = false;
    for (uint32_t i = 0; i < c->nitems && !begins; i++) {
        const trace_item *item = &c->items[i];
        bool follows = makes_structure(c, item) ? item_has_hole_of(c, item, f.parts)
                                                : look_through(&f, item, NULL);
        begins = !follows || (item->kind == TI_GOAL && !waits_at_once(s, &f, r, i));
    }
    free(f.parts);
    free(f.fresh);
    return begins;
}
