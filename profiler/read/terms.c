// SPDX-License-Identifier: MIT
//
// Terms are most of a trace, so they stay compressed. The first question about a block decodes its
// terms column into one of a few slots, in place of the block that was not used for the longest
// time. The blocks were decoded once when the trace was opened, and all memory is taken then, so a
// question cannot fail.
#include "base/search.h"
#include "profiler/format/decode.h"
#include "profiler/read/input.h"
#include "profiler/read/terms.h"
#include "profiler/trace_reader.h"

#define MAX_SLOTS   4096
#define SLOTS_BYTES (256u << 20)  // that the slots may take together once they are used

// Of a dynamic reduction: its first in `cells` and `goals`.
typedef struct {
    uint32_t cell, goal;
} block_dynamic;

typedef struct {
    uint32_t kind, name, n, nargs, value;
} block_cell;

// A decoded block. starts[i] is the place of its i-th reduction: in `values`, where those of its
// holes begin, or in `dynamics`.
struct term_slot {
    int block; // or -1
    uint64_t used;
    uint32_t *starts;
    uint64_t *values, *longs;
    block_dynamic *dynamics;
    block_cell *cells;
    uint32_t *goals; // where the values of each begin
    // While it is decoded
    uint32_t *start;
    uint32_t nvalues, ndynamics, ncells, ngoals;
};

// ---------------------------------------------------------------------------------------------
// Decoding

static void keep_values(term_slot *s, const uint64_t *values, uint32_t n)
{
    if (n > 0)
        memcpy(s->values + s->nvalues, values, n * sizeof *values);
    s->nvalues += n;
}

static void keep_made(term_slot *s, const step_record *r)
{
    s->dynamics[s->ndynamics++] = (block_dynamic){.cell = s->ncells, .goal = s->ngoals};
    for (uint32_t i = 0; i < r->ncells; i++) {
        const step_cell *c = &r->cells[i];
        s->cells[s->ncells++] = (block_cell){c->kind, c->name, c->n, c->nargs, s->nvalues};
        keep_values(s, c->args, c->nargs);
    }
    for (uint32_t i = 0; i < r->ngoals; i++) {
        s->goals[s->ngoals++] = s->nvalues;
        keep_values(s, r->goals[i].args, r->goals[i].nargs);
    }
}

// What the reduction bound, for the predictions of those after it.
static void bind(trace *t, uint32_t reduction)
{
    block *w = &t->work;
    uint32_t end = trace_first_binding(t, reduction + 1);
    for (uint32_t i = trace_first_binding(t, reduction); i < end; i++) {
        uint64_t value = binding_packed(t, i);
        step_binding b = {.variable = t->binding_variables.at[i]};
        b.value = packed_kind(value) | packed_payload(value) << 3;
        if (packed_is_long(value)) {
            w->longs.at[w->longs.n] = t->binding_longs.at[packed_payload(value)];
            b.value = packed_kind(value) | (uint64_t)w->longs.n++ << 3;
        }
        trace_block_bind(w, &(step_record){.nbindings = 1, .bindings = &b});
    }
}

static void decode_step(trace *t, term_slot *s, column_in *in, uint32_t reduction)
{
    const clause_entry *c = clause_of(t, reduction);
    uint32_t first = trace_first_cell(t, reduction);
    step_record r = {.clause = trace_reduction_clause(t, reduction)};
    r.nreads = trace_reads(t, reduction, &r.reads);
    predictor p;
    trace_predictor_begin(&p, &t->work, c, &r, trace_reduction_goal(t, reduction), first);
    coding k = {.old_cells = first, .cells = first, .nholes = c->clause.nholes, .p = &p};
    if (c->clause.dynamic) {
        get_counts(in, &k, &r);
        k.cells += r.ncells;
        get_made(in, &k, &r);
        *s->start++ = s->ndynamics;
        keep_made(s, &r);
    } else {
        get_holes(in, &k, &r);
        *s->start++ = s->nvalues;
        keep_values(s, r.holes, c->clause.nholes);
    }
    trace_block_add(&t->work, c, &r);
    bind(t, reduction);
}

// The columns were decoded when the trace was opened, and there is as much memory: nothing fails.
static void decode_block(trace *t, term_slot *s, const term_block *b)
{
    trace_unpack_column(t->zstd, b->stored, b->stored_size, t->raw, b->raw_size);
    column_in in = {.at = t->raw, .end = t->raw + b->raw_size, .memory = &t->scratch};
    trace_block_begin(&t->work, trace_first_cell(t, b->first), trace_first_goal(t, b->first));
    s->start = s->starts;
    s->nvalues = s->ndynamics = s->ncells = s->ngoals = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        trace_arena_reset(&t->scratch);
        decode_step(t, s, &in, b->first + i);
    }
    if (t->work.longs.n > 0)
        memcpy(s->longs, t->work.longs.at, t->work.longs.n * sizeof *s->longs);
}

// ---------------------------------------------------------------------------------------------
// Slots

static size_t slot_bytes(const slot_size *n)
{
    return n->steps * sizeof(uint32_t) + (n->values + n->longs) * sizeof(uint64_t) +
           n->dynamics * sizeof(block_dynamic) + n->cells * sizeof(block_cell) +
           n->goals * sizeof(uint32_t);
}

static bool slot_init(term_slot *s, const slot_size *n)
{
    *s = (term_slot){.block = -1};
    s->starts = calloc(n->steps + 1, sizeof *s->starts);
    s->values = calloc(n->values + 1, sizeof *s->values);
    s->longs = calloc(n->longs + 1, sizeof *s->longs);
    s->dynamics = calloc(n->dynamics + 1, sizeof *s->dynamics);
    s->cells = calloc(n->cells + 1, sizeof *s->cells);
    s->goals = calloc(n->goals + 1, sizeof *s->goals);
    return s->starts && s->values && s->longs && s->dynamics && s->cells && s->goals;
}

static void slot_finish(term_slot *s)
{
    free(s->starts);
    free(s->values);
    free(s->longs);
    free(s->dynamics);
    free(s->cells);
    free(s->goals);
}

// The memory that decoding takes beside a slot.
static bool reserve_work(trace *t)
{
    const slot_size *n = &t->largest;
    block *w = &t->work;
    trace_block_begin(w, 0, 0);
    return ARRAY_RESERVE(w->element_ends, n->made_cells) &&
           ARRAY_RESERVE(w->bound, n->made_cells) && ARRAY_RESERVE(w->elements, n->elements) &&
           ARRAY_RESERVE(w->argument_ends, n->made_goals) &&
           ARRAY_RESERVE(w->arguments, n->arguments) && ARRAY_RESERVE(w->longs, n->longs) &&
           trace_arena_take(&t->scratch, n->scratch);
}

bool trace_terms_prepare(trace *t)
{
    size_t wanted = SLOTS_BYTES / (slot_bytes(&t->largest) + 1) + 2;
    if (wanted > MAX_SLOTS)
        wanted = MAX_SLOTS;
    if (wanted > t->blocks.n)
        wanted = t->blocks.n;
    if (!reserve_work(t))
        return false;
    t->raw = malloc(t->largest.raw + 1);
    t->slots = calloc(wanted + 1, sizeof *t->slots);
    if (!t->raw || !t->slots)
        return false;
    for (; (size_t)t->nslots < wanted; t->nslots++)
        if (!slot_init(&t->slots[t->nslots], &t->largest)) {
            slot_finish(&t->slots[t->nslots]);
            return t->nslots > 0;
        }
    return true;
}

void trace_terms_finish(trace *t)
{
    for (int i = 0; i < t->nslots; i++)
        slot_finish(&t->slots[i]);
    for (size_t i = 0; i < t->blocks.n; i++)
        free(t->blocks.at[i].stored);
    free(t->slots);
    free(t->raw);
}

static bool is_in_block(const trace *t, size_t number, uint32_t reduction)
{
    return number < t->blocks.n && reduction - t->blocks.at[number].first < t->blocks.at[number].n;
}

// Most questions are about the block of the question before; most blocks are full.
static size_t block_of(trace *t, uint32_t reduction)
{
    size_t full = reduction / BLOCK_REDUCTIONS;
    if (!is_in_block(t, t->block, reduction)) {
        if (is_in_block(t, full, reduction)) {
            t->block = full;
        } else {
            size_t next;
            FIRST_NOT(next, t->blocks.n, i, t->blocks.at[i].first <= reduction);
            t->block = next - 1;
        }
    }
    return t->block;
}

static term_slot *oldest_slot(trace *t)
{
    term_slot *oldest = &t->slots[0];
    for (int i = 1; i < t->nslots; i++)
        if (t->slots[i].used < oldest->used)
            oldest = &t->slots[i];
    if (oldest->block >= 0)
        t->blocks.at[oldest->block].slot = -1;
    return oldest;
}

// The slot with the reduction's block, and the reduction's start there. The caller holds the lock.
static const term_slot *slot_of(trace *t, uint32_t reduction, uint32_t *ret_start)
{
    size_t number = block_of(t, reduction);
    term_block *b = &t->blocks.at[number];
    if (b->slot < 0) {
        term_slot *s = oldest_slot(t);
        decode_block(t, s, b);
        s->block = (int)number;
        b->slot = (int)(s - t->slots);
    }
    term_slot *s = &t->slots[b->slot];
    s->used = ++t->uses;
    *ret_start = s->starts[reduction - b->first];
    return s;
}

// ---------------------------------------------------------------------------------------------
// Answers. The trace is const for callers, who cannot observe the slots.

static trace *locked(const trace *t)
{
    trace *mutable = (trace *)(uintptr_t)t;
    pthread_mutex_lock(&mutable->lock);
    return mutable;
}

trace_value trace_terms_hole(const trace *t, uint32_t reduction, uint32_t hole)
{
    trace *m = locked(t);
    uint32_t start;
    const term_slot *s = slot_of(m, reduction, &start);
    trace_value v = unpack_value(s->values[start + hole], s->longs);
    pthread_mutex_unlock(&m->lock);
    return v;
}

trace_cell trace_terms_cell(const trace *t, uint32_t reduction, uint32_t cell)
{
    trace *m = locked(t);
    uint32_t start;
    const term_slot *s = slot_of(m, reduction, &start);
    const block_cell *c = &s->cells[s->dynamics[start].cell + cell];
    trace_cell r = {
        .kind = (trace_cell_kind)c->kind, .name = c->name, .n = c->n, .nargs = c->nargs};
    pthread_mutex_unlock(&m->lock);
    return r;
}

trace_value trace_terms_cell_arg(const trace *t, uint32_t reduction, uint32_t cell,
                                 uint32_t argument)
{
    trace *m = locked(t);
    uint32_t start;
    const term_slot *s = slot_of(m, reduction, &start);
    const block_cell *c = &s->cells[s->dynamics[start].cell + cell];
    trace_value v = unpack_value(s->values[c->value + argument], s->longs);
    pthread_mutex_unlock(&m->lock);
    return v;
}

trace_value trace_terms_goal_arg(const trace *t, uint32_t reduction, uint32_t goal,
                                 uint32_t argument)
{
    trace *m = locked(t);
    uint32_t start;
    const term_slot *s = slot_of(m, reduction, &start);
    uint32_t first = s->goals[s->dynamics[start].goal + goal];
    trace_value v = unpack_value(s->values[first + argument], s->longs);
    pthread_mutex_unlock(&m->lock);
    return v;
}

void trace_terms_goal_args(const trace *t, uint32_t reduction, uint32_t goal, uint32_t n,
                           trace_value *ret)
{
    trace *m = locked(t);
    uint32_t start;
    const term_slot *s = slot_of(m, reduction, &start);
    uint32_t first = s->goals[s->dynamics[start].goal + goal];
    for (uint32_t i = 0; i < n; i++)
        ret[i] = unpack_value(s->values[first + i], s->longs);
    pthread_mutex_unlock(&m->lock);
}

bool trace_terms_pair(const trace *t, uint32_t reduction, uint32_t cell, uint32_t *ret_name,
                      trace_value *ret_arg)
{
    trace *m = locked(t);
    uint32_t start;
    const term_slot *s = slot_of(m, reduction, &start);
    const block_cell *c = &s->cells[s->dynamics[start].cell + cell];
    bool pair = c->kind == TC_STRUCT && c->n == 1;
    if (pair) {
        *ret_name = c->name;
        *ret_arg = unpack_value(s->values[c->value], s->longs);
    }
    pthread_mutex_unlock(&m->lock);
    return pair;
}
