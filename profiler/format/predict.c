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
    b->spare = 0;
    b->cells.n = b->goals.n = b->values.n = b->longs.n = 0;
}

void trace_block_finish(block *b)
{
    free(b->cells.at);
    free(b->goals.at);
    free(b->values.at);
    free(b->longs.at);
    free(b->passed_ends.at);
    free(b->passed.at);
}

static bool reserve(block *b, size_t ncells, size_t ngoals, size_t nvalues)
{
    b->spare = 0;
    return ARRAY_RESERVE(b->cells, ncells) && ARRAY_RESERVE(b->goals, ngoals) &&
           ARRAY_RESERVE(b->values, nvalues);
}

enum { AT_ONCE = 256 }; // reductions of small clauses

static bool reserve_small(block *b, size_t ncells, size_t ngoals, size_t nvalues)
{
    return reserve(b, ncells + AT_ONCE * SMALL_CLAUSE, ngoals + AT_ONCE * SMALL_CLAUSE,
                   nvalues + AT_ONCE * 4 * SMALL_CLAUSE);
}

bool trace_block_reserve(block *b, const clause_entry *c)
{
    if (!c->is_small)
        return reserve(b, ncells_of(c), c->ngoals, c->nvalues);
    if (!reserve_small(b, 0, 0, 0))
        return false;
    b->spare = AT_ONCE - 1;
    return true;
}

bool trace_block_reserve_all(block *b, size_t ncells, size_t ngoals, size_t nvalues)
{
    return reserve_small(b, ncells, ngoals, nvalues);
}

static value_list add_values(block *b, const uint64_t *values, uint32_t n)
{
    value_list list = value_list_of(b->values.n, n);
    for (uint32_t i = 0; i < n; i++)
        b->values.at[b->values.n++] = values[i];
    return list;
}

bool trace_block_add_made(block *b, const step_record *r)
{
    for (uint32_t i = 0; i < r->ncells; i++) {
        const step_cell *c = &r->cells[i];
        uint32_t n = c->kind == TC_VECTOR_UPDATE ? 0 : c->nargs;
        if (!reserve(b, 1, 0, n))
            return false;
        b->cells.at[b->cells.n++] = (known_cell){NOTHING, add_values(b, c->args, n)};
    }
    for (uint32_t i = 0; i < r->ngoals; i++) {
        const step_goal *g = &r->goals[i];
        if (!reserve(b, 0, 1, g->nargs))
            return false;
        b->goals.at[b->goals.n++] = add_values(b, g->args, g->nargs);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Predictions

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
    return k < p->narguments ? p->b->values.at[p->first_argument + k] : NOTHING;
}

static inline uint64_t read_value(const predictor *p, uint32_t i, uint32_t nreads)
{
    return i < nreads ? block_bound(p->b, packed_cell(p->r->reads[i])) : NOTHING;
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

static inline bool is_at(const predictor *p, uint32_t address, uint32_t nreads, uint64_t v)
{
    return address != TRACE_NONE && same_value(p->b, trace_predict_further(p, address, nreads), v);
}

uint32_t trace_predict_find(const predictor *p, guess *g, uint32_t nreads, uint64_t v)
{
    if (packed_is_long(v) && is_at(p, g->address[0], nreads, v)) { // other values would have been found
        g->misses = 0;
        return g->address[0];
    }
    uint32_t address = g->address[1];
    if (!is_at(p, address, nreads, v))
        address = worth_searching(g->misses++) ? search(p, nreads, v) : TRACE_NONE;
    if (address != TRACE_NONE) {
        g->address[1] = g->address[0];
        g->address[0] = address;
        g->misses = 0;
    }
    return address;
}
