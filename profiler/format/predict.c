// SPDX-License-Identifier: MIT
//
// What the reductions of a block made, and the search for the address of a value among it.
#include "profiler/format/predict.h"

#include <stdlib.h>

// ---------------------------------------------------------------------------------------------
// Blocks

void trace_block_begin(block *b, uint32_t first_cell, uint32_t first_goal)
{
    b->first_cell = first_cell;
    b->first_goal = first_goal;
    b->element_ends.n = b->bound.n = b->argument_ends.n = 0;
    b->elements.n = b->arguments.n = b->longs.n = 0;
}

void trace_block_finish(block *b)
{
    free(b->element_ends.at);
    free(b->bound.at);
    free(b->argument_ends.at);
    free(b->elements.at);
    free(b->arguments.at);
    free(b->longs.at);
    free(b->passed_ends.at);
    free(b->passed.at);
}

static inline bool reserve_cells(block *b, size_t ncells, size_t nelements)
{
    return ARRAY_RESERVE(b->element_ends, ncells) && ARRAY_RESERVE(b->bound, ncells) &&
           ARRAY_RESERVE(b->elements, nelements);
}

static inline bool reserve_goals(block *b, size_t ngoals, size_t narguments)
{
    return ARRAY_RESERVE(b->argument_ends, ngoals) && ARRAY_RESERVE(b->arguments, narguments);
}

static inline void add_cell(block *b)
{
    b->element_ends.at[b->element_ends.n++] = (uint32_t)b->elements.n;
    b->bound.at[b->bound.n++] = NOTHING;
}

// The cells of a clause, whose elements follow. There is room.
static inline void add_cells(block *b, const clause_entry *c)
{
    uint32_t nfresh = c->clause.nfresh, nstructs = c->clause.nstructs, before = (uint32_t)b->elements.n;
    uint32_t *ends = b->element_ends.at + b->element_ends.n;
    uint64_t *bound = b->bound.at + b->bound.n;
    for (uint32_t i = 0; i < nfresh; i++)
        ends[i] = before;
    for (uint32_t i = 0; i < nstructs; i++)
        ends[nfresh + i] = before + c->element_ends[i];
    for (uint32_t i = 0; i < nfresh + nstructs; i++)
        bound[i] = NOTHING;
    b->element_ends.n += nfresh + nstructs;
    b->bound.n += nfresh + nstructs;
}

static inline void put_instances(uint64_t *to, const uint64_t *made, uint32_t n, const uint64_t *holes,
                                 uint64_t base)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = instance_of(made[i], holes, base);
}

static bool add_template(block *b, const clause_entry *c, const uint64_t *holes)
{
    uint64_t base = ((uint64_t)b->first_cell + b->bound.n) << 3;
    if (!reserve_cells(b, ncells_of(c), c->nelements) ||
        !reserve_goals(b, c->ngoals, c->narguments))
        return false;
    add_cells(b, c);
    put_instances(b->elements.at + b->elements.n, c->elements, c->nelements, holes, base);
    b->elements.n += c->nelements;
    put_instances(b->arguments.at + b->arguments.n, c->arguments, c->narguments, holes, base);
    uint32_t *ends = b->argument_ends.at + b->argument_ends.n, before = (uint32_t)b->arguments.n;
    for (uint32_t i = 0, n = c->ngoals; i < n; i++)
        ends[i] = before + c->argument_ends[i];
    b->argument_ends.n += c->ngoals;
    b->arguments.n += c->narguments;
    return true;
}

static bool add_made(block *b, const step_record *r)
{
    for (uint32_t i = 0; i < r->ncells; i++) {
        const step_cell *c = &r->cells[i];
        uint32_t n = c->kind == TC_VECTOR_UPDATE ? 0 : c->nargs;
        if (!reserve_cells(b, 1, n))
            return false;
        for (uint32_t j = 0; j < n; j++)
            b->elements.at[b->elements.n++] = c->args[j];
        add_cell(b);
    }
    for (uint32_t i = 0; i < r->ngoals; i++) {
        const step_goal *g = &r->goals[i];
        if (!reserve_goals(b, 1, g->nargs))
            return false;
        for (uint32_t j = 0; j < g->nargs; j++)
            b->arguments.at[b->arguments.n++] = g->args[j];
        b->argument_ends.at[b->argument_ends.n++] = (uint32_t)b->arguments.n;
    }
    return true;
}

bool trace_block_add(block *b, const clause_entry *c, const step_record *r)
{
    return c->clause.dynamic ? add_made(b, r) : add_template(b, c, r->holes);
}

void trace_block_bind(block *b, const step_record *r)
{
    for (uint32_t i = 0; i < r->nbindings; i++) {
        uint64_t cell = (uint64_t)r->bindings[i].variable - b->first_cell;
        if (cell < b->bound.n)
            b->bound.at[cell] = r->bindings[i].value;
    }
}

// ---------------------------------------------------------------------------------------------
// Predictions

void trace_predictor_begin(predictor *p, block *b, const clause_entry *c, const step_record *r,
                           uint32_t goal, uint32_t first_cell)
{
    uint64_t place = (uint64_t)goal - b->first_goal;
    *p = (predictor){.b = b, .clause = c, .r = r, .first_cell = first_cell};
    if (place >= b->argument_ends.n)
        return;
    p->first_argument = place > 0 ? b->argument_ends.at[place - 1] : 0;
    p->narguments = (uint32_t)(b->argument_ends.at[place] - p->first_argument);
}

uint32_t trace_block_chain(const block *b, uint64_t v, uint32_t *ret_variables,
                           uint64_t *ret_value)
{
    uint32_t n = 0;
    for (uint64_t next; n < MOST_PASSED && (next = block_bound(b, v)) != NOTHING; v = next)
        ret_variables[n++] = (uint32_t)(v >> 3);
    *ret_value = v;
    return n;
}

static inline uint64_t argument(const predictor *p, uint32_t k)
{
    return k < p->narguments ? p->b->arguments.at[p->first_argument + k] : NOTHING;
}

static inline uint64_t read_value(const predictor *p, uint32_t i, uint32_t nreads)
{
    return i < nreads ? block_bound(p->b, packed_cell(p->r->reads[i])) : NOTHING;
}

// The elements of what v stands for. A few variables are looked through: rings are only found
// later.
static inline uint32_t elements_of(const block *b, uint64_t v, const uint64_t **ret)
{
    for (int i = 0; i < 4; i++) {
        uint64_t next = block_bound(b, v);
        if (next == NOTHING)
            break;
        v = next;
    }
    uint64_t cell = (v >> 3) - b->first_cell;
    if (packed_kind(v) != TV_CELL || cell >= b->element_ends.n)
        return 0;
    uint32_t first = cell > 0 ? b->element_ends.at[cell - 1] : 0;
    *ret = b->elements.at + first;
    return b->element_ends.at[cell] - first;
}

static inline uint64_t element(const block *b, uint64_t v, uint32_t e) // from 0
{
    const uint64_t *elements;
    return e < elements_of(b, v, &elements) ? elements[e] : NOTHING;
}

uint64_t trace_predict_further(const predictor *p, uint32_t address, uint32_t nreads)
{
    uint32_t x = address >> 2, root = x >> 6;
    uint64_t v;
    switch (address & 3) {
    case 0:
        return argument(p, x);
    case 1:
        v = read_value(p, x >> 3, nreads);
        return (x & 7) == 0 ? v : element(p->b, v, (x & 7) - 1);
    case 2:
        return element(p->b, argument(p, x >> 3), x & 7);
    default:
        v = root & 1 ? read_value(p, root >> 1, nreads) : argument(p, root >> 1);
        return element(p->b, element(p->b, v, x >> 3 & 7), x & 7);
    }
}

// ---------------------------------------------------------------------------------------------
// Looking for an address

#define SEARCHED_ARGUMENTS 12u
#define SEARCHED_READS     4u

// Among the elements of v: at + (e << 2). TRACE_NONE if it is none of the first n.
static uint32_t search_elements(const block *b, uint64_t v, uint32_t at, uint32_t n, uint64_t wanted)
{
    const uint64_t *elements;
    uint32_t nelements = elements_of(b, v, &elements);
    for (uint32_t e = 0; e < nelements && e < n; e++)
        if (same_value(b, elements[e], wanted))
            return at + (e << 2);
    return TRACE_NONE;
}

static uint32_t search_deeper(const block *b, uint64_t v, uint32_t root, uint64_t wanted)
{
    const uint64_t *elements;
    uint32_t nelements = elements_of(b, v, &elements), found = TRACE_NONE;
    for (uint32_t e = 0; e < nelements && e < 8 && found == TRACE_NONE; e++)
        found = search_elements(b, elements[e], (root << 6 | e << 3) << 2 | 3, 8, wanted);
    return found;
}

static uint32_t search(const predictor *p, uint32_t nreads, uint64_t wanted)
{
    const block *b = p->b;
    uint32_t narguments = p->narguments < SEARCHED_ARGUMENTS ? p->narguments : SEARCHED_ARGUMENTS;
    uint32_t found = TRACE_NONE;
    nreads = nreads < SEARCHED_READS ? nreads : SEARCHED_READS;
    for (uint32_t k = 0; k < narguments; k++)
        if (same_value(b, argument(p, k), wanted))
            return k << 2;
    for (uint32_t i = 0; i < nreads && found == TRACE_NONE; i++) {
        uint64_t v = read_value(p, i, nreads);
        found = same_value(b, v, wanted) ? (8 * i) << 2 | 1
                                         : search_elements(b, v, (8 * i + 1) << 2 | 1, 7, wanted);
    }
    for (uint32_t k = 0; k < narguments && found == TRACE_NONE; k++)
        found = search_elements(b, argument(p, k), (8 * k) << 2 | 2, 8, wanted);
    for (uint32_t i = 0; i < nreads && found == TRACE_NONE; i++)
        found = search_deeper(b, read_value(p, i, nreads), 2 * i + 1, wanted);
    for (uint32_t k = 0; k < narguments && found == TRACE_NONE; k++)
        found = search_deeper(b, argument(p, k), 2 * k, wanted);
    return found;
}

// Where nothing was right several times a search is made only now and then.
static bool worth_searching(uint32_t misses)
{
    return misses < 4 || (misses < 64 ? misses % 16 == 0 : misses % 64 == 0);
}

uint32_t trace_predict_find(const predictor *p, guess *g, uint32_t nreads, uint64_t v)
{
    if (same_value(p->b, trace_predict_further(p, g->address[0], nreads), v)) {
        g->misses = 0;
        return g->address[0];
    }
    uint32_t address = g->address[1];
    if (!same_value(p->b, trace_predict_further(p, address, nreads), v))
        address = worth_searching(g->misses++) ? search(p, nreads, v) : TRACE_NONE;
    if (address != TRACE_NONE) {
        g->address[1] = g->address[0];
        g->address[0] = address;
        g->misses = 0;
    }
    return address;
}
