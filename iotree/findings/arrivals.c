// SPDX-License-Identifier: MIT
//
// What a merge hands on comes in the order in which it was there. If a change lets some of it come
// sooner, the merge takes that sooner, too; the graph of the run keeps the order that there was. So a
// loop that takes items from a merge, and hands nothing from one item to the next, may take each of
// them when it is there. One clause that keeps a state is enough for the others to depend on the order.
#include "iotree/findings/shapes.h"

static bool is_merge(const loops *l, uint32_t r)
{
    uint32_t p = loops_predicate(l, r);
    return trace_get_predicate(l->t, p)->origin == TRACE_BUILTIN &&
           loops_is_named(l->t, p, "merge");
}

// Does the argument of a goal have nothing of the item, and nothing that a guard computes? It is a
// whole argument of the head, the rest of the list, or new.
static bool is_stateless(const trace_clause *c, uint32_t list, const trace_node *node)
{
    if (node->kind != TN_HOLE)
        return node->kind == TN_FRESH;
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        if (n->kind == TN_HOLE && n->index == node->index)
            return true;
        if (i != list)
            continue;
        while (n->kind == TN_CONS)
            n = &c->patterns[c->pattern_children[n->first + 1]];
        if (n->kind == TN_HOLE && n->index == node->index)
            return true;
    }
    return false;
}

// Does a step by this clause, which takes an item, hand only such arguments on to the next one?
static bool hands_no_state_on(const loops *l, const trace_clause *c, uint32_t list)
{
    for (uint32_t k = 0; k < c->nitems; k++) {
        const trace_item *item = &c->items[k];
        if (item->kind != TI_GOAL || l->loop_of[item->predicate] != l->loop_of[c->predicate])
            continue;
        for (uint32_t j = 0; j < item->n; j++)
            if (!is_stateless(c, list, &c->nodes[c->children[item->first + j]]))
                return false;
    }
    return true;
}

// By predicate: its loop has a clause that takes an item and keeps a state. malloc'ed.
static uint8_t *find_states(const loops *l)
{
    uint32_t n = trace_npredicates(l->t);
    uint8_t *takes = iot_list_arguments(l->t), *kept = base_allocate(n, 1);
    uint8_t *of_loop = base_allocate(n, 1); // a loop has the number of one of its predicates
    for (uint32_t i = 0; i < trace_nclauses(l->t); i++) {
        const trace_clause *c = trace_get_clause(l->t, i);
        uint32_t loop = l->loop_of[c->predicate];
        if (loop != IOT_NONE && takes[i] && !hands_no_state_on(l, c, takes[i] - 1))
            of_loop[loop] = 1;
    }
    for (uint32_t p = 0; p < n; p++)
        kept[p] = l->loop_of[p] == IOT_NONE || of_loop[l->loop_of[p]];
    free(of_loop);
    free(takes);
    return kept;
}

void iot_draft_arrivals(const loops *l, change_draft *d)
{
    uint8_t *states = find_states(l);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r], parent = l->g->parents[r];
        if (chain == IOT_NONE || l->taken[r] == IOT_NONE || l->chain_of[parent] != chain ||
            states[loops_predicate(l, parent)] ||
            !is_merge(l, trace_cell_maker(l->t, l->taken[r])))
            continue;
        draft_reduction(d, r, l->g->parents[l->chains.at[chain].first], -1);
    }
    free(states);
}
