// SPDX-License-Identifier: MIT
//
// The model of a trace: compares it with the answers of a reader.
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define PUSH(list, item)                                                                           \
    do {                                                                                           \
        if ((list)->n == (list)->capacity) {                                                       \
            (list)->capacity = (list)->capacity ? 2 * (list)->capacity : 16;                       \
            (list)->items = realloc((list)->items, (list)->capacity * sizeof *(list)->items);      \
            if (!(list)->items)                                                                    \
                abort();                                                                           \
        }                                                                                          \
        (list)->items[(list)->n++] = (item);                                                       \
    } while (0)

static void *keep(model *m, const void *data, size_t size)
{
    void *copy = malloc(size + 1);
    if (!copy)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    ((char *)copy)[size] = '\0';
    PUSH(&m->memory, copy);
    return copy;
}

#define KEEP(m, list, n) ((list) = keep(m, list, (n) * sizeof *(list)))

// ---------------------------------------------------------------------------------------------
// Writing

void model_create(model *m, const char *path, trace_clock clock)
{
    char *error = NULL;
    *m = (model){0};
    m->clock = clock;
    trace_run run = {.clock = clock, .places = 3};
    m->w = tw_create(path, &run, "some/where/model.fl", &error);
    if (!CHECK_SAY(m->w != NULL, "%s", error ? error : "no error"))
        exit(1);
}

void model_raced(model *m, uint32_t n)
{
    tw_raced(m->w, n);
    m->raced += n;
}

uint32_t model_add_string(model *m, const char *text, size_t length)
{
    uint32_t index = tw_string(m->w, text, length);
    if (index == m->strings.n)
        PUSH(&m->strings, ((model_string){keep(m, text, length), length}));
    return index;
}

uint32_t model_text(model *m, const char *text)
{
    return model_add_string(m, text, strlen(text));
}

uint32_t model_source(model *m, const char *name, const char *text)
{
    trace_source s;
    s.name = model_text(m, name);
    s.text = model_text(m, text);
    PUSH(&m->sources, s);
    return tw_source(m->w, name, text, strlen(text));
}

uint32_t model_module(model *m, const char *name)
{
    model_text(m, name);
    PUSH(&m->modules, keep(m, name, strlen(name)));
    return tw_module(m->w, name);
}

uint32_t model_predicate(model *m, uint32_t module, const char *name, uint32_t arity, bool builtin)
{
    trace_predicate p = {.module = module, .arity = arity, .origin = builtin ? TRACE_BUILTIN : TRACE_PROGRAM};
    p.name = model_text(m, name);
    PUSH(&m->predicates, p);
    return tw_predicate(m->w, module, name, arity, builtin ? TRACE_BUILTIN : TRACE_PROGRAM);
}

uint32_t model_clause(model *m, const trace_clause *clause)
{
    trace_clause c = *clause;
    KEEP(m, c.looks, c.nlooks);
    KEEP(m, c.names, c.nfresh + c.nholes);
    KEEP(m, c.nodes, c.nnodes);
    KEEP(m, c.children, c.nchildren);
    KEEP(m, c.items, c.nitems);
    KEEP(m, c.head, c.nhead);
    KEEP(m, c.guards, c.nguards);
    KEEP(m, c.unused, c.nunused);
    KEEP(m, c.patterns, c.npatterns);
    KEEP(m, c.pattern_children, c.npattern_children);
    PUSH(&m->clauses, c);
    return tw_clause(m->w, clause);
}

static void add_made(model *m, const trace_clause *c, const trace_reduction *r)
{
    uint32_t maker = m->reductions.n - 1;
    uint32_t ncells = c->dynamic ? r->ncells : c->nfresh + c->nstructs;
    for (uint32_t i = 0; i < ncells; i++)
        PUSH(&m->cells, ((model_cell){maker, i, TRACE_NONE}));
    for (uint32_t i = 0; c->dynamic && i < r->ngoals; i++)
        PUSH(&m->goals, ((model_goal){maker, TRACE_NONE, TRACE_NONE, r->goals[i].predicate}));
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].kind == TI_GOAL)
            PUSH(&m->goals, ((model_goal){maker, i, TRACE_NONE, c->items[i].predicate}));
}

void model_reduce(model *m, const trace_reduction *r)
{
    tw_reduction(m->w, r);
    const trace_clause *c = &m->clauses.items[r->clause];
    model_reduction mr = {m->cells.n, m->goals.n, m->bindings.n, *r};
    trace_reduction *copy = &mr.r;
    copy->goal = m->reductions.n > 0 ? r->goal : TRACE_NONE;
    KEEP(m, copy->reads, r->nreads);
    KEEP(m, copy->followed, r->nfollowed);
    KEEP(m, copy->bindings, r->nbindings);
    KEEP(m, copy->passed, r->npassed);
    KEEP(m, copy->passed_ends, r->npassed > 0 ? r->nbindings : 0);
    KEEP(m, copy->holes, c->nholes);
    KEEP(m, copy->cells, r->ncells);
    KEEP(m, copy->goals, r->ngoals);
    for (uint32_t i = 0; i < r->ncells; i++) {
        trace_cell *cell = (trace_cell *)&copy->cells[i];
        KEEP(m, cell->args, cell->nargs);
    }
    for (uint32_t i = 0; i < r->ngoals; i++) {
        trace_goal *goal = (trace_goal *)&copy->goals[i];
        KEEP(m, goal->args, goal->nargs);
    }
    if (m->reductions.n > 0)
        m->goals.items[r->goal].reduction = m->reductions.n;
    PUSH(&m->reductions, mr);
    add_made(m, c, r);
    for (uint32_t i = 0; i < r->nbindings; i++) {
        m->cells.items[r->bindings[i].variable].binding = m->bindings.n;
        PUSH(&m->bindings, ((model_binding){m->reductions.n - 1, r->bindings[i]}));
    }
}

void model_wait(model *m, uint32_t goal, const uint32_t *variables, uint32_t n)
{
    tw_waiting(m->w, goal, variables, n);
    model_waiting w = {goal, n, keep(m, variables, n * sizeof *variables)};
    PUSH(&m->waiting, w);
}

bool model_finish(model *m, trace_ending ending, int status, uint32_t failed_goal,
                  const char *message)
{
    char *error = NULL;
    m->ending = ending;
    m->status = status;
    m->failed_goal = failed_goal;
    m->message = keep(m, message, strlen(message));
    bool good = tw_finish(m->w, ending, status, failed_goal, message, &error);
    CHECK_SAY(good, "%s", error ? error : "");
    free(error);
    m->w = NULL;
    return good;
}

void model_destroy(model *m)
{
    for (uint32_t i = 0; i < m->memory.n; i++)
        free(m->memory.items[i]);
    void *lists[] = {m->strings.items,  m->sources.items,    m->modules.items, m->predicates.items,
                     m->clauses.items,  m->reductions.items, m->goals.items,   m->cells.items,
                     m->bindings.items, m->waiting.items,    m->memory.items};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    *m = (model){0};
}

// ---------------------------------------------------------------------------------------------
// Comparing. SAME counts no success: there are millions.

#define SAME(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return CHECK(condition);                                                               \
    } while (0)

static bool same_value(trace_value a, trace_value b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == TV_FLOAT)
        return memcmp(&a.d, &b.d, sizeof a.d) == 0;
    return a.kind == TV_INT ? a.i == b.i : a.id == b.id;
}

static bool same_list(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

// Counts that may be smaller in a part of a trace.
static bool same_count(uint32_t have, uint32_t want, bool whole)
{
    return whole ? have == want : have <= want;
}

static bool same_tables(const model *m, const trace *t, bool whole)
{
    SAME(same_count(trace_nsources(t), m->sources.n, whole));
    SAME(same_count(trace_nmodules(t), m->modules.n, whole));
    SAME(same_count(trace_npredicates(t), m->predicates.n, whole));
    SAME(same_count(trace_nclauses(t), m->clauses.n, whole));
    for (uint32_t i = 0; i < trace_nsources(t); i++) {
        SAME(trace_get_source(t, i)->name == m->sources.items[i].name);
        SAME(trace_get_source(t, i)->text == m->sources.items[i].text);
    }
    for (uint32_t i = 0; i < trace_nmodules(t); i++)
        SAME(strcmp(trace_module_name(t, i), m->modules.items[i]) == 0);
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *a = trace_get_predicate(t, i), *b = &m->predicates.items[i];
        SAME(a->module == b->module && a->name == b->name && a->arity == b->arity);
        SAME(a->origin == b->origin);
    }
    for (uint32_t i = 0; whole && i < m->strings.n; i++) {
        size_t length;
        const char *text = trace_string(t, i, &length);
        SAME(length == m->strings.items[i].length);
        SAME(memcmp(text, m->strings.items[i].text, length + 1) == 0);
    }
    return true;
}

static bool same_node(const trace_node *a, const trace_node *b)
{
    SAME(a->kind == b->kind);
    SAME(a->kind == TN_CONST || a->index == b->index);
    SAME((a->kind != TN_CONST && a->kind != TN_STRUCT) || same_value(a->value, b->value));
    SAME(a->kind < TN_CONS || (a->first == b->first && a->n == b->n));
    return true;
}

static bool same_shape(const trace_clause *a, const trace_clause *b)
{
    SAME(a->nhead == b->nhead && a->nguards == b->nguards && a->nunused == b->nunused);
    SAME(a->npatterns == b->npatterns && a->npattern_children == b->npattern_children);
    SAME(same_list(a->head, b->head, a->nhead));
    SAME(same_list(a->unused, b->unused, a->nunused));
    SAME(same_list(a->pattern_children, b->pattern_children, a->npattern_children));
    for (uint32_t i = 0; i < a->npatterns; i++)
        if (!same_node(&a->patterns[i], &b->patterns[i]))
            return false;
    for (uint32_t i = 0; i < a->nguards; i++) {
        const trace_guard *x = &a->guards[i], *y = &b->guards[i];
        SAME(x->name == y->name && x->line == y->line && x->column == y->column);
        SAME(x->first == y->first && x->n == y->n);
    }
    return true;
}

static bool same_clause(const trace_clause *a, const trace_clause *b)
{
    SAME(a->predicate == b->predicate && a->number == b->number && a->source == b->source);
    SAME(a->line == b->line && a->column == b->column && a->end_line == b->end_line);
    SAME(a->dynamic == b->dynamic && a->nlooks == b->nlooks && a->nfresh == b->nfresh);
    SAME(a->nstructs == b->nstructs && a->nholes == b->nholes && a->nnodes == b->nnodes);
    SAME(a->nchildren == b->nchildren && a->nitems == b->nitems);
    SAME(same_list(a->looks, b->looks, a->nlooks));
    SAME(same_list(a->names, b->names, a->nfresh + a->nholes));
    SAME(same_list(a->children, b->children, a->nchildren));
    for (uint32_t i = 0; i < a->nnodes; i++)
        if (!same_node(&a->nodes[i], &b->nodes[i]))
            return false;
    for (uint32_t i = 0; i < a->nitems; i++) {
        const trace_item *x = &a->items[i], *y = &b->items[i];
        SAME(x->kind == y->kind && x->predicate == y->predicate && x->line == y->line);
        SAME(x->column == y->column && x->first == y->first && x->n == y->n);
    }
    return same_shape(a, b);
}

static trace_value node_value(const model *m, uint32_t reduction, uint32_t node)
{
    const model_reduction *r = &m->reductions.items[reduction];
    const trace_node *n = &m->clauses.items[r->r.clause].nodes[node];
    if (n->kind == TN_CONST)
        return n->value;
    if (n->kind == TN_HOLE)
        return r->r.holes[n->index];
    return (trace_value){.kind = TV_CELL, .id = r->first_cell + n->index};
}

static bool same_reduction(const model *m, const trace *t, uint32_t i)
{
    const model_reduction *mr = &m->reductions.items[i];
    const trace_reduction *r = &mr->r;
    const uint32_t *list;
    bool real = m->clock != TRACE_VIRTUAL;
    SAME(trace_time(t, i) == r->time);
    SAME(trace_place(t, i) == (real ? r->place : TRACE_NONE));
    SAME(trace_start(t, i) == (real ? r->start : 0) && trace_end(t, i) == (real ? r->end : 0));
    SAME(trace_reduction_goal(t, i) == r->goal);
    SAME(trace_reduction_clause(t, i) == r->clause);
    SAME(trace_first_cell(t, i) == mr->first_cell);
    SAME(trace_first_goal(t, i) == mr->first_goal);
    SAME(trace_first_binding(t, i) == mr->first_binding);
    SAME(trace_reads(t, i, &list) == r->nreads && same_list(list, r->reads, r->nreads));
    SAME(trace_followed(t, i, &list) == r->nfollowed);
    SAME(same_list(list, r->followed, r->nfollowed));
    const trace_clause *c = &m->clauses.items[r->clause];
    for (uint32_t h = 0; h < c->nholes; h++)
        SAME(same_value(trace_hole(t, i, h), r->holes[h]));
    for (uint32_t n = 0; n < c->nnodes; n++)
        SAME(same_value(trace_node_value(t, i, n), node_value(m, i, n)));
    return true;
}

static bool same_goal(const model *m, const trace *t, uint32_t i)
{
    const model_goal *g = &m->goals.items[i];
    const model_reduction *parent = &m->reductions.items[g->parent];
    uint32_t reduction = g->reduction < trace_nreductions(t) ? g->reduction : TRACE_NONE;
    SAME(trace_goal_parent(t, i) == g->parent);
    SAME(trace_goal_item(t, i) == g->item);
    SAME(trace_goal_predicate(t, i) == g->predicate);
    SAME(trace_goal_reduction(t, i) == reduction);
    uint32_t arity = m->predicates.items[g->predicate].arity;
    trace_value all[arity + 1u];
    trace_goal_args(t, i, all);
    for (uint32_t a = 0; a < arity; a++) {
        trace_value want;
        if (g->item == TRACE_NONE) {
            want = parent->r.goals[i - parent->first_goal].args[a];
        } else {
            const trace_clause *c = &m->clauses.items[parent->r.clause];
            want = node_value(m, g->parent, c->children[c->items[g->item].first + a]);
        }
        SAME(same_value(trace_goal_arg(t, i, a), want));
        SAME(same_value(all[a], want));
    }
    return true;
}

// trace_cell_pair() tells the same as the questions that were asked before.
static bool same_pair(const trace *t, uint32_t i)
{
    uint32_t name;
    trace_value arg;
    bool pair = trace_cell_get_kind(t, i) == TC_STRUCT && trace_cell_arity(t, i) == 1;
    SAME(trace_cell_pair(t, i, &name, &arg) == pair);
    SAME(!pair || (name == trace_cell_name(t, i) && same_value(arg, trace_cell_arg(t, i, 0))));
    return true;
}

static bool same_template_cell(const model *m, const trace *t, uint32_t i, const trace_clause *c)
{
    const model_cell *cell = &m->cells.items[i];
    if (cell->place < c->nfresh) {
        SAME(trace_cell_get_kind(t, i) == TC_VARIABLE);
        SAME(trace_cell_name(t, i) == c->names[cell->place]);
        return true;
    }
    const trace_node *n = c->nodes;
    while (n->kind < TN_CONS || n->index != cell->place)
        n++;
    static const trace_cell_kind kinds[] = {
        [TN_CONS] = TC_CONS, [TN_STRUCT] = TC_STRUCT, [TN_VECTOR] = TC_VECTOR};
    SAME(trace_cell_get_kind(t, i) == kinds[n->kind]);
    SAME(trace_cell_name(t, i) == (n->kind == TN_STRUCT ? n->value.id : TRACE_NONE));
    SAME(trace_cell_arity(t, i) == n->n);
    for (uint32_t a = 0; a < n->n; a++)
        SAME(same_value(trace_cell_arg(t, i, a),
                        node_value(m, cell->maker, c->children[n->first + a])));
    return same_pair(t, i);
}

// An element of a vector by the model's own rule: the newest version that names it, else the
// base, where one value may stand for all.
static trace_value element(const model *m, uint32_t cell, uint32_t argument)
{
    for (;;) {
        const model_cell *mc = &m->cells.items[cell];
        const model_reduction *maker = &m->reductions.items[mc->maker];
        const trace_clause *c = &m->clauses.items[maker->r.clause];
        if (!c->dynamic) {
            const trace_node *n = c->nodes;
            while (n->kind < TN_CONS || n->index != mc->place)
                n++;
            return node_value(m, mc->maker, c->children[n->first + argument]);
        }
        const trace_cell *made = &maker->r.cells[mc->place];
        if (made->kind != TC_VECTOR_UPDATE)
            return made->args[made->nargs == 1 ? 0 : argument];
        if (made->args[1].i == argument)
            return made->args[2];
        cell = made->args[0].id;
    }
}

static bool same_cell(const model *m, const trace *t, uint32_t i)
{
    const model_cell *cell = &m->cells.items[i];
    const trace_reduction *r = &m->reductions.items[cell->maker].r;
    const trace_clause *c = &m->clauses.items[r->clause];
    uint32_t binding = cell->binding < trace_nbindings(t) ? cell->binding : TRACE_NONE;
    SAME(trace_cell_maker(t, i) == cell->maker);
    SAME(trace_cell_binding(t, i) == binding);
    if (!c->dynamic)
        return same_template_cell(m, t, i, c);
    const trace_cell *made = &r->cells[cell->place];
    trace_cell_kind kind = made->kind == TC_VECTOR_UPDATE ? TC_VECTOR : made->kind;
    SAME(trace_cell_get_kind(t, i) == kind);
    SAME(trace_cell_name(t, i) == made->name);
    SAME(trace_cell_arity(t, i) == made->n);
    for (uint32_t a = 0; a < made->n; a++)
        SAME(same_value(trace_cell_arg(t, i, a),
                        kind == TC_VECTOR ? element(m, i, a) : made->args[a]));
    return same_pair(t, i);
}

static bool same_binding(const model *m, const trace *t, uint32_t i)
{
    const model_binding *b = &m->bindings.items[i];
    SAME(trace_binding_variable(t, i) == b->b.variable);
    SAME(trace_binding_maker(t, i) == b->maker);
    SAME(trace_binding_item(t, i) == b->b.item);
    SAME(same_value(trace_binding_value(t, i), b->b.value));
    const model_reduction *maker = &m->reductions.items[b->maker];
    const uint32_t *ends = maker->r.passed_ends, *list;
    uint32_t place = i - maker->first_binding, first = 0, n = 0;
    if (maker->r.npassed > 0) {
        first = place > 0 ? ends[place - 1] : 0;
        n = ends[place] - first;
    }
    SAME(trace_passed(t, i, &list) == n && same_list(list, maker->r.passed + first, n));
    return true;
}

static bool same_waiting(const model *m, const trace *t)
{
    uint32_t n = 0;
    const uint32_t *list;
    for (uint32_t i = 0; i < m->waiting.n; i++) {
        const model_waiting *w = &m->waiting.items[i];
        SAME(trace_waits(t, w->goal, &list) == w->n && same_list(list, w->variables, w->n));
        n += w->n;
    }
    for (uint32_t i = 0; i < trace_ngoals(t); i++)
        n -= trace_waits(t, i, &list);
    SAME(n == 0);
    return true;
}

// Of the reductions that were read.
static bool same_places(const model *m, const trace *t)
{
    uint32_t nplaces = 3; // see model_create
    int64_t elapsed = 0;
    for (uint32_t i = 0; i < trace_nreductions(t); i++) {
        const trace_reduction *r = &m->reductions.items[i].r;
        nplaces = r->place >= nplaces ? r->place + 1 : nplaces;
        elapsed = r->end > elapsed ? r->end : elapsed;
    }
    bool real = m->clock != TRACE_VIRTUAL;
    SAME(trace_get_clock(t) == m->clock);
    SAME(trace_nplaces(t) == (real ? nplaces : 0));
    SAME(trace_elapsed(t) == (real ? elapsed : 0));
    return true;
}

static bool same_end(const model *m, const trace *t)
{
    SAME(trace_raced(t) == m->raced);
    SAME(trace_get_ending(t) == m->ending);
    SAME(trace_exit_status(t) == m->status);
    SAME(trace_failed_goal(t) == m->failed_goal);
    SAME(strcmp(trace_message(t), m->message) == 0);
    return same_waiting(m, t);
}

static bool same_all(const model *m, const trace *t, bool whole)
{
    SAME(strcmp(trace_program(t), "model.fl") == 0);
    SAME(trace_nreductions(t) > 0);
    SAME(same_count(trace_nreductions(t), m->reductions.n, whole));
    SAME(same_count(trace_ngoals(t), m->goals.n, whole));
    SAME(same_count(trace_ncells(t), m->cells.n, whole));
    SAME(same_count(trace_nbindings(t), m->bindings.n, whole));
    uint32_t n = trace_nreductions(t);
    SAME(trace_first_goal(t, n) == trace_ngoals(t));
    SAME(trace_first_cell(t, n) == trace_ncells(t));
    SAME(trace_first_binding(t, n) == trace_nbindings(t));
    bool same = same_tables(m, t, whole) && same_places(m, t) && (!whole || same_end(m, t));
    for (uint32_t i = 0; same && i < trace_nclauses(t); i++)
        same = same_clause(trace_get_clause(t, i), &m->clauses.items[i]);
    for (uint32_t i = 0; same && i < trace_nreductions(t); i++)
        same = same_reduction(m, t, i);
    for (uint32_t i = 0; same && i < trace_ngoals(t); i++)
        same = same_goal(m, t, i);
    for (uint32_t i = 0; same && i < trace_nbindings(t); i++)
        same = same_binding(m, t, i);
    for (uint32_t i = 0; same && i < trace_ncells(t); i++)
        same = same_cell(m, t, i);
    return same;
}

bool model_matches(const model *m, const trace *t, bool whole)
{
    bool same = same_all(m, t, whole);
    CHECK(same);
    return same;
}
