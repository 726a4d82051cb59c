// SPDX-License-Identifier: MIT
//
// Sizes of terms: the words of a structure and of the structures in it, without a step through
// variables or into vectors. To look at a cell means to decode it, so only the wanted cells and
// their contents are looked at. The contents of a structure are older than the structure: one pass
// backwards finds the cells that are needed and finishes structures without structures in them; one
// pass forwards adds up the others.
#include "iotree/terms/terms.h"

// Few structures hold structures, so only those have a number, found by their place among the bits. How
// long another one is follows from its form.
#define RANKED 512u // cells, of which the bits before are counted

struct iot_sizes {
    const trace *t;
    uint8_t *later;  // bits by cell: wanted, and holds structures; the sum has to wait for theirs
    uint32_t *ranks; // by RANKED cells: bits before them
    uint32_t *words; // of those in `later`, in their order
};

typedef struct {
    const trace *t;
    uint32_t **nodes; // by clause: the template's node of each cell, or NULL: not asked for yet
    uint8_t *wanted; // bits by cell
    iot_sizes *sizes;
    uint32_t maker; // of the cell looked at last
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

// Of values that are no structures any one will do: then no terms are decoded for them.
static trace_value content(const contents *x, uint32_t i)
{
    bool older = trace_got_structures(x->t, x->maker);
    if (!x->node)
        return older ? trace_cell_arg(x->t, x->cell, i) : (trace_value){.kind = TV_INT};
    uint32_t node = x->clause->children[x->node->first + i];
    if (!older && x->clause->nodes[node].kind == TN_HOLE)
        return (trace_value){.kind = TV_INT};
    return trace_node_value(x->t, x->maker, node);
}

static bool is_structure(trace_cell_kind kind)
{
    return kind == TC_CONS || kind == TC_STRUCT;
}

static uint32_t sum_of(uint64_t sum)
{
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static uint32_t own_words(const trace *t, uint32_t cell, trace_cell_kind kind)
{
    return kind == TC_VARIABLE ? 0 : sum_of((uint64_t)trace_cell_arity(t, cell) + (kind != TC_CONS));
}

// What a structure holds is wanted, too, and then it is summed up later.
static void look(measuring *m, uint32_t cell)
{
    if (!is_structure(trace_cell_get_kind(m->t, cell)))
        return;
    uint32_t arity = trace_cell_arity(m->t, cell);
    contents x = contents_of(m, cell);
    for (uint32_t i = 0; i < arity; i++) {
        trace_value v = content(&x, i);
        if (v.kind != TV_CELL || v.id >= cell || trace_cell_get_kind(m->t, v.id) == TC_VARIABLE)
            continue;
        bit_set(m->wanted, v.id);
        bit_set(m->sizes->later, cell);
    }
}

static uint64_t eight_bytes(const uint8_t *bits)
{
    uint64_t word;
    memcpy(&word, bits, sizeof word);
    return word;
}

static uint32_t rank_of(const iot_sizes *s, uint32_t cell)
{
    uint32_t rank = s->ranks[cell / RANKED], byte = cell / RANKED * (RANKED / 8);
    for (; byte + 8 <= cell / 8; byte += 8)
        rank += (uint32_t)__builtin_popcountll(eight_bytes(s->later + byte));
    for (; byte < cell / 8; byte++)
        rank += (uint32_t)__builtin_popcount(s->later[byte]);
    return rank + (uint32_t)__builtin_popcount(s->later[byte] & ((1u << cell % 8) - 1));
}

uint32_t iot_words_of(const iot_sizes *s, uint32_t cell)
{
    if (bit_get(s->later, cell))
        return s->words[rank_of(s, cell)];
    return own_words(s->t, cell, trace_cell_get_kind(s->t, cell));
}

// Ranks, and room for the words.
static void count_later(iot_sizes *s, uint32_t n)
{
    uint32_t count = 0, nbytes = n / 8 + (n % 8 > 0);
    s->ranks = base_allocate(n / RANKED + 1, sizeof *s->ranks);
    for (uint32_t byte = 0; byte < nbytes; byte++) {
        if (byte % (RANKED / 8) == 0)
            s->ranks[byte / (RANKED / 8)] = count;
        count += (uint32_t)__builtin_popcount(s->later[byte]);
    }
    s->words = base_allocate(count, sizeof *s->words);
}

static uint32_t sum_up(measuring *m, uint32_t cell)
{
    contents x = contents_of(m, cell);
    uint32_t arity = trace_cell_arity(m->t, cell);
    uint64_t sum = own_words(m->t, cell, trace_cell_get_kind(m->t, cell));
    for (uint32_t i = 0; i < arity; i++) {
        trace_value v = content(&x, i);
        if (v.kind == TV_CELL && v.id < cell)
            sum += iot_words_of(m->sizes, v.id);
    }
    return sum_of(sum);
}

iot_sizes *iot_measure_terms(const trace *t, uint8_t *wanted)
{
    uint32_t n = trace_ncells(t), done = 0;
    iot_sizes *s = base_allocate(1, sizeof *s);
    measuring m = {.t = t, .wanted = wanted, .sizes = s, .maker = TRACE_NONE};
    m.nodes = base_allocate(trace_nclauses(t), sizeof *m.nodes);
    *s = (iot_sizes){.t = t, .later = bits_allocate(n)};
    for (uint32_t cell = n; cell-- > 0;) {
        if (!wanted[cell >> 3])
            cell &= ~7u;
        else if (bit_get(wanted, cell))
            look(&m, cell);
    }
    count_later(s, n);
    for (uint32_t cell = 0; cell < n; cell++) {
        if (!s->later[cell >> 3])
            cell |= 7;
        else if (bit_get(s->later, cell))
            s->words[done++] = sum_up(&m, cell);
    }
    for (uint32_t i = 0; i < trace_nclauses(t); i++)
        free(m.nodes[i]);
    free(m.nodes);
    return s;
}

void iot_destroy_sizes(iot_sizes *s)
{
    free(s->later);
    free(s->ranks);
    free(s->words);
    free(s);
}
