// SPDX-License-Identifier: MIT
//
// Table chunks: every record is checked against the tables before it.
#include "profiler/decode.h"
#include "profiler/reader.h"

bool wrong(loader *l, const char *reason)
{
    if (!l->reason)
        l->reason = reason;
    return false;
}

bool column_sound(loader *l, const column_in *in)
{
    return !in->wrong || wrong(l, in->wrong);
}

void *list_grow(void *items, size_t *capacity, size_t need, size_t size)
{
    size_t n = *capacity ? *capacity : 64;
    while (n < need && n <= SIZE_MAX / 4)
        n *= 2;
    void *grown = n < need || n > SIZE_MAX / 2 / size ? NULL : realloc(items, n * size);
    if (!grown)
        return items;
    *capacity = n;
    return grown;
}

static bool string_exists(const trace *t, uint32_t string)
{
    return string < t->strings.n;
}

static bool is_number(const char *text)
{
    text += *text == '-';
    size_t n = strspn(text, "0123456789");
    return n > 0 && text[n] == '\0';
}

bool value_is_sound(trace *t, const trace_value *v)
{
    if (v->kind == TV_ATOM || v->kind == TV_STRING)
        return string_exists(t, v->id);
    if (v->kind != TV_BIG)
        return true;
    if (!string_exists(t, v->id))
        return false;
    string_entry *s = &t->strings.items[v->id];
    if (s->digits == DIGITS_UNKNOWN)
        s->digits = strlen(s->text) == s->length && is_number(s->text) ? DIGITS_YES : DIGITS_NO;
    return s->digits == DIGITS_YES;
}

// Makes room for a record in a table and decodes it into `r`; false with a reason.
#define NEXT_RECORD(l, list, coding_, r)                                                           \
    ((LIST_RESERVE(list, 1) || wrong(l, "out of memory")) &&                                       \
     ((list)->n < INDEX_LIMIT || wrong(l, "a table is too long")) &&                               \
     (get_##coding_(&(l)->columns[0], &(l)->k, r), column_sound(l, &(l)->columns[0])))

bool load_strings(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        string_record r;
        if (!NEXT_RECORD(l, &t->strings, string, &r))
            return false;
        t->strings.items[t->strings.n++] =
            (string_entry){.text = r.text, .length = (size_t)r.length};
    }
    return true;
}

bool load_sources(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        trace_source r;
        if (!NEXT_RECORD(l, &t->sources, source, &r))
            return false;
        if (!string_exists(t, r.name) || !string_exists(t, r.text))
            return wrong(l, "a string that does not exist");
        t->sources.items[t->sources.n++] = r;
    }
    return true;
}

bool load_modules(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        module_record r;
        if (!NEXT_RECORD(l, &t->modules, module, &r))
            return false;
        if (!string_exists(t, r.name))
            return wrong(l, "a string that does not exist");
        t->modules.items[t->modules.n++] = r.name;
    }
    return true;
}

bool load_predicates(loader *l, uint32_t count)
{
    trace *t = l->t;
    for (l->record = 0; l->record < count; l->record++) {
        trace_predicate r;
        if (!NEXT_RECORD(l, &t->predicates, predicate, &r))
            return false;
        if (!string_exists(t, r.name))
            return wrong(l, "a string that does not exist");
        if (r.module >= t->modules.n)
            return wrong(l, "a module that does not exist");
        if (t->predicates.n >= GOAL_OPEN)
            return wrong(l, "a table is too long");
        t->predicates.items[t->predicates.n++] = r;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Clauses

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
static bool check_compound(loader *l, const trace_clause *c, uint32_t node, uint32_t *structs)
{
    const trace_node *n = &c->nodes[node];
    if (!children_exist(c, n->first, n->n, node))
        return wrong(l, "a node has children that do not stand before it");
    if (n->kind == TN_CONS && n->n != 2)
        return wrong(l, "a list cell does not have two children");
    if (n->kind == TN_STRUCT && n->value.kind != TV_ATOM)
        return wrong(l, "a structure has no name");
    if (n->index < c->nfresh || n->index - c->nfresh >= c->nstructs)
        return wrong(l, "a node of a cell that does not exist");
    if (structs[n->index - c->nfresh] != TRACE_NONE)
        return wrong(l, "two nodes of one cell");
    structs[n->index - c->nfresh] = node;
    return true;
}

static bool check_node(loader *l, const trace_clause *c, uint32_t node, uint32_t *structs)
{
    const trace_node *n = &c->nodes[node];
    if (!value_is_sound(l->t, &n->value))
        return wrong(l, "a string that does not exist");
    switch (n->kind) {
    case TN_FRESH:
        return n->index < c->nfresh || wrong(l, "a variable that does not exist");
    case TN_HOLE:
        return n->index < c->nholes || wrong(l, "a hole that does not exist");
    case TN_CONST:
        return true;
    case TN_CONS:
    case TN_STRUCT:
    case TN_VECTOR:
        break;
    }
    return check_compound(l, c, node, structs);
}

static bool check_nodes(loader *l, const trace_clause *c, clause_entry *ret)
{
    if (c->nstructs > c->nnodes)
        return wrong(l, "a cell without a node");
    uint32_t *structs = arena_take(&l->t->tables, c->nstructs * sizeof *structs);
    if (!structs)
        return wrong(l, "out of memory");
    for (uint32_t i = 0; i < c->nstructs; i++)
        structs[i] = TRACE_NONE;
    for (uint32_t i = 0; i < c->nnodes; i++)
        if (!check_node(l, c, i, structs))
            return false;
    for (uint32_t i = 0; i < c->nstructs; i++)
        if (structs[i] == TRACE_NONE)
            return wrong(l, "a cell without a node");
    ret->structs = structs;
    return true;
}

static bool check_item(loader *l, const trace_clause *c, const trace_item *item)
{
    if (!children_exist(c, item->first, item->n, c->nnodes))
        return wrong(l, "a body item with a node that does not exist");
    if (item->kind == TI_UNIFY)
        return item->n == 2 || wrong(l, "a unification does not have two sides");
    if (item->predicate >= l->t->predicates.n)
        return wrong(l, "a predicate that does not exist");
    return item->n == l->t->predicates.items[item->predicate].arity ||
           wrong(l, "a goal with too few or too many arguments");
}

static bool check_items(loader *l, const trace_clause *c, clause_entry *ret)
{
    if (c->nitems > ITEM_LIMIT)
        return wrong(l, "a clause has too many body items");
    uint32_t *goals = arena_take(&l->t->tables, c->nitems * sizeof *goals);
    if (!goals)
        return wrong(l, "out of memory");
    for (uint32_t i = 0; i < c->nitems; i++) {
        if (!check_item(l, c, &c->items[i]))
            return false;
        if (c->items[i].kind == TI_GOAL)
            goals[ret->ngoals++] = i;
    }
    ret->goal_items = goals;
    return true;
}

static bool check_clause(loader *l, const trace_clause *c, clause_entry *ret)
{
    const trace *t = l->t;
    if (c->predicate >= t->predicates.n)
        return wrong(l, "a predicate that does not exist");
    if (c->source != TRACE_NONE && c->source >= t->sources.n)
        return wrong(l, "a source that does not exist");
    for (uint32_t i = 0; i < c->nlooks; i++)
        if (c->looks[i] >= t->predicates.items[c->predicate].arity)
            return wrong(l, "an argument that does not exist");
    for (uint64_t i = 0; i < c->nfresh + (uint64_t)c->nholes; i++)
        if (c->names[i] != TRACE_NONE && !string_exists(t, c->names[i]))
            return wrong(l, "a string that does not exist");
    if (c->dynamic && (c->nfresh || c->nstructs || c->nholes || c->nnodes || c->nitems))
        return wrong(l, "a built-in with a template");
    if (c->nfresh + (uint64_t)c->nstructs > INDEX_LIMIT)
        return wrong(l, "a clause has too many cells");
    if (!children_apart(c))
        return wrong(l, "nodes share their children");
    *ret = (clause_entry){.clause = *c};
    return check_nodes(l, c, ret) && check_items(l, c, ret);
}

bool load_clauses(loader *l, uint32_t count)
{
    trace *t = l->t;
    coding none = {0}; // a template has no cells of a run
    for (l->record = 0; l->record < count; l->record++) {
        trace_clause r;
        if (!LIST_RESERVE(&t->clauses, 1))
            return wrong(l, "out of memory");
        get_clause(&l->columns[0], &none, &r);
        if (!column_sound(l, &l->columns[0]) ||
            !check_clause(l, &r, &t->clauses.items[t->clauses.n]))
            return false;
        t->clauses.n++;
    }
    return true;
}
