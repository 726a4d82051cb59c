// SPDX-License-Identifier: MIT
//
// What is known while the reductions of a real run are put in order and written (sort_real_run.c).
#ifndef FLENG_SORTED_H
#define FLENG_SORTED_H

#include "base/table.h"
#include "fleng/record/get_real_run.h"
#include "fleng/record/short_record.h"

typedef struct {
    uint32_t variable;
    uint32_t to; // that it was bound to
    bool moved;  // written as bound to `value`
    trace_value value;
} alias;

// An act on behalf of another reduction, and its place among all of them.
typedef struct {
    vm_late act;
    size_t place;
} late_act;

// A reduction and the number of its goal.
typedef struct {
    uint32_t goal;
    vm_stamp *stamp;
    const uint8_t *record;
} aged;

typedef struct {
    fl_recorder *r;
    const bool *stop; // NULL: nobody stops it
    size_t n;
    vm_stamp **stamps;
    fl_numbers numbers; // of cells
    // By cell of the trace: the place among the stamps of the maker of its binding + 1, 0: it is
    // not bound; the last reduction that listed it, likewise.
    uint32_t *makers, *listed;
    ARRAY_OF(alias) aliases; // variables bound to variables
    base_index alias_index;  // of them, by variable
    uint64_t *aliased;       // a bit for each cell of the trace: it was bound to a variable
    uint32_t ncells, ngoals;
    ARRAY_OF(aged) ages, spare; // of one time
    late_act *late; // of all machines, by maker
    size_t nlate;
} sorted;

static inline bool is_bound(const sorted *s, uint32_t cell)
{
    return cell < s->ncells && s->makers[cell] != 0;
}

static inline bool is_aliased(const sorted *s, uint32_t cell)
{
    return s->aliases.n > 0 && s->aliased[cell / 64] >> cell % 64 & 1;
}

static inline uint32_t goals_of(const fl_recorder *r, uint32_t clause)
{
    return ((const fl_template *)r->code->clauses[clause]->info)->ngoals;
}

// Numbers for the cells that a reduction made: the next ones.
static inline uint32_t *number_cells(const sorted *s, uint32_t machine, uint64_t first, uint64_t n)
{
    uint32_t *cells = s->numbers.cells[machine] + first;
    for (uint64_t i = 0; i < n; i++)
        cells[i] = s->ncells + (uint32_t)i;
    return cells;
}

// Writes a reduction with a short record if it needs nothing but its numbers. False: it may have to be left
// out, reads what is bound to a variable, or has a value that is not in the tables; or others acted on its
// behalf.
bool fl_write_short(sorted *s, size_t place, const aged *age);

// The same record, got like a long one.
void fl_read_short(source *x, const fl_short *record, trace_reduction *ret);
// The value of a binding in it; false: it has none of this variable.
bool fl_short_binding(source *x, const fl_short *record, uint32_t variable, trace_value *ret);

#endif
