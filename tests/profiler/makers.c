// SPDX-License-Identifier: MIT
//
// Makers of traces: one by hand, others at random.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

// ---------------------------------------------------------------------------------------------
// By hand

static trace_value integer(int64_t i)
{
    return (trace_value){.kind = TV_INT, .i = i};
}

static trace_value cell(uint32_t id)
{
    return (trace_value){.kind = TV_CELL, .id = id};
}

static trace_value text_value(model *m, trace_value_kind kind, const char *text)
{
    return (trace_value){.kind = kind, .id = model_text(m, text)};
}

// main :- S = [1,"é"|T], p(S, X, {T, f(X, 2.5, 2^70)}).   cells: S T X, three structures
static uint32_t small_main(model *m, uint32_t predicate, uint32_t p)
{
    uint32_t names[] = {model_text(m, "S"), model_text(m, "T"), TRACE_NONE};
    trace_node nodes[] = {
        {.kind = TN_FRESH, .index = 0},
        {.kind = TN_FRESH, .index = 1},
        {.kind = TN_FRESH, .index = 2},
        {.kind = TN_CONST, .value = integer(1)},
        {.kind = TN_CONST, .value = text_value(m, TV_STRING, "\xc3\xa9")},
        {.kind = TN_CONS, .index = 4, .first = 0, .n = 2},
        {.kind = TN_CONS, .index = 3, .first = 2, .n = 2},
        {.kind = TN_CONST, .value = {.kind = TV_FLOAT, .d = 2.5}},
        {.kind = TN_CONST, .value = text_value(m, TV_BIG, "1180591620717411303424")},
        {.kind = TN_STRUCT, .index = 6, .value = text_value(m, TV_ATOM, "f"), .first = 4, .n = 3},
        {.kind = TN_VECTOR, .index = 5, .first = 7, .n = 2},
    };
    uint32_t children[] = {4, 1, 3, 5, 2, 7, 8, 1, 9, 0, 6, 0, 2, 10};
    trace_item items[] = {{TI_UNIFY, 0, 1, 9, 9, 2}, {TI_GOAL, p, 1, 26, 11, 3}};
    return model_clause(m, &(trace_clause){.predicate = predicate,
                                           .number = 1,
                                           .source = 0,
                                           .line = 1,
                                           .column = 1,
                                           .end_line = 2,
                                           .nfresh = 3,
                                           .nstructs = 4,
                                           .names = names,
                                           .nnodes = COUNT(nodes),
                                           .nchildren = COUNT(children),
                                           .nitems = COUNT(items),
                                           .nodes = nodes,
                                           .children = children,
                                           .items = items});
}

// p([H|T], X, V) :- X = H, b(T, V), b(X, 7).
static uint32_t small_p(model *m, uint32_t p, uint32_t b)
{
    uint32_t names[] = {model_text(m, "H"), model_text(m, "T"), model_text(m, "X"),
                        model_text(m, "V")};
    uint32_t looks[] = {0};
    trace_node nodes[] = {{.kind = TN_HOLE, .index = 0},
                          {.kind = TN_HOLE, .index = 1},
                          {.kind = TN_HOLE, .index = 2},
                          {.kind = TN_HOLE, .index = 3},
                          {.kind = TN_CONST, .value = integer(INT64_MIN)}};
    uint32_t children[] = {2, 0, 1, 3, 2, 4};
    trace_item items[] = {
        {TI_UNIFY, 0, 3, 20, 0, 2}, {TI_GOAL, b, 3, 27, 2, 2}, {TI_GOAL, b, 3, 36, 4, 2}};
    return model_clause(m, &(trace_clause){.predicate = p,
                                           .number = 1,
                                           .source = 0,
                                           .line = 3,
                                           .column = 1,
                                           .end_line = 3,
                                           .nlooks = 1,
                                           .looks = looks,
                                           .nholes = 4,
                                           .names = names,
                                           .nnodes = COUNT(nodes),
                                           .nchildren = COUNT(children),
                                           .nitems = COUNT(items),
                                           .nodes = nodes,
                                           .children = children,
                                           .items = items});
}

// What a built-in makes: every kind of cell, and a goal.
static void small_builtin(model *m, uint32_t clause, uint32_t b)
{
    uint32_t first = m->cells.n;
    trace_value values[] = {cell(first),
                            text_value(m, TV_ATOM, "[]"),
                            integer(-5),
                            integer(INT64_MAX),
                            {.kind = TV_FLOAT, .d = -INFINITY}};
    trace_value update[] = {cell(first + 3), integer(2), cell(first + 1)};
    trace_value again[] = {cell(first + 5), integer(0), integer(0)};
    trace_cell cells[] = {
        {.kind = TC_VARIABLE, .name = model_text(m, "Rest")},
        {.kind = TC_CONS, .name = TRACE_NONE, .n = 2, .nargs = 2, .args = values},
        {.kind = TC_STRUCT, .name = model_text(m, "g"), .n = 2, .nargs = 2, .args = values + 3},
        {.kind = TC_VECTOR, .name = TRACE_NONE, .n = 4, .nargs = 4, .args = values},
        {.kind = TC_VECTOR, .name = TRACE_NONE, .n = 1000, .nargs = 1, .args = values + 2},
        {.kind = TC_VECTOR_UPDATE, .name = TRACE_NONE, .n = 4, .nargs = 3, .args = update},
        {.kind = TC_VECTOR_UPDATE, .name = TRACE_NONE, .n = 4, .nargs = 3, .args = again},
        {.kind = TC_VARIABLE, .name = TRACE_NONE},
    };
    trace_goal goals[] = {{.predicate = b, .nargs = 2, .args = values}};
    uint32_t followed[] = {0};
    trace_binding bindings[] = {{1, 0, cell(first + 6)}, {first + 7, 0, cell(first)}};
    model_reduce(m, &(trace_reduction){.goal = 1,
                                       .clause = clause,
                                       .time = 2,
                                       .place = 4,
                                       .start = 250,
                                       .end = 1000000007,
                                       .nfollowed = 1,
                                       .followed = followed,
                                       .nbindings = 2,
                                       .bindings = bindings,
                                       .ncells = COUNT(cells),
                                       .ngoals = 1,
                                       .cells = cells,
                                       .goals = goals});
}

void model_small(model *m, const char *path, trace_clock clock)
{
    model_create(m, path, clock);
    model_source(m, "model.fl",
                 "main :- S = [1,\"\xc3\xa9\"|T], p(S, X, {T, f(X, 2.5, 2^70)}).\n"
                 "\n"
                 "p([H|T], X, V) :- X = H, b(T, V), b(X, 7).\n");
    uint32_t module = model_module(m, "model"), builtin = model_module(m, "");
    uint32_t main_0 = model_predicate(m, module, "main", 0, false);
    uint32_t p = model_predicate(m, module, "p", 3, false);
    uint32_t b = model_predicate(m, builtin, "b", 2, true);
    uint32_t clause_main = small_main(m, main_0, p), clause_p = small_p(m, p, b);
    uint32_t clause_b =
        model_clause(m, &(trace_clause){.predicate = b, .source = TRACE_NONE, .dynamic = true});
    trace_binding s = {0, 0, cell(3)}, x = {2, 0, integer(1)};
    model_reduce(m, &(trace_reduction){.clause = clause_main, .nbindings = 1, .bindings = &s});
    uint32_t reads[] = {0};
    trace_value holes[] = {integer(1), cell(4), cell(2), cell(5)};
    model_reduce(m, &(trace_reduction){.goal = 0,
                                       .clause = clause_p,
                                       .time = 1,
                                       .place = 1,
                                       .start = 40,
                                       .end = 300,
                                       .nreads = 1,
                                       .reads = reads,
                                       .nbindings = 1,
                                       .bindings = &x,
                                       .holes = holes});
    small_builtin(m, clause_b, b);
    uint32_t variables[] = {7, 1};
    model_wait(m, 3, variables, 2);
    model_wait(m, 2, variables, 1);
    model_raced(m, clock == TRACE_REAL ? 2 : 0);
    model_finish(m, TRACE_FAILED, 1, 2, "model.fl:3:36: b/2 failed");
}

// ---------------------------------------------------------------------------------------------
// At random

enum { MOST_BINDINGS = 12, MOST_PASSED_ON = 64 };

typedef struct {
    uint32_t items[4096]; // the newest, others are forgotten
    uint32_t n;
} pool;

typedef struct {
    model *m;
    uint64_t state, place_state;
    pool open, unbound, bound, vectors;
    uint32_t constants[8]; // strings of atoms
    uint32_t bigs[3];
    uint32_t npredicates;
    int64_t time, ended[8];
    // Lists of the reduction being made
    trace_value values[4096];
    uint32_t nvalues;
    uint32_t passed[MOST_PASSED_ON], passed_ends[MOST_BINDINGS];
    // Of the clause being made
    trace_guard guards[4];
    trace_node patterns[12];
    uint32_t head[8], unused[3], pattern_children[64];
} maker;

static uint64_t next(maker *k)
{
    k->state += 0x9E3779B97F4A7C15u;
    uint64_t z = k->state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static uint32_t below(maker *k, uint32_t n)
{
    return (uint32_t)(next(k) % n);
}

static void pool_add(pool *p, uint32_t item)
{
    if (p->n == COUNT(p->items)) {
        memmove(p->items, p->items + p->n / 2, p->n / 2 * sizeof *p->items);
        p->n /= 2;
    }
    p->items[p->n++] = item;
}

static uint32_t pool_take(pool *p, uint32_t place)
{
    uint32_t item = p->items[place];
    memmove(p->items + place, p->items + place + 1, (p->n - place - 1) * sizeof *p->items);
    p->n--;
    return item;
}

static trace_value constant(maker *k)
{
    uint32_t string = k->constants[below(k, COUNT(k->constants))];
    switch (below(k, 8)) {
    case 0:
        return integer((int64_t)next(k));
    case 1:
        return integer((int64_t)(next(k) >> below(k, 64)));
    case 2:
        return (trace_value){.kind = TV_FLOAT, .d = (double)(int64_t)next(k) / 1e6};
    case 3:
        return (trace_value){.kind = TV_STRING, .id = string};
    case 4:
        return (trace_value){.kind = TV_BIG, .id = k->bigs[below(k, COUNT(k->bigs))]};
    case 5:
        return (trace_value){.kind = TV_ATOM, .id = string};
    default:
        return integer((int64_t)below(k, 1000) - 500);
    }
}

// A value in a world of so many cells; mostly new ones.
static trace_value value(maker *k, uint32_t ncells)
{
    if (ncells == 0 || below(k, 2))
        return constant(k);
    uint32_t back = below(k, 10) ? below(k, 30) : below(k, ncells);
    return cell(back < ncells ? ncells - 1 - back : 0);
}

static uint32_t random_children(maker *k, trace_clause *c, uint32_t n)
{
    uint32_t first = c->npattern_children;
    for (uint32_t i = 0; i < n; i++)
        k->pattern_children[c->npattern_children++] = below(k, c->npatterns);
    return first;
}

// Head and guards; sometimes none.
static void random_shape(maker *k, uint32_t predicate, trace_clause *c)
{
    uint32_t arity = k->m->predicates.items[predicate].arity;
    if (below(k, 4) == 0)
        return;
    c->nhead = arity;
    c->nguards = below(k, COUNT(k->guards));
    c->nunused = 1 + below(k, COUNT(k->unused));
    for (uint32_t i = 0; i < c->nunused; i++)
        k->unused[i] = below(k, 5) ? k->constants[5] : TRACE_NONE;
    for (uint32_t i = 0; i < COUNT(k->patterns); i++) {
        trace_node n = {.kind = (trace_node_kind)(i < 3 ? 2 : below(k, 6)), .value = constant(k)};
        n.index = n.kind == TN_FRESH ? below(k, c->nunused) : 0;
        if (n.kind == TN_HOLE)
            n = c->nholes ? (trace_node){.kind = TN_HOLE, .index = below(k, c->nholes)}
                          : (trace_node){.kind = TN_CONST, .value = integer(5)};
        if (n.kind == TN_STRUCT)
            n.value = (trace_value){.kind = TV_ATOM, .id = k->constants[0]};
        if (n.kind >= TN_CONS) {
            n.n = n.kind == TN_CONS ? 2 : below(k, 4);
            n.first = random_children(k, c, n.n);
        }
        k->patterns[c->npatterns++] = n;
    }
    for (uint32_t i = 0; i < c->nhead; i++)
        k->head[i] = below(k, c->npatterns);
    for (uint32_t i = 0; i < c->nguards; i++) {
        uint32_t n = below(k, 3);
        k->guards[i] = (trace_guard){.name = k->constants[1], .line = i, .column = 7, .n = n};
        k->guards[i].first = random_children(k, c, n);
    }
}

// Nodes: every variable, every hole, some constants, then structures of any of those before.
static void random_clause(maker *k, uint32_t predicate)
{
    uint32_t names[16], children[64], nchildren = 0, nfresh = below(k, 4), nholes = below(k, 5);
    uint32_t nstructs = below(k, 4), nnodes = 0, nitems = 1 + below(k, 5), looks[] = {0, 2};
    trace_node nodes[24];
    trace_item items[8];
    for (uint32_t i = 0; i < nfresh + nholes; i++)
        names[i] = below(k, 5) ? k->constants[below(k, COUNT(k->constants))] : TRACE_NONE;
    for (uint32_t i = 0; i < nfresh; i++)
        nodes[nnodes++] = (trace_node){.kind = TN_FRESH, .index = i};
    for (uint32_t i = 0; i < nholes; i++)
        nodes[nnodes++] = (trace_node){.kind = TN_HOLE, .index = i};
    for (uint32_t i = 0; i < 3; i++)
        nodes[nnodes++] = (trace_node){.kind = TN_CONST, .value = constant(k)};
    for (uint32_t i = 0; i < nstructs; i++) {
        trace_node n = {.kind = (trace_node_kind)(TN_CONS + below(k, 3)), .index = nfresh + i};
        n.value = (trace_value){.kind = TV_ATOM, .id = k->constants[0]};
        n.first = nchildren;
        n.n = n.kind == TN_CONS ? 2 : 1 + below(k, 4);
        for (uint32_t c = 0; c < n.n; c++)
            children[nchildren++] = below(k, nnodes);
        nodes[nnodes++] = n;
    }
    for (uint32_t i = 0; i < nitems; i++) {
        trace_item item = {.kind = (trace_item_kind)(below(k, 3) > 0), .line = i, .column = 3};
        item.predicate = item.kind == TI_GOAL ? below(k, k->npredicates) : 0;
        item.first = nchildren;
        item.n = item.kind == TI_GOAL ? k->m->predicates.items[item.predicate].arity : 2;
        for (uint32_t c = 0; c < item.n; c++)
            children[nchildren++] = below(k, nnodes);
        items[i] = item;
    }
    bool looking = k->m->predicates.items[predicate].arity > 2;
    trace_clause shape = {.nholes = nholes};
    random_shape(k, predicate, &shape);
    model_clause(k->m, &(trace_clause){.predicate = predicate,
                                       .nhead = shape.nhead,
                                       .nguards = shape.nguards,
                                       .nunused = shape.nunused,
                                       .npatterns = shape.npatterns,
                                       .npattern_children = shape.npattern_children,
                                       .head = k->head,
                                       .guards = k->guards,
                                       .unused = k->unused,
                                       .patterns = k->patterns,
                                       .pattern_children = k->pattern_children,
                                       .number = 1,
                                       .line = below(k, 1000),
                                       .nlooks = looking ? 2 : 0,
                                       .looks = looks,
                                       .nfresh = nfresh,
                                       .nstructs = nstructs,
                                       .nholes = nholes,
                                       .names = names,
                                       .nnodes = nnodes,
                                       .nchildren = nchildren,
                                       .nitems = nitems,
                                       .nodes = nodes,
                                       .children = children,
                                       .items = items});
}

// Three clauses for each of the first predicates; two built-ins, each with its dynamic clause.
#define RANDOM_STATIC 6u

static void random_tables(maker *k)
{
    static const char *const texts[] = {"", "a", "[]", "foo bar", "\n", "X", "f", "\xe2\x82\xac"};
    static const char *const bigs[] = {"99999999999999999999", "-18446744073709551616", "0"};
    model *m = k->m;
    for (uint32_t i = 0; i < COUNT(texts); i++)
        k->constants[i] = model_text(m, texts[i]);
    for (uint32_t i = 0; i < COUNT(bigs); i++)
        k->bigs[i] = model_text(m, bigs[i]);
    model_add_string(m, "with\0zero", 9);
    model_source(m, "a.fl", "a.\n");
    model_module(m, "a");
    model_module(m, "builtin");
    for (uint32_t i = 0; i < RANDOM_STATIC; i++)
        model_predicate(m, 0, "p", i % 5, false);
    model_predicate(m, 1, ":=", 2, true);
    model_predicate(m, 1, "merge", 3, true);
    k->npredicates = m->predicates.n;
    for (uint32_t i = 0; i < 3 * RANDOM_STATIC; i++)
        random_clause(k, i / 3);
    for (uint32_t i = RANDOM_STATIC; i < k->npredicates; i++)
        model_clause(m, &(trace_clause){.predicate = i, .source = TRACE_NONE, .dynamic = true});
}

static const trace_value *values(maker *k, uint32_t n, uint32_t ncells)
{
    trace_value *list = k->values + k->nvalues;
    for (uint32_t i = 0; i < n; i++)
        list[i] = value(k, ncells);
    k->nvalues += n;
    return list;
}

static uint32_t length_of_vector(const model *m, uint32_t id, const trace_cell *own, uint32_t first)
{
    if (id >= first)
        return own[id - first].n;
    const model_cell *c = &m->cells.items[id];
    return m->reductions.items[c->maker].r.cells[c->place].n;
}

// Vectors made by templates are not updated here: the pool has those of dynamic reductions only.
static void random_cell(maker *k, trace_cell *cells, uint32_t i, uint32_t n)
{
    uint32_t first = k->m->cells.n, total = first + n;
    trace_cell *c = &cells[i];
    *c = (trace_cell){.kind = (trace_cell_kind)below(k, 5), .name = TRACE_NONE};
    if (c->kind == TC_VECTOR_UPDATE && k->vectors.n > 0) {
        uint32_t old = k->vectors.items[k->vectors.n - 1 - below(k, k->vectors.n) / 2];
        trace_value *args = k->values + k->nvalues;
        c->n = length_of_vector(k->m, old, cells, first);
        args[0] = cell(old);
        args[1] = integer(below(k, c->n));
        args[2] = value(k, total);
        c->nargs = 3;
        c->args = args;
        k->nvalues += 3;
    } else if (c->kind != TC_VARIABLE) {
        c->kind = c->kind == TC_VECTOR_UPDATE ? TC_VECTOR : c->kind;
        c->n = c->nargs = c->kind == TC_CONS ? 2 : 1 + below(k, 5);
        if (c->kind == TC_VECTOR && below(k, 3) == 0) {
            c->nargs = 1;
            c->n = 1 + below(k, 20);
        }
        if (c->kind == TC_STRUCT)
            c->name = k->constants[1];
        c->args = values(k, c->nargs, total);
    } else if (below(k, 2)) {
        c->name = k->constants[5];
    }
    if (c->kind == TC_VECTOR || c->kind == TC_VECTOR_UPDATE)
        pool_add(&k->vectors, first + i);
}

static void random_made(maker *k, trace_reduction *r, trace_cell *cells, trace_goal *goals)
{
    r->ncells = below(k, 200) ? below(k, 4) : 150;
    r->ngoals = below(k, 3);
    r->cells = cells;
    r->goals = goals;
    for (uint32_t i = 0; i < r->ncells; i++)
        random_cell(k, cells, i, r->ncells);
    for (uint32_t i = 0; i < r->ngoals; i++) {
        goals[i] = (trace_goal){.predicate = below(k, k->npredicates)};
        goals[i].nargs = k->m->predicates.items[goals[i].predicate].arity;
        goals[i].args = values(k, goals[i].nargs, k->m->cells.n + r->ncells);
    }
}

// The variable at the end of what `v` is bound to, or TRACE_NONE. Bindings of the reduction being
// made are in `own`.
static uint32_t end_of(const model *m, trace_value v, const trace_binding *own, uint32_t n)
{
    uint32_t variable = TRACE_NONE;
    while (v.kind == TV_CELL) {
        variable = v.id;
        v.kind = TV_INT;
        for (uint32_t i = 0; i < n; i++)
            if (own[i].variable == variable)
                v = own[i].value;
        if (variable < m->cells.n && m->cells.items[variable].binding != TRACE_NONE)
            v = m->bindings.items[m->cells.items[variable].binding].b.value;
    }
    return variable;
}

static uint32_t random_bindings(maker *k, const trace_clause *c, uint32_t ncells,
                                trace_binding *ret)
{
    uint32_t n = 0;
    for (uint32_t i = below(k, 3); i > 0 && k->unbound.n > 0; i--) {
        trace_value v = value(k, ncells);
        uint32_t place = k->unbound.n - 1 - below(k, k->unbound.n < 20 ? k->unbound.n : 20);
        if (end_of(k->m, v, ret, n) == k->unbound.items[place])
            continue;
        uint32_t variable = pool_take(&k->unbound, place);
        ret[n++] = (trace_binding){variable, c->nitems ? below(k, c->nitems) : 0, v};
    }
    return n;
}

// `X = Y` of a new X and a Y that is bound: passes the bindings on the way on, all or the first of them.
static void random_alias(maker *k, const trace_clause *c, trace_reduction *r, uint32_t item)
{
    const model *m = k->m;
    uint32_t side = below(k, 2), first = c->items[item].first;
    const trace_node *to = &c->nodes[c->children[first + side]];
    const trace_node *from = &c->nodes[c->children[first + 1 - side]];
    if (to->kind != TN_FRESH || from->kind != TN_HOLE || r->nbindings == MOST_BINDINGS)
        return;
    uint32_t variable = m->cells.n + to->index, length = 1 + below(k, 6), place = 0;
    trace_value v = r->holes[from->index];
    trace_binding *bindings = (trace_binding *)(uintptr_t)r->bindings;
    for (; place < k->unbound.n && k->unbound.items[place] != variable;)
        place++;
    for (uint32_t i = 0; i < length && v.kind == TV_CELL && v.id < m->cells.n; i++) {
        uint32_t binding = m->cells.items[v.id].binding;
        if (binding == TRACE_NONE || r->npassed == MOST_PASSED_ON)
            break;
        k->passed[r->npassed++] = v.id;
        v = m->bindings.items[binding].b.value;
    }
    if (place == k->unbound.n || end_of(m, v, bindings, r->nbindings) == variable) {
        r->npassed = r->nbindings > 0 ? k->passed_ends[r->nbindings - 1] : 0;
        return;
    }
    pool_take(&k->unbound, place);
    k->passed_ends[r->nbindings] = r->npassed;
    bindings[r->nbindings++] = (trace_binding){variable, item, v};
}

// What the bindings so far pass on is anything; then bindings that pass on what they follow.
static void random_passed(maker *k, const trace_clause *c, trace_reduction *r)
{
    r->passed = k->passed;
    r->passed_ends = k->passed_ends;
    for (uint32_t i = 0; i < r->nbindings; i++) {
        for (uint32_t n = below(k, 8) ? 0 : below(k, 4); n > 0 && k->bound.n > 0; n--)
            k->passed[r->npassed++] = k->bound.items[below(k, k->bound.n)];
        k->passed_ends[i] = r->npassed;
    }
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_UNIFY)
            random_alias(k, c, r, i);
}

static void add_variables(maker *k, const trace_clause *c, const trace_reduction *r)
{
    for (uint32_t i = 0; i < c->nfresh; i++)
        pool_add(&k->unbound, k->m->cells.n + i);
    for (uint32_t i = 0; i < r->ncells; i++)
        if (r->cells[i].kind == TC_VARIABLE)
            pool_add(&k->unbound, k->m->cells.n + i);
}

static uint32_t random_bound(maker *k, uint32_t *ret)
{
    uint32_t n = k->bound.n == 0 ? 0 : below(k, 1000) ? below(k, 3) : 500;
    for (uint32_t i = 0; i < n; i++)
        ret[i] = k->bound.items[k->bound.n - 1 - below(k, k->bound.n < 50 ? k->bound.n : 50)];
    return n;
}

// Mostly one after the other at each of some places; seldom anywhere and at any time.
static void random_place(maker *k, trace_reduction *r)
{
    uint64_t state = k->state; // so that runs of either clock are alike
    k->state = k->place_state;
    r->place = below(k, 500) ? below(k, 6) : below(k, TRACE_PLACES);
    r->start = below(k, 50) ? k->ended[r->place % 8] : (int64_t)(next(k) >> (1 + below(k, 63)));
    r->end = r->start + below(k, 400);
    if (r->end < r->start || below(k, 5000) == 0)
        r->end = INT64_MAX;
    k->ended[r->place % 8] = r->end < 1ll << 40 ? r->end + below(k, 20) : 0;
    k->place_state = k->state;
    k->state = state;
}

static void random_reduction(maker *k, uint32_t goal)
{
    static trace_cell cells[160];
    static trace_goal goals[4];
    static uint32_t reads[512], followed[512];
    model *m = k->m;
    trace_binding bindings[MOST_BINDINGS];
    uint32_t predicate = m->reductions.n ? m->goals.items[goal].predicate : 4;
    trace_reduction r = {.goal = goal};
    r.clause = predicate < RANDOM_STATIC ? 3 * predicate + below(k, 3)
                                         : 3 * RANDOM_STATIC + predicate - RANDOM_STATIC;
    const trace_clause *c = &m->clauses.items[r.clause];
    k->nvalues = 0;
    k->time += m->reductions.n == 0 ? 0 : below(k, 5000) ? below(k, 2) : 1ll << 40;
    r.time = k->time;
    random_place(k, &r);
    r.reads = reads;
    r.nreads = random_bound(k, reads);
    r.holes = values(k, c->nholes, m->cells.n);
    if (c->dynamic)
        random_made(k, &r, cells, goals);
    add_variables(k, c, &r);
    uint32_t ncells = m->cells.n + (c->dynamic ? r.ncells : c->nfresh + c->nstructs);
    r.bindings = bindings;
    r.nbindings = random_bindings(k, c, ncells, bindings);
    random_passed(k, c, &r);
    for (uint32_t i = 0; i < r.nbindings; i++)
        pool_add(&k->bound, bindings[i].variable);
    r.followed = followed;
    r.nfollowed = random_bound(k, followed);
    uint32_t first_goal = m->goals.n;
    model_reduce(m, &r);
    for (uint32_t i = first_goal; i < m->goals.n; i++)
        pool_add(&k->open, i);
}

static void random_waits(maker *k)
{
    while (k->open.n > 0) {
        uint32_t goal = pool_take(&k->open, below(k, k->open.n)), variables[3];
        uint32_t n = k->unbound.n < 3 ? k->unbound.n : below(k, 4);
        for (uint32_t i = 0; i < n; i++)
            variables[i] = k->unbound.items[below(k, k->unbound.n)];
        if (below(k, 2))
            model_wait(k->m, goal, variables, n);
    }
}

void model_random(model *m, const char *path, uint64_t seed, uint32_t n)
{
    maker *k = calloc(1, sizeof *k);
    if (!k)
        abort();
    k->m = m;
    k->state = seed;
    model_create(m, path, seed % 2 ? TRACE_REAL : TRACE_VIRTUAL);
    random_tables(k);
    random_reduction(k, 0);
    while (m->reductions.n < n && k->open.n > 0) {
        uint32_t near = k->open.n < 8 ? k->open.n : 8;
        random_reduction(k, pool_take(&k->open, k->open.n - 1 - below(k, near)));
    }
    random_waits(k);
    if (seed % 2)
        model_raced(m, (uint32_t)(seed % 7));
    model_finish(m, TRACE_STOPPED, 0, TRACE_NONE, "");
    free(k);
}
