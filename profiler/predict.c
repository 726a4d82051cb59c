// SPDX-License-Identifier: MIT
#include "profiler/predict.h"

#include <stdlib.h>

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

// ---------------------------------------------------------------------------------------------
// Blocks

void block_begin(block *b, uint32_t first_cell, uint32_t first_goal)
{
    b->first_cell = first_cell;
    b->first_goal = first_goal;
    b->steps.n = b->makers.n = b->parents.n = b->values.n = b->longs.n = 0;
    b->dynamics.n = b->cells.n = b->goals.n = 0;
}

void block_finish(block *b)
{
    free(b->steps.items);
    free(b->makers.items);
    free(b->parents.items);
    free(b->values.items);
    free(b->longs.items);
    free(b->dynamics.items);
    free(b->cells.items);
    free(b->goals.items);
}

static bool add_values(block *b, const trace_value *values, uint32_t n)
{
    if (!LIST_RESERVE(&b->values, n) || !LIST_RESERVE(&b->longs, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        b->values.items[b->values.n + i] = pack_value(&values[i], 0, b->longs.items, b->longs.n);
        b->longs.n += value_is_long(&values[i]);
    }
    b->values.n += n;
    return true;
}

static bool add_made(block *b, const trace_reduction *r)
{
    if (!LIST_RESERVE(&b->dynamics, 1) || !LIST_RESERVE(&b->cells, r->ncells) ||
        !LIST_RESERVE(&b->goals, r->ngoals))
        return false;
    b->dynamics.items[b->dynamics.n++] =
        (block_dynamic){.cell = (uint32_t)b->cells.n, .goal = (uint32_t)b->goals.n};
    for (uint32_t i = 0; i < r->ncells; i++) {
        const trace_cell *c = &r->cells[i];
        b->cells.items[b->cells.n++] = (block_cell){.kind = c->kind,
                                                    .name = c->name,
                                                    .n = c->n,
                                                    .nargs = c->nargs,
                                                    .value = (uint32_t)b->values.n};
        if (!add_values(b, c->args, c->nargs))
            return false;
    }
    for (uint32_t i = 0; i < r->ngoals; i++) {
        const trace_goal *g = &r->goals[i];
        b->goals.items[b->goals.n++] =
            (block_goal){.nargs = g->nargs, .value = (uint32_t)b->values.n};
        if (!add_values(b, g->args, g->nargs))
            return false;
    }
    return true;
}

bool block_add(block *b, const clause_entry *c, const trace_reduction *r, uint32_t ncells,
               uint32_t ngoals)
{
    if (!LIST_RESERVE(&b->steps, 1) || !LIST_RESERVE(&b->makers, ncells) ||
        !LIST_RESERVE(&b->parents, ngoals))
        return false;
    uint16_t number = (uint16_t)b->steps.n;
    block_step *step = &b->steps.items[b->steps.n++];
    *step = (block_step){.clause = r->clause,
                         .first_cell = b->first_cell + (uint32_t)b->makers.n,
                         .first_goal = b->first_goal + (uint32_t)b->parents.n};
    for (uint32_t i = 0; i < ncells; i++)
        b->makers.items[b->makers.n + i] = number;
    b->makers.n += ncells;
    for (uint32_t i = 0; i < ngoals; i++)
        b->parents.items[b->parents.n + i] = number;
    b->parents.n += ngoals;
    step->start = (uint32_t)(c->clause.dynamic ? b->dynamics.n : b->values.n);
    return c->clause.dynamic ? add_made(b, r) : add_values(b, r->holes, c->clause.nholes);
}

static trace_value value_at(const block *b, uint32_t place)
{
    return unpack_value(b->values.items[place], b->longs.items);
}

static trace_value node_value(const block *b, const block_step *s, const clause_entry *c,
                              uint32_t node)
{
    const trace_node *n = &c->clause.nodes[node];
    if (n->kind == TN_CONST)
        return n->value;
    if (n->kind == TN_HOLE)
        return value_at(b, s->start + n->index);
    return (trace_value){.kind = TV_CELL, .id = s->first_cell + n->index};
}

// ---------------------------------------------------------------------------------------------
// Predictions

static bool argument(const predictor *p, uint32_t k, trace_value *ret)
{
    const block *b = p->b;
    if (p->goal < b->first_goal || p->goal - b->first_goal >= b->parents.n)
        return false;
    const block_step *s = &b->steps.items[b->parents.items[p->goal - b->first_goal]];
    const clause_entry *c = &p->clauses[s->clause];
    uint32_t place = p->goal - s->first_goal;
    if (c->clause.dynamic) {
        const block_goal *g = &b->goals.items[b->dynamics.items[s->start].goal + place];
        if (k >= g->nargs)
            return false;
        *ret = value_at(b, g->value + k);
        return true;
    }
    const trace_item *item = &c->clause.items[c->goal_items[place]];
    if (k >= item->n)
        return false;
    *ret = node_value(b, s, c, c->clause.children[item->first + k]);
    return true;
}

static bool element(const predictor *p, uint32_t cell, uint32_t k, trace_value *ret)
{
    const block *b = p->b;
    if (cell < b->first_cell || cell - b->first_cell >= b->makers.n)
        return false;
    const block_step *s = &b->steps.items[b->makers.items[cell - b->first_cell]];
    const clause_entry *c = &p->clauses[s->clause];
    uint32_t place = cell - s->first_cell;
    if (c->clause.dynamic) {
        const block_cell *made = &b->cells.items[b->dynamics.items[s->start].cell + place];
        if (k >= made->nargs || made->kind == TC_VECTOR_UPDATE)
            return false;
        *ret = value_at(b, made->value + k);
        return true;
    }
    if (place < c->clause.nfresh)
        return false;
    const trace_node *node = struct_node(c, place);
    if (k >= node->n)
        return false;
    *ret = node_value(b, s, c, c->clause.children[node->first + k]);
    return true;
}

static bool bound_value(const bindings_view *v, uint32_t variable, trace_value *ret)
{
    if (variable < v->first || variable - v->first >= v->n)
        return false;
    uint32_t place = v->cells[variable - v->first];
    if (place >= v->nvalues)
        return false;
    *ret = unpack_value(v->values[place], v->longs);
    return true;
}

bool predict(const predictor *p, uint32_t address, uint32_t nreads, trace_value *ret)
{
    if (!(address & 1))
        return argument(p, address >> 1, ret);
    uint32_t read = address >> 4, place = address >> 1 & 7;
    if (read >= nreads || !bound_value(&p->bound, p->r->reads[read], ret))
        return false;
    return place == 0 || (ret->kind == TV_CELL && element(p, ret->id, place - 1, ret));
}

bool same_value(const trace_value *a, const trace_value *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == TV_INT)
        return a->i == b->i;
    return a->kind == TV_FLOAT ? memcmp(&a->d, &b->d, sizeof a->d) == 0 : a->id == b->id;
}

static bool right(const predictor *p, uint32_t address, uint32_t nreads, const trace_value *v)
{
    trace_value found;
    return predict(p, address, nreads, &found) && same_value(&found, v);
}

static uint32_t search(const predictor *p, uint32_t nreads, const trace_value *v)
{
    for (uint32_t k = 0; k < 8; k++)
        if (right(p, 2 * k, nreads, v))
            return 2 * k;
    for (uint32_t i = 0; i < nreads && i < 4; i++)
        for (uint32_t e = 0; e < 4; e++)
            if (right(p, (8 * i + e) * 2 + 1, nreads, v))
                return (8 * i + e) * 2 + 1;
    return TRACE_NONE;
}

// Where nothing was right several times a search is made only now and then.
uint32_t predict_find(const predictor *p, guess *g, uint32_t nreads, const trace_value *v)
{
    if (g->address != TRACE_NONE && right(p, g->address, nreads, v)) {
        g->misses = 0;
        return g->address;
    }
    if (g->misses++ >= 4 && g->misses % 16 != 0)
        return TRACE_NONE;
    uint32_t address = search(p, nreads, v);
    if (address != TRACE_NONE) {
        g->address = address;
        g->misses = 0;
    }
    return address;
}

bool predict_sides(const predictor *p, uint32_t item, trace_value *ret_left, trace_value *ret_right)
{
    const trace_clause *c = &p->clause->clause;
    if (item >= c->nitems || c->items[item].kind != TI_UNIFY)
        return false;
    const block_step *s = &p->b->steps.items[p->b->steps.n - 1];
    const uint32_t *sides = &c->children[c->items[item].first];
    *ret_left = node_value(p->b, s, p->clause, sides[0]);
    *ret_right = node_value(p->b, s, p->clause, sides[1]);
    return true;
}
