// SPDX-License-Identifier: MIT
//
// Prediction. Most values that a reduction reads, holds or binds are arguments of its goal, or
// elements of such an argument or of a variable that it read, or a side of a `=` of its clause.
// Such a value is coded as an *address*, and the same position in the same clause nearly always has
// the same address. Predictions use only what reductions of the same block made, so each block can
// be decoded alone. Writer and reader keep this state in the same structure.
//
// The lowest two bits of an address say what it names. Elements count from 1; a bound variable on
// the way to an element is replaced by what it is bound to.
//   0   argument k of the goal             k << 2
//   1   what read variable i is bound to   (8i + e) << 2, or element e of that if e is not 0
//   2   an element of an argument          (8k + e - 1) << 2
//   3   an element of an element           ((2k + of a read variable) << 6 | (e1 - 1) << 3 |
//                                          (e2 - 1)) << 2, of an argument or read variable
#ifndef PROFILER_PREDICT_H
#define PROFILER_PREDICT_H

#include "base/array.h"
#include "profiler/format/packed.h"
#include "profiler/trace_writer.h"

// ---------------------------------------------------------------------------------------------
// Reductions as they are coded: values packed, long ones in the list of the block

typedef tw_binding step_binding;

typedef struct {
    uint32_t kind, name, n, nargs;
    const uint64_t *args;
} step_cell;

typedef struct {
    uint32_t predicate, nargs;
    const uint64_t *args;
} step_goal;

// See trace_reduction.
typedef struct {
    uint32_t goal, clause;
    int64_t time;
    uint32_t place;
    int64_t start, end;
    uint32_t nreads, nfollowed, nbindings, npassed, ncells, ngoals;
    const uint32_t *reads, *followed;
    const step_binding *bindings;
    const uint32_t *passed_ends, *passed; // while it is decoded they are in its block
    const uint64_t *holes;
    const step_cell *cells;
    const step_goal *goals;
} step_record;

// ---------------------------------------------------------------------------------------------
// Clauses

// What stands in a template, as a packed value: a constant; a cell, counted from the first of its
// reduction; or a hole, which is a TV_NODE. Long constants are NOTHING.
static inline uint64_t instance_of(uint64_t made, const uint64_t *holes, uint64_t base)
{
    if (packed_kind(made) == TV_CELL)
        return made + base;
    return packed_kind(made) == TV_NODE ? holes[made >> 3] : made;
}

// The place where a value is coded: the addresses that were right there, the newest first, and how
// often none was since.
typedef struct {
    uint32_t address[2];
    uint32_t misses;
} guess;

// The guesses of a clause: by place in the reads, the last of them for all others; one for
// variables that are followed or bound, one for what they are bound to; then one for each hole.
#define READ_GUESSES   7u
#define VARIABLE_GUESS READ_GUESSES
#define VALUE_GUESS    (READ_GUESSES + 1)
#define HOLE_GUESSES   (READ_GUESSES + 2)

// One of the values that a reduction makes: where it lies among them and what the template says.
typedef struct {
    uint64_t place, made;
} placed_value;

// Where values lie that belong together: the first, and 2^32 times how many there are.
typedef uint64_t value_list;

static inline value_list value_list_of(uint64_t first, uint64_t n)
{
    return first | n << 32;
}

#define SMALL_CLAUSE 16u

typedef struct {
    trace_clause clause;
    uint32_t ngoals;
    const uint32_t *goal_items; // body items of its goals
    const uint32_t *structs;    // nodes of its structures and vectors, in order of their cells
    // What a reduction of it makes: elements of its structures and arguments of its goals, one after the
    // other, and by cell and goal which of these are its own; the two sides of each body item that is a `=`.
    uint32_t nvalues, nconstants, ncells, nholes;
    const placed_value *values; // constants, cells, holes
    uint32_t nheld;             // of these holes, which come first, stand in structures
    const uint64_t *sides;
    const value_list *cell_lists, *goal_lists;
    bool is_small; // a reduction makes at most SMALL_CLAUSE cells, goals, and four times as many values
    guess *guesses; // of the writer, see HOLE_GUESSES
} clause_entry;

typedef struct arena arena;

// Checks the template of a clause (everything but the tables it refers to) and fills what the
// entry adds, in memory of the arena. NULL, or what is wrong.
const char *trace_clause_prepare(clause_entry *c, arena *memory);

// The same of what is told of its head and guards: NULL, or what is wrong.
const char *trace_shape_check(const trace_clause *c);

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

typedef struct {
    uint64_t bound; // what it is bound to, or NOTHING
    value_list elements;
} known_cell;

// What the reductions of the block made, as far as it can be addressed.
typedef struct {
    uint32_t first_cell, first_goal; // totals before the block
    uint32_t spare; // for so many more reductions of small clauses there is room, if nothing else is added
    ARRAY_OF(known_cell) cells; // by cell - first_cell
    ARRAY_OF(value_list) goals; // by goal - first_goal: its arguments
    ARRAY_OF(uint64_t) values;
    ARRAY_OF(uint64_t) longs; // of all values of the block
    // Of the reduction that is being decoded: what its bindings passed on.
    ARRAY_OF(uint32_t) passed_ends, passed;
} block;

void trace_block_begin(block *b, uint32_t first_cell, uint32_t first_goal);
void trace_block_finish(block *b);
// Appends what a reduction makes; false without memory.
bool trace_block_add_made(block *b, const step_record *r); // of a dynamic clause
bool trace_block_reserve(block *b, const clause_entry *c);  // for a reduction of a static one
// For a whole block that has so many: then nothing fails that adds to it.
bool trace_block_reserve_all(block *b, size_t ncells, size_t ngoals, size_t nvalues);

static inline bool block_add_template(block *b, const clause_entry *c, const uint64_t *holes)
{
    uint32_t ncells = ncells_of(c), ngoals = c->ngoals;
    if (__builtin_expect(c->is_small && b->spare > 0, 1))
        b->spare--;
    else if (!trace_block_reserve(b, c))
        return false;
    uint64_t base = ((uint64_t)b->first_cell + b->cells.n) << 3, first = b->values.n;
    uint64_t *values = b->values.at + first;
    known_cell *cells = b->cells.at + b->cells.n;
    value_list *goals = b->goals.at + b->goals.n;
    const placed_value *v = c->values, *end = v + c->nconstants;
    for (; v < end; v++)
        values[v->place] = v->made;
    for (end += c->ncells; v < end; v++)
        values[v->place] = v->made + base;
    for (end += c->nholes; v < end; v++)
        values[v->place] = holes[v->made];
    for (uint32_t i = 0; i < ncells; i++)
        cells[i] = (known_cell){NOTHING, c->cell_lists[i] + first};
    for (uint32_t i = 0; i < ngoals; i++)
        goals[i] = c->goal_lists[i] + first;
    b->cells.n += ncells;
    b->goals.n += ngoals;
    b->values.n += c->nvalues;
    return true;
}

static inline bool block_add(block *b, const clause_entry *c, const step_record *r)
{
    return c->clause.dynamic ? trace_block_add_made(b, r) : block_add_template(b, c, r->holes);
}

// Keeps its bindings, once they are coded.
static inline void block_bind(block *b, const step_record *r)
{
    for (uint32_t i = 0, n = r->nbindings; i < n; i++) {
        uint64_t cell = (uint64_t)r->bindings[i].variable - b->first_cell;
        if (cell < b->cells.n)
            b->cells.at[cell].bound = r->bindings[i].value;
    }
}

// ---------------------------------------------------------------------------------------------
// Predictions

// What is known when a reduction is coded.
typedef struct predictor {
    block *b;
    const clause_entry *clause;
    const step_record *r;
    size_t first_argument; // of the goal, in the block; it has none if it is not of the block
    uint32_t narguments;
    uint32_t first_cell; // of the reduction
} predictor;

static inline void predictor_begin(predictor *p, block *b, const clause_entry *c, const step_record *r,
                                   uint32_t goal, uint32_t first_cell)
{
    uint64_t place = (uint64_t)goal - b->first_goal;
    p->b = b;
    p->clause = c;
    p->r = r;
    p->first_cell = first_cell;
    p->first_argument = p->narguments = 0;
    if (place >= b->goals.n)
        return;
    p->first_argument = (uint32_t)b->goals.at[place];
    p->narguments = (uint32_t)(b->goals.at[place] >> 32);
}

// What variable `v` is bound to, or NOTHING.
static inline uint64_t block_bound(const block *b, uint64_t v)
{
    uint64_t cell = (v >> 3) - b->first_cell;
    return packed_kind(v) == TV_CELL && cell < b->cells.n ? b->cells.at[cell].bound : NOTHING;
}

// The variables from `v` on that are bound, up to MOST_PASSED of them, and *ret_value, what the last
// of them is bound to (v if there are none).
#define MOST_PASSED 4u
uint32_t trace_block_chain(const block *b, uint64_t v, uint32_t *ret_variables,
                           uint64_t *ret_value);

// An element, from 0, of the structure v itself; NOTHING if it is none of the block.
static inline uint64_t element_of_cell(const block *b, uint64_t v, uint32_t e)
{
    uint64_t cell = (v >> 3) - b->first_cell;
    if (packed_kind(v) != TV_CELL || cell >= b->cells.n)
        return NOTHING;
    value_list list = b->cells.at[cell].elements;
    return e < list >> 32 ? b->values.at[(uint32_t)list + e] : NOTHING;
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
    if (packed_kind(v) != TV_CELL || cell >= b->cells.n)
        return 0;
    *ret = b->values.at + (uint32_t)b->cells.at[cell].elements;
    return (uint32_t)(b->cells.at[cell].elements >> 32);
}

// The value at an address, using the first nreads of the reads, or NOTHING.
uint64_t trace_predict_further(const predictor *p, uint32_t address, uint32_t nreads);

static inline uint64_t predict(const predictor *p, uint32_t address, uint32_t nreads)
{
    uint32_t x = address >> 2;
    if ((address & 3) != 0)
        return address == TRACE_NONE ? NOTHING : trace_predict_further(p, address, nreads);
    return x < p->narguments ? p->b->values.at[p->first_argument + x] : NOTHING;
}

static inline bool same_value(const block *b, uint64_t x, uint64_t y)
{
    return x == y || (packed_is_long(x) && packed_kind(x) == packed_kind(y) && x != NOTHING &&
                      y != NOTHING && b->longs.at[x >> 3] == b->longs.at[y >> 3]);
}

// An address of the value, or TRACE_NONE.
uint32_t trace_predict_find(const predictor *p, guess *g, uint32_t nreads, uint64_t v);

// How a binding is coded: written out, or known from the two sides of its `=` (+ 1: of the right one
// the variable). Written out with what it passes on; known with it.
enum { BINDING_IS = 1, BINDING_FOLLOWS = 3, BINDING_PASSES = 5, BINDING_CODES = 6 };

// The sides of a unification of the reduction; NULL if the item is none.
static inline const uint64_t *predict_sides(const predictor *p, uint32_t item)
{
    const trace_clause *c = &p->clause->clause;
    bool some = item < c->nitems && c->items[item].kind == TI_UNIFY;
    return some ? &p->clause->sides[2 * (size_t)item] : NULL;
}

static inline uint64_t predict_side(const predictor *p, uint64_t side)
{
    return instance_of(side, p->r->holes, (uint64_t)p->first_cell << 3);
}

#endif
