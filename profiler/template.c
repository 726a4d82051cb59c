// SPDX-License-Identifier: MIT
//
// What must hold of a clause's template wherever it comes from, so that it can be walked.
#include "profiler/predict.h"

// Whether the lists of children can lie side by side, which bounds the work on a clause by its
// size.
static bool children_apart(const trace_clause *c)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->nnodes; i++)
        n += c->nodes[i].n;
    for (uint32_t i = 0; i < c->nitems; i++)
        n += c->items[i].n;
    return n <= c->nchildren;
}

static bool children_exist(const trace_clause *c, uint32_t first, uint32_t n, uint32_t limit)
{
    if (first > c->nchildren || n > c->nchildren - first)
        return false;
    for (uint32_t i = first; i < first + n; i++)
        if (c->children[i] >= limit)
            return false;
    return true;
}

// A structure or vector: its children are nodes before it, its cell is of no other node.
static const char *check_compound(const trace_clause *c, uint32_t node, uint32_t *structs)
{
    const trace_node *n = &c->nodes[node];
    if (!children_exist(c, n->first, n->n, node))
        return "a node has children that do not stand before it";
    if (n->kind == TN_CONS && n->n != 2)
        return "a list cell does not have two children";
    if (n->kind == TN_STRUCT && n->value.kind != TV_ATOM)
        return "a structure has no name";
    if (n->index < c->nfresh || n->index - c->nfresh >= c->nstructs)
        return "a node of a cell that does not exist";
    if (structs[n->index - c->nfresh] != TRACE_NONE)
        return "two nodes of one cell";
    structs[n->index - c->nfresh] = node;
    return NULL;
}

static const char *check_node(const trace_clause *c, uint32_t node, uint32_t *structs)
{
    const trace_node *n = &c->nodes[node];
    switch (n->kind) {
    case TN_FRESH:
        return n->index < c->nfresh ? NULL : "a variable that does not exist";
    case TN_HOLE:
        return n->index < c->nholes ? NULL : "a hole that does not exist";
    case TN_CONST:
        return n->value.kind == TV_CELL || n->value.kind == TV_NODE ? "a constant that is none"
                                                                    : NULL;
    case TN_CONS:
    case TN_STRUCT:
    case TN_VECTOR:
        break;
    }
    return check_compound(c, node, structs);
}

static const char *check_nodes(const trace_clause *c, uint32_t *structs)
{
    for (uint32_t i = 0; i < c->nstructs; i++)
        structs[i] = TRACE_NONE;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        const char *reason = check_node(c, i, structs);
        if (reason)
            return reason;
    }
    for (uint32_t i = 0; i < c->nstructs; i++)
        if (structs[i] == TRACE_NONE)
            return "a cell without a node";
    return NULL;
}

const char *clause_prepare(clause_entry *e, uint32_t *goal_items, uint32_t *structs)
{
    const trace_clause *c = &e->clause;
    if (c->dynamic && (c->nfresh || c->nstructs || c->nholes || c->nnodes || c->nitems))
        return "a built-in with a template";
    if (c->nfresh + (uint64_t)c->nstructs > INDEX_LIMIT)
        return "a clause has too many cells";
    if (c->nitems > ITEM_LIMIT)
        return "a clause has too many body items";
    if (!children_apart(c))
        return "nodes share their children";
    const char *reason = check_nodes(c, structs);
    e->structs = structs;
    e->goal_items = goal_items;
    e->ngoals = 0;
    for (uint32_t i = 0; !reason && i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (!children_exist(c, item->first, item->n, c->nnodes))
            reason = "a body item with a node that does not exist";
        else if (item->kind == TI_UNIFY && item->n != 2)
            reason = "a unification does not have two sides";
        else if (item->kind == TI_GOAL)
            goal_items[e->ngoals++] = i;
    }
    return reason;
}
