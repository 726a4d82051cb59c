// SPDX-License-Identifier: MIT
//
// Sizes of terms: the words of a structure and of the structures in it, without a step through
// variables or into vectors. To look at a cell means to decode it, so only the wanted cells and
// their contents are looked at. The contents of a structure are older than the structure: one pass
// backwards finds the cells that are needed and finishes structures without structures in them; one
// pass forwards adds up the others.
#include "iotree/terms/terms.h"

typedef struct {
    const trace *t;
    uint32_t **nodes; // by clause: the template's node of each cell, or NULL: not asked for yet
    uint8_t *wanted;  // bits by cell
    uint8_t *later;   // of these: holds structures, so the sum has to wait for theirs
    uint32_t *words;  // by cell; of all but those wanted 0
    uint32_t maker;   // of the cell looked at last
} measuring;

// Cells are asked for in order, so the maker is near the one of the cell before.
static uint32_t maker_of(measuring *m, uint32_t cell)
{
    if (m->maker >= trace_nreductions(m->t) || trace_first_cell(m->t, m->maker) > cell ||
        trace_first_cell(m->t, m->maker + 1) <= cell)
        m->maker = trace_cell_maker(m->t, cell);
    return m->maker;
}

static const uint32_t *nodes_of(measuring *m, uint32_t clause)
{
    if (m->nodes[clause])
        return m->nodes[clause];
    const trace_clause *c = trace_get_clause(m->t, clause);
    m->nodes[clause] = base_allocate((size_t)c->nfresh + c->nstructs, sizeof **m->nodes);
    for (uint32_t i = 0; i < c->nnodes; i++) {
        trace_node_kind kind = c->nodes[i].kind;
        if (kind == TN_CONS || kind == TN_STRUCT || kind == TN_VECTOR)
            m->nodes[clause][c->nodes[i].index] = i;
    }
    return m->nodes[clause];
}

// What a structure holds, one after the other.
typedef struct {
    const trace *t;
    uint32_t cell, maker;
    const trace_clause *clause;
    const trace_node *node; // NULL: of a dynamic reduction
} contents;

static contents contents_of(measuring *m, uint32_t cell)
{
    contents x = {.t = m->t, .cell = cell, .maker = maker_of(m, cell)};
    uint32_t clause = trace_reduction_clause(m->t, x.maker);
    x.clause = trace_get_clause(m->t, clause);
    if (!x.clause->dynamic)
        x.node = &x.clause->nodes[nodes_of(m, clause)[cell - trace_first_cell(m->t, x.maker)]];
    return x;
}

static trace_value content(const contents *x, uint32_t i)
{
    return x->node ? trace_node_cell(x->t, x->maker, x->clause->children[x->node->first + i])
                   : trace_cell_part(x->t, x->cell, i);
}

static bool is_structure(trace_cell_kind kind)
{
    return kind == TC_CONS || kind == TC_STRUCT;
}

static uint32_t sum_of(uint64_t sum)
{
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

// The cell's own words. What it holds is wanted, too, and then it is summed up later.
static void look(measuring *m, uint32_t cell)
{
    trace_cell_kind kind = trace_cell_get_kind(m->t, cell);
    if (kind == TC_VARIABLE)
        return;
    uint32_t arity = trace_cell_arity(m->t, cell);
    m->words[cell] = sum_of((uint64_t)arity + (kind != TC_CONS));
    if (!is_structure(kind))
        return;
    contents x = contents_of(m, cell);
    for (uint32_t i = 0; i < arity; i++) {
        trace_value v = content(&x, i);
        if (v.kind != TV_CELL || v.id >= cell || trace_cell_get_kind(m->t, v.id) == TC_VARIABLE)
            continue;
        bit_set(m->wanted, v.id);
        bit_set(m->later, cell);
    }
}

static void sum_up(measuring *m, uint32_t cell)
{
    contents x = contents_of(m, cell);
    uint32_t arity = trace_cell_arity(m->t, cell);
    uint64_t sum = m->words[cell];
    for (uint32_t i = 0; i < arity; i++) {
        trace_value v = content(&x, i);
        if (v.kind == TV_CELL && v.id < cell)
            sum += m->words[v.id];
    }
    m->words[cell] = sum_of(sum);
}

uint32_t *iot_term_sizes(const trace *t, uint8_t *wanted)
{
    uint32_t n = trace_ncells(t);
    measuring m = {.t = t, .wanted = wanted, .maker = TRACE_NONE};
    m.nodes = base_allocate(trace_nclauses(t), sizeof *m.nodes);
    m.later = bits_allocate(n);
    m.words = base_allocate(n, sizeof *m.words);
    for (uint32_t cell = n; cell-- > 0;) {
        if (!wanted[cell >> 3])
            cell &= ~7u;
        else if (bit_get(wanted, cell))
            look(&m, cell);
    }
    for (uint32_t cell = 0; cell < n; cell++) {
        if (!m.later[cell >> 3])
            cell |= 7;
        else if (bit_get(m.later, cell))
            sum_up(&m, cell);
    }
    for (uint32_t i = 0; i < trace_nclauses(t); i++)
        free(m.nodes[i]);
    free(m.nodes);
    free(m.later);
    return m.words;
}
