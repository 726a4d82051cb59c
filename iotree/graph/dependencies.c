// SPDX-License-Identifier: MIT
//
// Which module waits for which: the first read of every binding by another process than the one
// that made it, summed by the modules of the two processes. Who reads a binding also reads what it
// passed on; once a process has read a binding it has read all that.
#include "base/table.h"
#include "iotree/graph/model.h"
#include "iotree/terms/terms.h"

// Beyond this what was passed on is no longer read: see is_too_much() in tree/causes.c.
#define MOST_READ (1u << 24)

// Most bindings are read by one other process only: it is noted by binding, further ones are pairs.
typedef struct {
    iot *a;
    // By binding: process + 1. The first list if numbers of processes are small.
    uint16_t *few_readers;
    uint32_t *many_readers;
    base_map further; // process and binding: 1
    base_map passed;  // likewise, of bindings of the process itself that passed something on
    ARRAY_OF(uint32_t) walk; // bindings that are read
    uint64_t nread;
    iot_dependency *rows; // from by to
} gathering;

// False: it is there already.
static bool add_pair(base_map *further, uint32_t process, uint32_t binding)
{
    uint64_t *place = map_at(further, (uint64_t)process << 32 | binding);
    bool new = *place == MAP_ABSENT;
    *place = 1;
    return new;
}

static uint32_t reader_of(const gathering *g, uint32_t binding)
{
    return g->few_readers ? g->few_readers[binding] : g->many_readers[binding];
}

// False: the process has read the binding before.
static bool add_reader(gathering *g, uint32_t process, uint32_t binding)
{
    uint32_t reader = reader_of(g, binding);
    if (reader != 0)
        return reader != process + 1 && add_pair(&g->further, process, binding);
    if (g->few_readers)
        g->few_readers[binding] = (uint16_t)(process + 1);
    else
        g->many_readers[binding] = process + 1;
    return true;
}

static iot_dependency *row_of(const gathering *g, uint32_t from, uint32_t to)
{
    const iot *a = g->a;
    return &g->rows[(size_t)a->processes[from].module * a->nmodules + a->processes[to].module];
}

static void push_all(gathering *g, uint32_t n, const uint32_t *variables)
{
    while (n-- > 0) {
        uint32_t binding = trace_cell_binding(g->a->t, variables[n]);
        if (binding != TRACE_NONE)
            ARRAY_PUSH(g->walk, binding);
    }
}

static void count_read(const gathering *g, uint32_t reduction, uint32_t maker)
{
    const iot *a = g->a;
    iot_dependency *row = row_of(g, process_of(a, maker), process_of(a, reduction));
    int64_t made = trace_time(a->t, maker), wait = made - reduction_created(a->t, reduction);
    row->count++;
    row->wait += wait > 0 ? (uint64_t)wait : 0;
    row->lag += trace_time(a->t, reduction) - trace_cost(a->t, reduction) - made;
    if (trace_get_clock(a->t) == TRACE_VIRTUAL)
        return;
    int64_t ended = trace_end(a->t, maker), goal = trace_reduction_goal(a->t, reduction);
    wait = ended - trace_end(a->t, trace_goal_parent(a->t, (uint32_t)goal));
    row->real_wait += wait > 0 ? (uint64_t)wait : 0;
    row->real_lag += trace_start(a->t, reduction) - ended;
}

static void gather(gathering *g, uint32_t reduction, uint32_t n, const uint32_t *variables)
{
    const iot *a = g->a;
    uint32_t process = process_of(a, reduction);
    push_all(g, n, variables);
    while (g->walk.n > 0) {
        uint32_t binding = g->walk.at[--g->walk.n];
        uint32_t maker = trace_binding_maker(a->t, binding), from = process_of(a, maker);
        bool counts = from != process && from != IOT_NONE;
        const uint32_t *passed;
        uint32_t npassed = trace_passed(a->t, binding, &passed);
        if (counts ? !add_reader(g, process, binding)
                   : npassed == 0 || !add_pair(&g->passed, process, binding))
            continue;
        if (counts)
            count_read(g, reduction, maker);
        if (g->nread++ < MOST_READ + 2 * (uint64_t)trace_nbindings(a->t))
            push_all(g, npassed, passed);
    }
}

// One word unless it is a structure or a vector.
static void add_words(const gathering *g, const iot_sizes *sizes, uint32_t binding, uint32_t process)
{
    uint32_t from = process_of(g->a, trace_binding_maker(g->a->t, binding));
    trace_value v = trace_binding_value(g->a->t, binding);
    uint32_t words = v.kind == TV_CELL ? iot_words_of(sizes, v.id) : 0;
    row_of(g, from, process)->words += words ? words : 1;
}

// What was passed on.
static void sum_words(const gathering *g)
{
    const trace *t = g->a->t;
    uint8_t *wanted = bits_allocate(trace_ncells(t));
    for (uint32_t b = 0; b < trace_nbindings(t); b++) {
        trace_value v = {.kind = TV_INT};
        if (reader_of(g, b) != 0)
            v = trace_binding_value(t, b);
        if (v.kind == TV_CELL)
            bit_set(wanted, v.id);
    }
    iot_sizes *sizes = iot_measure_terms(t, wanted);
    for (uint32_t b = 0; b < trace_nbindings(t); b++)
        if (reader_of(g, b) != 0)
            add_words(g, sizes, b, reader_of(g, b) - 1);
    for (size_t i = 0; i < g->further.size; i++) {
        const base_map_place *pair = &g->further.places[i];
        if (pair->value != MAP_ABSENT)
            add_words(g, sizes, (uint32_t)pair->key, (uint32_t)(pair->key >> 32));
    }
    iot_destroy_sizes(sizes);
    free(wanted);
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

void iot_sort_dependencies(iot_dependency *rows, uint32_t n)
{
    if (n > 0)
        qsort(rows, n, sizeof *rows, by_wait);
}

void iot_ensure_dependencies(iot *a)
{
    if (a->dependencies.known)
        return;
    size_t size = (size_t)a->nmodules * a->nmodules;
    gathering g = {.a = a};
    if (a->nprocesses < UINT16_MAX)
        g.few_readers = base_allocate(trace_nbindings(a->t), sizeof *g.few_readers);
    else
        g.many_readers = base_allocate(trace_nbindings(a->t), sizeof *g.many_readers);
    g.rows = base_allocate(size, sizeof *g.rows);
    // In the order of the trace, which keeps neighbours together.
    for (uint32_t r = 1; r < a->n; r++) {
        const uint32_t *variables;
        uint32_t n = trace_reads(a->t, r, &variables);
        if ((r & 0x3ffff) == 0)
            tell_progress(a, 0.6 + 0.1 * r / a->n);
        gather(&g, r, n, variables);
        n = trace_followed(a->t, r, &variables);
        gather(&g, r, n, variables);
    }
    sum_words(&g);
    for (size_t i = 0; i < size; i++) {
        if (g.rows[i].count) {
            g.rows[i].from = (uint32_t)(i / a->nmodules);
            g.rows[i].to = (uint32_t)(i % a->nmodules);
            g.rows[a->dependencies.n++] = g.rows[i];
        }
    }
    iot_sort_dependencies(g.rows, a->dependencies.n);
    a->dependencies.rows = g.rows;
    map_free(&g.further);
    map_free(&g.passed);
    free(g.walk.at);
    free(g.few_readers);
    free(g.many_readers);
    a->dependencies.known = true;
}

uint32_t iot_ndependencies(const iot *analysis)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->locks.dependencies);
    iot_ensure_dependencies(a);
    pthread_mutex_unlock(&a->locks.dependencies);
    return a->dependencies.n;
}

const iot_dependency *iot_get_dependency(const iot *a, uint32_t i)
{
    return iot_ndependencies(a) > i ? &a->dependencies.rows[i] : NULL;
}
