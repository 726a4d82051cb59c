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

// Appends those of a kind, where TV_INT stands for all constants.
static uint32_t place_values(placed_value *to, uint32_t nplaced, const uint64_t *values, uint32_t n,
                             unsigned kind)
{
    for (uint32_t i = 0; i < n; i++) {
        unsigned of = packed_kind(values[i]);
        if ((of == TV_CELL || of == TV_NODE ? of : TV_INT) == kind)
            to[nplaced++] = (placed_value){i, kind == TV_NODE ? values[i] >> 3 : values[i]};
    }
    return nplaced;
}

static const char *sort_values(clause_entry *e, const uint64_t *values, uint32_t n, arena *memory)
{
    placed_value *placed = trace_arena_take(memory, n * sizeof *placed);
    if (!placed)
        return trace_no_memory;
    e->nvalues = n;
    e->values = placed;
    e->nconstants = place_values(placed, 0, values, n, TV_INT);
    e->ncells = place_values(placed, e->nconstants, values, n, TV_CELL) - e->nconstants;
    e->nholes = place_values(placed, e->nconstants + e->ncells, values, n, TV_NODE) -
                e->nconstants - e->ncells;
    return NULL;
}

// Elements of structures and arguments of goals. Children lie apart, so there are no more values than
// children.
static const char *list_values(clause_entry *e, arena *memory)
{
    const trace_clause *c = &e->clause;
    uint32_t ncells = ncells_of(e), nvalues = 0, first;
    uint64_t *values = trace_arena_take(memory, (size_t)c->nchildren * sizeof *values);
    value_list *lists = trace_arena_take(memory, (ncells + (size_t)e->ngoals) * sizeof *lists);
    if (!values || !lists)
        return trace_no_memory;
    for (uint32_t i = 0; i < c->nfresh; i++)
        lists[i] = value_list_of(0, 0);
    for (uint32_t i = 0; i < c->nstructs; i++) {
        const trace_node *n = &c->nodes[e->structs[i]];
        first = nvalues;
        nvalues = add_children(c, n->first, n->n, values, nvalues);
        lists[c->nfresh + i] = value_list_of(first, nvalues - first);
    }
    for (uint32_t i = 0; i < nvalues; i++)
        e->nheld += packed_kind(values[i]) == TV_NODE;
    for (uint32_t i = 0; i < e->ngoals; i++) {
        const trace_item *item = &c->items[e->goal_items[i]];
        first = nvalues;
        nvalues = add_children(c, item->first, item->n, values, nvalues);
        lists[ncells + i] = value_list_of(first, nvalues - first);
    }
    e->cell_lists = lists;
    e->goal_lists = lists + ncells;
    return sort_values(e, values, nvalues, memory);
}

static const char *list_sides(clause_entry *e, arena *memory)
{
    const trace_clause *c = &e->clause;
    uint64_t *sides = trace_arena_take(memory, 2 * (size_t)c->nitems * sizeof *sides);
    if (!sides)
        return trace_no_memory;
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_UNIFY)
            add_children(c, c->items[i].first, 2, sides, 2 * i);
    e->sides = sides;
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
    if (!reason)
        reason = list_values(e, memory);
    e->is_small = ncells_of(e) <= SMALL_CLAUSE && e->ngoals <= SMALL_CLAUSE && e->nvalues <= 4 * SMALL_CLAUSE;
    return reason ? reason : list_sides(e, memory);
}
