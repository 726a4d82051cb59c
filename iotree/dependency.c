// SPDX-License-Identifier: MIT
//
// Who waits for whom: the first read of every binding that another process made, summed by the
// modules of the two.
#include "iotree/model.h"

// ---------------------------------------------------------------------------------------------
// Size of a term: the words of its structures, reached without going through variables or into
// vectors; one word for anything else. What a structure holds is older than it, so one pass in the
// order of the trace measures all of them.

static uint32_t part_words(const uint32_t *words, trace_value v, uint32_t before)
{
    return v.kind == TV_CELL && v.id < before ? words[v.id] : 0;
}

static uint32_t cell_words(const trace *t, const uint32_t *words, uint32_t cell)
{
    trace_cell_kind kind = trace_cell_get_kind(t, cell);
    if (kind == TC_VARIABLE)
        return 0;
    uint32_t arity = trace_cell_arity(t, cell);
    uint64_t sum = (uint64_t)arity + (kind != TC_CONS);
    for (uint32_t i = 0; i < arity && kind != TC_VECTOR; i++)
        sum += part_words(words, trace_cell_arg(t, cell, i), cell);
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static uint32_t *measure_cells(const trace *t)
{
    uint32_t n = trace_ncells(t);
    uint32_t *words = iot_alloc(n, sizeof *words);
    for (uint32_t cell = 0; cell < n; cell++)
        words[cell] = cell_words(t, words, cell);
    return words;
}

// By binding: size of the term bound. All in order, as a trace is decoded piece by piece.
static uint32_t *measure_bindings(const trace *t)
{
    uint32_t n = trace_nbindings(t), *cells = measure_cells(t);
    uint32_t *words = iot_alloc(n, sizeof *words);
    for (uint32_t binding = 0; binding < n; binding++) {
        trace_value v = trace_binding_value(t, binding);
        words[binding] = v.kind == TV_CELL && cells[v.id] ? cells[v.id] : 1;
    }
    free(cells);
    return words;
}

// ---------------------------------------------------------------------------------------------

// Pairs of a process and a binding of another one that it read: open addressing.
typedef struct {
    uint64_t *pairs; // + 1, 0: free
    size_t n, size;  // size: a power of two, or 0
} pair_set;

static size_t pair_slot(const pair_set *s, uint64_t pair)
{
    size_t at = (size_t)(pair * 0x9e3779b97f4a7c15u >> 20) & (s->size - 1);
    while (s->pairs[at] && s->pairs[at] != pair + 1)
        at = (at + 1) & (s->size - 1);
    return at;
}

static void grow_pairs(pair_set *s)
{
    pair_set larger = {.n = s->n, .size = s->size ? 2 * s->size : 1024};
    larger.pairs = iot_alloc(larger.size, sizeof *larger.pairs);
    for (size_t i = 0; i < s->size; i++) {
        if (s->pairs[i])
            larger.pairs[pair_slot(&larger, s->pairs[i] - 1)] = s->pairs[i];
    }
    free(s->pairs);
    *s = larger;
}

// False: it is there already.
static bool add_pair(pair_set *s, uint32_t process, uint32_t binding)
{
    if (2 * s->n >= s->size)
        grow_pairs(s);
    uint64_t pair = (uint64_t)process << 32 | binding;
    size_t at = pair_slot(s, pair);
    if (s->pairs[at])
        return false;
    s->pairs[at] = pair + 1;
    s->n++;
    return true;
}

typedef struct {
    iot *a;
    pair_set met;
    iot_dependency *rows; // from by to
    uint32_t *words; // by binding
} gathering;

static void gather(gathering *g, uint32_t reduction, uint32_t n, const uint32_t *variables)
{
    const iot *a = g->a;
    uint32_t process = a->process_of[reduction];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(a->t, variables[i]);
        if (binding == TRACE_NONE)
            continue;
        uint32_t maker = trace_binding_maker(a->t, binding), from = a->process_of[maker];
        if (from == process || from == IOT_NONE || !add_pair(&g->met, process, binding))
            continue;
        iot_dependency *row = &g->rows[(size_t)a->processes[from].module * a->nmodules +
                                       a->processes[process].module];
        int64_t made = trace_time(a->t, maker), wait = made - reduction_created(a->t, reduction);
        row->count++;
        row->wait += wait > 0 ? (uint64_t)wait : 0;
        row->lag += trace_time(a->t, reduction) - trace_cost(a->t, reduction) - made;
        row->words += g->words[binding];
    }
}

static int by_wait(const void *x, const void *y)
{
    const iot_dependency *a = x, *b = y;
    if (a->wait != b->wait)
        return a->wait > b->wait ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

void ensure_dependencies(iot *a)
{
    if (a->have_dependencies)
        return;
    size_t size = (size_t)a->nmodules * a->nmodules;
    gathering g = {.a = a, .words = measure_bindings(a->t)};
    g.rows = iot_alloc(size, sizeof *g.rows);
    // In the order of the trace, which keeps what belongs together together.
    for (uint32_t r = 1; r < a->n; r++) {
        const uint32_t *variables;
        uint32_t n = trace_reads(a->t, r, &variables);
        gather(&g, r, n, variables);
        n = trace_followed(a->t, r, &variables);
        gather(&g, r, n, variables);
    }
    for (size_t i = 0; i < size; i++) {
        if (g.rows[i].count) {
            g.rows[i].from = (uint32_t)(i / a->nmodules);
            g.rows[i].to = (uint32_t)(i % a->nmodules);
            g.rows[a->ndependencies++] = g.rows[i];
        }
    }
    qsort(g.rows, a->ndependencies, sizeof *g.rows, by_wait);
    a->dependencies = g.rows;
    free(g.met.pairs);
    free(g.words);
    a->have_dependencies = true;
}

uint32_t iot_ndependencies(const iot *analysis)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->lock);
    ensure_dependencies(a);
    pthread_mutex_unlock(&a->lock);
    return a->ndependencies;
}

const iot_dependency *iot_get_dependency(const iot *a, uint32_t i)
{
    return iot_ndependencies(a) > i ? &a->dependencies[i] : NULL;
}
