// SPDX-License-Identifier: MIT
//
// Terms are most of a trace, so they stay compressed until somebody asks. The first question about
// a block decodes its terms column into a slot. The first blocks have slots of their own, as many as
// memory allows: those of most traces all do. The others share a few slots, where a block takes the
// place of the one that was not used for the longest time. (Who goes through a whole trace would
// decode every block again if all shared.) The blocks were decoded once when the trace was opened,
// and all memory is taken then, so a question cannot fail; the system gives it when it is used.
#include "base/search.h"
#include "profiler/format/decode.h"
#include "profiler/read/input.h"
#include "profiler/read/terms.h"
#include "profiler/trace_reader.h"

#define MAX_OWN      4096
#define MAX_SHARED   16
#define OWN_BYTES    (256u << 20) // that the blocks' own slots may take together once they are used
#define SHARED_BYTES (32u << 20)  // likewise the shared ones, of which there are two at least

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
    void *memory; // of all below
    int block;    // or -1
    uint64_t used;
    uint32_t *starts;
    uint32_t *values;       // narrow, or NARROW_ELSEWHERE and the place in `wide`
    uint64_t *wide, *longs; // `longs`: of packed values
    block_dynamic *dynamics;
    block_cell *cells;
    uint32_t *goals; // where the values of each begin
    // While it is decoded
    uint32_t *start;
    uint32_t nvalues, nwide, ndynamics, ncells, ngoals;
};

// ---------------------------------------------------------------------------------------------
// Decoding

static void keep_values(term_slot *s, const uint64_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool narrow = term_is_narrow(values[i]);
        s->values[s->nvalues++] =
            narrow ? (uint32_t)values[i] : NARROW_ELSEWHERE | s->nwide << 3;
        if (!narrow)
            s->wide[s->nwide++] = values[i];
    }
}

static trace_value value_at(const term_slot *s, uint32_t place)
{
    uint32_t narrow = s->values[place];
    uint64_t packed = (narrow & 7) == NARROW_ELSEWHERE ? s->wide[narrow >> 3] : narrow;
    return unpack_value(packed, s->longs);
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
        block_bind(w, &(step_record){.nbindings = 1, .bindings = &b});
    }
}

static void decode_step(trace *t, term_slot *s, column_in *in, uint32_t reduction)
{
    const clause_entry *c = clause_of(t, reduction);
    uint32_t first = trace_first_cell(t, reduction);
    step_record r = {.clause = trace_reduction_clause(t, reduction)};
    r.nreads = trace_reads(t, reduction, &r.reads);
    predictor p;
    predictor_begin(&p, &t->work, c, &r, trace_reduction_goal(t, reduction), first);
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
    block_add(&t->work, c, &r);
    bind(t, reduction);
}

// The columns were decoded when the trace was opened, and there is as much memory: nothing fails.
static void decode_block(trace *t, term_slot *s, const term_block *b)
{
    trace_unpack_column(t->zstd, b->stored, b->stored_size, t->raw, b->raw_size);
    column_in in = {.at = t->raw, .end = t->raw + b->raw_size, .memory = &t->scratch};
    trace_block_begin(&t->work, trace_first_cell(t, b->first), trace_first_goal(t, b->first));
    s->start = s->starts;
    s->nvalues = s->nwide = s->ndynamics = s->ncells = s->ngoals = 0;
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
    return ((size_t)n->wide + n->longs) * sizeof(uint64_t) +
           ((size_t)n->steps + n->values + n->goals) * sizeof(uint32_t) +
           n->dynamics * sizeof(block_dynamic) + n->cells * sizeof(block_cell);
}

// The widest first, so that all are aligned.
static bool slot_init(term_slot *s, const slot_size *n)
{
    *s = (term_slot){.block = -1, .memory = malloc(slot_bytes(n) + 1)};
    s->wide = s->memory;
    if (!s->memory)
        return false;
    s->longs = s->wide + n->wide;
    s->starts = (uint32_t *)(s->longs + n->longs);
    s->values = s->starts + n->steps;
    s->goals = s->values + n->values;
    s->dynamics = (block_dynamic *)(s->goals + n->goals);
    s->cells = (block_cell *)(s->dynamics + n->dynamics);
    return true;
}

// The memory that decoding takes beside a slot.
static bool reserve_work(trace *t)
{
    const work_size *n = &t->work_size;
    block *w = &t->work;
    trace_block_begin(w, 0, 0);
    return trace_block_reserve_all(w, n->made_cells, n->made_goals, n->values) &&
           ARRAY_RESERVE(w->longs, t->largest.longs) && trace_arena_take(&t->scratch, n->scratch);
}

static bool add_slot(trace *t, const slot_size *size)
{
    if (!slot_init(&t->slots[t->nslots], size))
        return false;
    t->nslots++;
    return true;
}

// False without memory for a single slot.
static bool add_shared(trace *t)
{
    size_t wanted = SHARED_BYTES / (slot_bytes(&t->largest) + 1) + 2;
    if (wanted > MAX_SHARED)
        wanted = MAX_SHARED;
    while ((size_t)t->nslots < wanted && add_slot(t, &t->largest))
        ;
    t->nshared = t->nslots;
    return t->nslots > 0;
}

static void add_own(trace *t)
{
    size_t left = OWN_BYTES;
    for (size_t i = 0; i < t->blocks.n && i < MAX_OWN; i++) {
        size_t bytes = slot_bytes(&t->blocks.at[i].size);
        if (bytes > left || !add_slot(t, &t->blocks.at[i].size))
            break;
        left -= bytes;
        t->blocks.at[i].own = t->nslots - 1;
    }
}

bool trace_terms_prepare(trace *t)
{
    if (!reserve_work(t))
        return false;
    t->raw = malloc(t->work_size.raw + 1);
    size_t own = t->blocks.n < MAX_OWN ? t->blocks.n : MAX_OWN;
    t->slots = calloc(MAX_SHARED + own, sizeof *t->slots);
    if (!t->raw || !t->slots || !add_shared(t))
        return false;
    add_own(t);
    return true;
}

void trace_terms_finish(trace *t)
{
    for (int i = 0; i < t->nslots; i++)
        free(t->slots[i].memory);
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
    size_t found = __atomic_load_n(&t->block, __ATOMIC_RELAXED);
    if (is_in_block(t, found, reduction))
        return found;
    found = full;
    if (!is_in_block(t, full, reduction)) {
        size_t next;
        FIRST_NOT(next, t->blocks.n, i, t->blocks.at[i].first <= reduction);
        found = next - 1;
    }
    __atomic_store_n(&t->block, found, __ATOMIC_RELAXED);
    return found;
}

static term_slot *oldest_slot(trace *t)
{
    term_slot *oldest = &t->slots[0];
    for (int i = 1; i < t->nshared; i++)
        if (t->slots[i].used < oldest->used)
            oldest = &t->slots[i];
    if (oldest->block >= 0)
        t->blocks.at[oldest->block].slot = -1;
    return oldest;
}

// The slot with the block, decoded. The caller holds the lock.
static term_slot *fill_slot(trace *t, size_t number)
{
    term_block *b = &t->blocks.at[number];
    if (b->slot >= 0)
        return &t->slots[b->slot];
    term_slot *s = b->own >= 0 ? &t->slots[b->own] : oldest_slot(t);
    decode_block(t, s, b);
    s->block = (int)number;
    if (b->own >= 0) {
        free(b->stored);
        b->stored = NULL;
    }
    __atomic_store_n(&b->slot, (int)(s - t->slots), __ATOMIC_RELEASE);
    return s;
}

// ---------------------------------------------------------------------------------------------
// Answers. The trace is const for callers, who cannot observe the slots. A block's own slot keeps it,
// so it is read without the lock; a shared one belongs to who holds the lock.

typedef struct {
    trace *t;
    const term_slot *slot; // with the reduction's block
    uint32_t start;        // the reduction's there
    bool locked;
} look;

static look begin_look(const trace *t, uint32_t reduction)
{
    look l = {.t = (trace *)(uintptr_t)t};
    size_t number = block_of(l.t, reduction);
    const term_block *b = &t->blocks.at[number];
    int slot = b->own < 0 ? -1 : __atomic_load_n(&b->slot, __ATOMIC_ACQUIRE);
    l.locked = slot < 0;
    if (l.locked) {
        pthread_mutex_lock(&l.t->lock);
        term_slot *s = fill_slot(l.t, number);
        s->used = ++l.t->uses;
        l.slot = s;
    } else {
        l.slot = &t->slots[slot];
    }
    l.start = l.slot->starts[reduction - b->first];
    return l;
}

static void end_look(const look *l)
{
    if (l->locked)
        pthread_mutex_unlock(&l->t->lock);
}

trace_value trace_terms_hole(const trace *t, uint32_t reduction, uint32_t hole)
{
    look l = begin_look(t, reduction);
    const term_slot *s = l.slot;
    trace_value v = value_at(s, l.start + hole);
    end_look(&l);
    return v;
}

void trace_terms_holes(const trace *t, uint32_t reduction, const uint32_t *nodes, uint32_t n,
                       trace_value *ret)
{
    const trace_node *all = clause_of(t, reduction)->clause.nodes;
    look l = begin_look(t, reduction);
    const term_slot *s = l.slot;
    for (uint32_t i = 0; i < n; i++)
        if (all[nodes[i]].kind == TN_HOLE)
            ret[i] = value_at(s, l.start + all[nodes[i]].index);
    end_look(&l);
}

trace_cell trace_terms_cell(const trace *t, uint32_t reduction, uint32_t cell)
{
    look l = begin_look(t, reduction);
    const term_slot *s = l.slot;
    const block_cell *c = &s->cells[s->dynamics[l.start].cell + cell];
    trace_cell r = {
        .kind = (trace_cell_kind)c->kind, .name = c->name, .n = c->n, .nargs = c->nargs};
    end_look(&l);
    return r;
}

trace_value trace_terms_cell_arg(const trace *t, uint32_t reduction, uint32_t cell,
                                 uint32_t argument)
{
    look l = begin_look(t, reduction);
    const term_slot *s = l.slot;
    const block_cell *c = &s->cells[s->dynamics[l.start].cell + cell];
    trace_value v = value_at(s, c->value + argument);
    end_look(&l);
    return v;
}

trace_value trace_terms_goal_arg(const trace *t, uint32_t reduction, uint32_t goal,
                                 uint32_t argument)
{
    look l = begin_look(t, reduction);
    const term_slot *s = l.slot;
    uint32_t first = s->goals[s->dynamics[l.start].goal + goal];
    trace_value v = value_at(s, first + argument);
    end_look(&l);
    return v;
}

void trace_terms_goal_args(const trace *t, uint32_t reduction, uint32_t goal, uint32_t n,
                           trace_value *ret)
{
    look l = begin_look(t, reduction);
    const term_slot *s = l.slot;
    uint32_t first = s->goals[s->dynamics[l.start].goal + goal];
    for (uint32_t i = 0; i < n; i++)
        ret[i] = value_at(s, first + i);
    end_look(&l);
}

bool trace_terms_pair(const trace *t, uint32_t reduction, uint32_t cell, uint32_t *ret_name,
                      trace_value *ret_arg)
{
    look l = begin_look(t, reduction);
    const term_slot *s = l.slot;
    const block_cell *c = &s->cells[s->dynamics[l.start].cell + cell];
    bool pair = c->kind == TC_STRUCT && c->n == 1;
    if (pair) {
        *ret_name = c->name;
        *ret_arg = value_at(s, c->value);
    }
    end_look(&l);
    return pair;
}
