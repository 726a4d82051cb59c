// SPDX-License-Identifier: MIT
//
// Who waits for whom: the first read of every binding that another process made, summed by the
// modules of the two.
#include "iotree/model.h"

// ---------------------------------------------------------------------------------------------
// Size of a term: the words of its structures and vectors, reached without going through variables;
// one word for anything else. Structures of a term are older than what holds them, and their sizes
// are kept, so that long terms passed on again and again are measured once.

typedef struct {
    const trace *t;
    uint32_t *words; // by cell, 0: not known
    uint32_t *stack;
    size_t n, capacity;
} measure;

static uint32_t known(const measure *m, trace_value v)
{
    return v.kind != TV_CELL || trace_cell_get_kind(m->t, v.id) == TC_VARIABLE ? 0 : v.id + 1;
}

// Adds up the parts of a structure, or pushes those that are not known yet.
static void measure_cell(measure *m, uint32_t cell)
{
    uint32_t arity = trace_cell_arity(m->t, cell);
    bool list = trace_cell_get_kind(m->t, cell) == TC_CONS;
    uint64_t sum = (uint64_t)arity + !list;
    size_t before = m->n;
    for (uint32_t i = 0; i < arity; i++) {
        uint32_t part = known(m, trace_cell_arg(m->t, cell, i));
        if (part && m->words[part - 1]) {
            sum += m->words[part - 1];
        } else if (part) {
            ROOM(m->stack, m->n, m->capacity);
            m->stack[m->n++] = part - 1;
        }
    }
    if (m->n == before) {
        m->words[cell] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
        m->n--;
    }
}

static uint32_t term_words(measure *m, trace_value v)
{
    uint32_t cell = known(m, v);
    if (!cell)
        return 1;
    if (!m->words)
        m->words = iot_alloc(trace_ncells(m->t), sizeof *m->words);
    ROOM(m->stack, m->n, m->capacity);
    m->stack[m->n++] = cell - 1;
    while (m->n) {
        if (m->words[m->stack[m->n - 1]])
            m->n--;
        else
            measure_cell(m, m->stack[m->n - 1]);
    }
    return m->words[cell - 1];
}

// ---------------------------------------------------------------------------------------------

typedef struct {
    iot *a;
    uint32_t *reader;     // by binding: the process that met it last, + 1
    iot_dependency *rows; // from by to
    measure measure;
} gathering;

static void gather(gathering *g, uint32_t process, uint32_t reduction, uint32_t n,
                   const uint32_t *variables)
{
    const iot *a = g->a;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(a->t, variables[i]);
        if (binding == TRACE_NONE || g->reader[binding] == process + 1)
            continue;
        uint32_t maker = trace_binding_maker(a->t, binding), from = a->process_of[maker];
        if (from == process || from == IOT_NONE)
            continue;
        g->reader[binding] = process + 1;
        iot_dependency *row = &g->rows[(size_t)a->processes[from].module * a->nmodules +
                                       a->processes[process].module];
        int64_t made = trace_time(a->t, maker), wait = made - reduction_created(a->t, reduction);
        row->count++;
        row->wait += wait > 0 ? (uint64_t)wait : 0;
        row->lag += trace_time(a->t, reduction) - 1 - made;
        row->words += term_words(&g->measure, trace_binding_value(a->t, binding));
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
    ensure_members(a);
    gathering g = {.a = a, .measure = {.t = a->t}};
    g.reader = iot_alloc(trace_nbindings(a->t), sizeof *g.reader);
    g.rows = iot_alloc(size, sizeof *g.rows);
    for (uint32_t p = 0; p < a->nprocesses; p++) {
        const uint32_t *members, *variables;
        uint32_t n = iot_members(a, p, &members);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t nread = trace_reads(a->t, members[i], &variables);
            gather(&g, p, members[i], nread, variables);
            nread = trace_followed(a->t, members[i], &variables);
            gather(&g, p, members[i], nread, variables);
        }
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
    free(g.reader);
    free(g.measure.words);
    free(g.measure.stack);
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
