// SPDX-License-Identifier: MIT
//
// Prediction: most of what a reduction reads, holds and binds is an argument of its goal, or is
// found through what it read, or is a side of a `=` of its clause. Such a value is coded as an
// *address*, which for one place of one clause is nearly always the same number. Only what the
// same block of reductions made is used, so that every block can be decoded for itself; writer and
// reader keep it in the same structure.
//
// Addresses: 2k is argument k of the goal; (8i + e) * 2 + 1 is the value that read variable i was
// bound to if e is 0, else element e-1 of the structure that this value is.
#ifndef PROFILER_PREDICT_H
#define PROFILER_PREDICT_H

#include "profiler/list.h"

// ---------------------------------------------------------------------------------------------
// Clauses

// The place where a value is coded: the address that was right there, and how often none was.
typedef struct {
    uint32_t address;
    uint32_t misses;
} guess;

// The guesses of a clause: by place in the reads, the last of them for all others; then one for
// variables that are followed or bound; then one for each hole.
#define READ_GUESSES   7u
#define VARIABLE_GUESS READ_GUESSES
#define HOLE_GUESSES   (READ_GUESSES + 1)

typedef struct {
    trace_clause clause;
    uint32_t ngoals;
    const uint32_t *goal_items; // body items of its goals
    const uint32_t *structs;    // nodes of its structures and vectors, in order of their cells
    guess *guesses;             // of the writer, see HOLE_GUESSES
} clause_entry;

// Checks the template of a clause (everything but the tables it refers to) and fills what the
// entry adds; goal_items and structs, with room for nitems and nstructs, are the caller's. NULL, or
// what is wrong.
const char *clause_prepare(clause_entry *c, uint32_t *goal_items, uint32_t *structs);

static inline uint32_t ncells_of(const clause_entry *c)
{
    return c->clause.nfresh + c->clause.nstructs;
}

// The node of cell number `cell` of a static clause, which must be a structure or vector.
static inline const trace_node *struct_node(const clause_entry *c, uint32_t cell)
{
    return &c->clause.nodes[c->structs[cell - c->clause.nfresh]];
}

// ---------------------------------------------------------------------------------------------
// Blocks

// A reduction of the block. Its values, from `start` in `values`, are the holes of a static
// clause; of a dynamic one `start` is a place in `dynamics`.
typedef struct {
    uint32_t clause, first_cell, first_goal, start;
} block_step;

typedef struct {
    uint32_t cell, goal; // its first in `cells` and `goals`
} block_dynamic;

typedef struct {
    uint32_t kind, name, n, nargs, value;
} block_cell;

typedef struct {
    uint32_t nargs, value;
} block_goal;

typedef struct {
    uint32_t first_cell, first_goal; // totals before the block
    LIST_OF(block_step) steps;
    LIST_OF(uint16_t) makers;  // step by cell - first_cell
    LIST_OF(uint16_t) parents; // step by goal - first_goal
    LIST_OF(uint64_t) values;  // packed
    LIST_OF(uint64_t) longs;
    LIST_OF(block_dynamic) dynamics;
    LIST_OF(block_cell) cells;
    LIST_OF(block_goal) goals;
} block;

void block_begin(block *b, uint32_t first_cell, uint32_t first_goal);
void block_finish(block *b);
// Appends a reduction that makes so many cells and goals; false without memory.
bool block_add(block *b, const clause_entry *c, const trace_reduction *r, uint32_t ncells,
               uint32_t ngoals);

// ---------------------------------------------------------------------------------------------
// Predictions

// Bindings by variable: cells[variable - first] is the place in `values`, or no place (at least
// nvalues) if the variable is not bound.
typedef struct {
    const uint32_t *cells;
    uint32_t first, n;
    const uint64_t *values, *longs;
    size_t nvalues;
} bindings_view;

// What is known when a reduction is coded.
typedef struct predictor {
    const block *b;
    const clause_entry *clauses;
    const clause_entry *clause;
    uint32_t goal; // or TRACE_NONE
    const trace_reduction *r;
    bindings_view bound;
} predictor;

// The value at an address, using the first nreads of the reads; false if there is none.
bool predict(const predictor *p, uint32_t address, uint32_t nreads, trace_value *ret);

// An address of the value, or TRACE_NONE.
uint32_t predict_find(const predictor *p, guess *g, uint32_t nreads, const trace_value *v);

// The sides of a unification of the reduction, which must be the newest of the block; false if the
// item is none.
bool predict_sides(const predictor *p, uint32_t item, trace_value *ret_left,
                   trace_value *ret_right);

bool same_value(const trace_value *a, const trace_value *b);

#endif
