// SPDX-License-Identifier: MIT
//
// Checks a clause's template, from a caller or from a file, so that other code can walk it without
// checks.
#include "profiler/format/column.h"

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

static const char *check_items(const trace_clause *c, uint32_t *goal_items, uint32_t *ret_ngoals)
{
    *ret_ngoals = 0;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (!children_exist(c, item->first, item->n, c->nnodes))
            return "a body item with a node that does not exist";
        if (item->kind == TI_UNIFY && item->n != 2)
            return "a unification does not have two sides";
        if (item->kind == TI_GOAL)
            goal_items[(*ret_ngoals)++] = i;
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Head and guards

static bool pattern_children_exist(const trace_clause *c, uint32_t first, uint32_t n, uint32_t limit)
{
    if (first > c->npattern_children || n > c->npattern_children - first)
        return false;
    for (uint32_t i = first; i < first + n; i++)
        if (c->pattern_children[i] >= limit)
            return false;
    return true;
}

static const char *check_pattern(const trace_clause *c, uint32_t pattern)
{
    const trace_node *n = &c->patterns[pattern];
    if (n->kind == TN_FRESH)
        return n->index < c->nunused ? NULL : "a variable that does not exist";
    if (n->kind == TN_HOLE)
        return n->index < c->nholes ? NULL : "a hole that does not exist";
    if (n->kind == TN_CONST)
        return n->value.kind == TV_CELL || n->value.kind == TV_NODE ? "a constant that is none"
                                                                    : NULL;
    if (!pattern_children_exist(c, n->first, n->n, pattern))
        return "a pattern has children that do not stand before it";
    if (n->kind == TN_CONS && n->n != 2)
        return "a list cell does not have two children";
    return n->kind == TN_STRUCT && n->value.kind != TV_ATOM ? "a structure has no name" : NULL;
}

// The lists of children lie side by side, which bounds the work on them by their size.
const char *trace_shape_check(const trace_clause *c)
{
    const char *reason = NULL;
    uint64_t n = 0;
    if (c->dynamic && (c->nhead || c->nguards || c->nunused || c->npatterns || c->npattern_children))
        return "a built-in with a head";
    for (uint32_t i = 0; i < c->npatterns && !reason; i++) {
        n += c->patterns[i].n;
        reason = check_pattern(c, i);
    }
    for (uint32_t i = 0; i < c->nhead && !reason; i++)
        if (c->head[i] >= c->npatterns)
            reason = "a pattern that does not exist";
    for (uint32_t i = 0; i < c->nguards && !reason; i++) {
        n += c->guards[i].n;
        if (!pattern_children_exist(c, c->guards[i].first, c->guards[i].n, c->npatterns))
            reason = "a pattern that does not exist";
    }
    return !reason && n > c->npattern_children ? "patterns share their children" : reason;
}

// ---------------------------------------------------------------------------------------------
// What reductions of the clause make

static uint64_t made_value(const trace_clause *c, uint32_t node)
{
    const trace_node *n = &c->nodes[node];
    if (n->kind == TN_HOLE)
        return (uint64_t)n->index << 3 | TV_NODE;
    if (n->kind != TN_CONST)
        return packed_cell(n->index);
    return value_is_long(&n->value) ? NOTHING : pack_value(&n->value, 0, NULL, 0);
}

// Appends a list of children; the count of values then.
static uint32_t add_children(const trace_clause *c, uint32_t first, uint32_t n, uint64_t *values,
                             uint32_t nvalues)
{
    for (uint32_t i = first; i < first + n; i++)
        values[nvalues++] = made_value(c, c->children[i]);
    return nvalues;
}

// Children lie apart, so there are no more values than children.
static const char *list_values(clause_entry *e, arena *memory)
{
    const trace_clause *c = &e->clause;
    uint64_t *elements = trace_arena_take(memory, 2 * (size_t)c->nchildren * sizeof *elements);
    uint64_t *sides = trace_arena_take(memory, 2 * (size_t)c->nitems * sizeof *sides);
    uint32_t *ends = trace_arena_take(memory, (c->nstructs + (size_t)e->ngoals) * sizeof *ends);
    if (!elements || !sides || !ends)
        return trace_no_memory;
    uint64_t *arguments = elements + c->nchildren;
    uint32_t *argument_ends = ends + c->nstructs;
    for (uint32_t i = 0; i < c->nstructs; i++) {
        const trace_node *n = &c->nodes[e->structs[i]];
        ends[i] = e->nelements = add_children(c, n->first, n->n, elements, e->nelements);
    }
    for (uint32_t i = 0; i < e->ngoals; i++) {
        const trace_item *item = &c->items[e->goal_items[i]];
        argument_ends[i] = e->narguments =
            add_children(c, item->first, item->n, arguments, e->narguments);
    }
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_UNIFY)
            add_children(c, c->items[i].first, 2, sides, 2 * i);
    e->elements = elements;
    e->arguments = arguments;
    e->sides = sides;
    e->element_ends = ends;
    e->argument_ends = argument_ends;
    return NULL;
}

const char *trace_clause_prepare(clause_entry *e, arena *memory)
{
    const trace_clause *c = &e->clause;
    if (c->dynamic && (c->nfresh || c->nstructs || c->nholes || c->nnodes || c->nitems))
        return "a built-in with a template";
    if (c->nfresh + (uint64_t)c->nstructs > INDEX_LIMIT)
        return "a clause has too many cells";
    if (c->nstructs > c->nnodes)
        return "a cell without a node";
    if (c->nitems > ITEM_LIMIT)
        return "a clause has too many body items";
    if (!children_apart(c))
        return "nodes share their children";
    uint32_t *structs = trace_arena_take(memory, c->nstructs * sizeof *structs);
    uint32_t *goal_items = trace_arena_take(memory, c->nitems * sizeof *goal_items);
    if (!structs || !goal_items)
        return trace_no_memory;
    e->structs = structs;
    e->goal_items = goal_items;
    const char *reason = check_nodes(c, structs);
    if (!reason)
        reason = check_items(c, goal_items, &e->ngoals);
    return reason ? reason : list_values(e, memory);
}
