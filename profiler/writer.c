// SPDX-License-Identifier: MIT
//
// The writer. Records are coded into pending chunks; a full block of reductions is compressed and
// written, after the tables it refers to. Nothing depends on clock, host or path, so equal calls
// give equal bytes.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#include "profiler/encode.h"

#define COMPRESSION_LEVEL 1

// A block ends when it has its reductions or one of its columns has so many bytes. The first
// blocks are shorter: a run killed early leaves a trace too.
#define BLOCK_BYTES (4u << 20)
#define FIRST_BLOCK 1024u

typedef struct {
    column_out columns[COLUMNS];
    uint32_t count; // records
} pending;

// Interned strings: open addressing, at most half full; index TRACE_NONE marks a free slot.
typedef struct {
    uint64_t hash;
    uint32_t index;
} string_slot;

struct tw {
    int fd;
    char *path, *error;
    uint64_t bytes;
    ZSTD_CCtx *zstd;
    uint8_t *chunk; // the chunk being assembled
    size_t chunk_capacity;

    pending chunks[CHUNK_KINDS]; // by kind
    uint32_t block;                // reductions in the block that is being filled, at most

    uint32_t nstrings, nsources, nmodules, nplaces, npredicates;
    string_slot *slots;
    uint32_t nslots; // a power of two
    string_record *strings;
    uint32_t strings_capacity;
    arena tables; // texts of strings, templates of clauses
    LIST_OF(clause_entry) clauses;

    coding k;
    predictor p;
    block b; // the reductions of the block that is being filled
    // Bindings of the block's own variables: by cell, and their values.
    LIST_OF(uint32_t) bound_cells;
    LIST_OF(uint64_t) bound_values, bound_longs;
    bool real;
    LIST_OF(int64_t) place_ends; // the last reduction at each place
    uint32_t raced;
    uint32_t waiting_goal; // predicted for the next tw_waiting
    uint32_t nreductions, ngoals, nbindings;
};

__attribute__((format(printf, 2, 3))) static void fail(tw *w, const char *format, ...)
{
    if (w->error)
        return;
    va_list args;
    va_start(args, format);
    char *reason = text_vformat(format, args);
    va_end(args);
    w->error = text_format("%s: %s", w->path, reason ? reason : "out of memory");
    free(reason);
    if (!w->error)
        w->error = strdup("out of memory");
}

// ---------------------------------------------------------------------------------------------
// Chunks

static const uint8_t columns_of[] = {
#define CHUNK(number, name, columns, text) [number] = columns,
#include "profiler/events.def"
};

static void write_bytes(tw *w, const uint8_t *bytes, size_t size)
{
    while (size > 0 && !w->error) {
        ssize_t n = write(w->fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            fail(w, "cannot write: %s", strerror(errno));
            return;
        }
        bytes += n;
        size -= (size_t)n;
        w->bytes += (uint64_t)n;
    }
}

static bool chunk_reserve(tw *w, size_t size)
{
    if (size <= w->chunk_capacity)
        return true;
    uint8_t *chunk = realloc(w->chunk, size);
    if (!chunk) {
        fail(w, "out of memory");
        return false;
    }
    w->chunk = chunk;
    w->chunk_capacity = size;
    return true;
}

// Appends a column to the chunk at `at`; its stored length, or 0 after a failure.
static size_t pack_column(tw *w, size_t at, const column_out *column)
{
    size_t raw = column_size(column), bound = ZSTD_compressBound(raw);
    if (!chunk_reserve(w, at + bound))
        return 0;
    size_t stored =
        ZSTD_compressCCtx(w->zstd, w->chunk + at, bound, column->start, raw, COMPRESSION_LEVEL);
    if (!ZSTD_isError(stored) && stored < raw)
        return stored;
    memcpy(w->chunk + at, column->start, raw);
    return raw;
}

static void flush_chunk(tw *w, enum chunk_kind kind)
{
    pending *p = &w->chunks[kind];
    size_t size = CHUNK_HEADER;
    if (p->count == 0 || w->error || !chunk_reserve(w, size))
        return;
    memset(w->chunk, 0, CHUNK_HEADER);
    store32(w->chunk, kind);
    store32(w->chunk + 4, p->count);
    for (int i = 0; i < columns_of[kind]; i++) {
        column_out *column = &p->columns[i];
        if (column->failed || column_size(column) > UINT32_MAX) {
            fail(w, column->failed ? "out of memory" : "a chunk is larger than 4 GB");
            return;
        }
        size_t stored = pack_column(w, size, column);
        if (w->error)
            return;
        store32(w->chunk + CHUNK_RAW + 4 * i, (uint32_t)column_size(column));
        store32(w->chunk + CHUNK_STORED + 4 * i, (uint32_t)stored);
        size += stored;
        column->at = column->start;
    }
    uint64_t sum = checksum(0, w->chunk, CHUNK_SUM);
    store64(w->chunk + CHUNK_SUM, checksum(sum, w->chunk + CHUNK_HEADER, size - CHUNK_HEADER));
    write_bytes(w, w->chunk, size);
    p->count = 0;
}

// The tables go first, each after those it refers to.
static void flush_block(tw *w)
{
    if (w->chunks[CHUNK_WAITING].count > 0 && w->chunks[CHUNK_REDUCTIONS].count > 0)
        fail(w, "a reduction after the end of the run");
    for (int kind = CHUNK_STRINGS; kind < CHUNK_REDUCTIONS; kind++)
        flush_chunk(w, (enum chunk_kind)kind);
    flush_chunk(w, CHUNK_PLACES);
    flush_chunk(w, CHUNK_REDUCTIONS);
    block_begin(&w->b, w->k.cells, w->ngoals);
    w->bound_cells.n = w->bound_values.n = w->bound_longs.n = 0;
    if (w->block < BLOCK_REDUCTIONS)
        w->block *= 2;
}

static void destroy(tw *w)
{
    if (w->fd >= 0)
        close(w->fd);
    for (int kind = 0; kind < CHUNK_KINDS; kind++)
        for (int i = 0; i < COLUMNS; i++)
            column_finish(&w->chunks[kind].columns[i]);
    ZSTD_freeCCtx(w->zstd);
    arena_finish(&w->tables);
    free(w->chunk);
    free(w->slots);
    free(w->strings);
    block_finish(&w->b);
    free(w->clauses.items);
    free(w->bound_cells.items);
    free(w->bound_values.items);
    free(w->bound_longs.items);
    free(w->place_ends.items);
    free(w->path);
    free(w->error);
    free(w);
}

static bool initialise(tw *w)
{
    w->zstd = ZSTD_createCCtx();
    w->nslots = 1024;
    w->slots = malloc(w->nslots * sizeof *w->slots);
    if (!w->path || !w->zstd || !w->slots)
        return false;
    memset(w->slots, 0xff, w->nslots * sizeof *w->slots);
    for (int kind = CHUNK_RUN; kind < CHUNK_KINDS; kind++)
        for (int i = 0; i < columns_of[kind]; i++)
            if (!column_init(&w->chunks[kind].columns[i]))
                return false;
    return true;
}

static void write_beginning(tw *w, const trace_run *run, const char *program)
{
    uint8_t header[FILE_HEADER] = {0};
    memcpy(header, FILE_MAGIC, FILE_MAGIC_SIZE);
    store32(header + FILE_MAGIC_SIZE, FILE_VERSION);
    write_bytes(w, header, sizeof header);
    const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;
    run_record r = {
        .program = base, .length = strlen(base), .clock = run->clock, .places = run->places};
    put_run(&w->chunks[CHUNK_RUN].columns[0], &w->k, &r);
    w->real = run->clock != TRACE_VIRTUAL;
    if (w->real)
        put_workers(&w->chunks[CHUNK_RUN].columns[1], &w->k, &r);
    if (run->places > TRACE_PLACES)
        fail(w, "more than %u places", TRACE_PLACES);
    w->chunks[CHUNK_RUN].count = 1;
    flush_chunk(w, CHUNK_RUN);
}

tw *tw_create(const char *path, const trace_run *run, const char *program, char **ret_error)
{
    tw *w = calloc(1, sizeof *w);
    if (!w) {
        *ret_error = strdup("out of memory");
        return NULL;
    }
    w->fd = -1;
    w->path = strdup(path);
    w->block = FIRST_BLOCK;
    if (!initialise(w)) {
        *ret_error = strdup("out of memory");
        destroy(w);
        return NULL;
    }
    w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (w->fd < 0)
        fail(w, "cannot create: %s", strerror(errno));
    write_beginning(w, run, program);
    if (w->error) {
        *ret_error = w->error;
        w->error = NULL;
        destroy(w);
        return NULL;
    }
    return w;
}

uint64_t tw_bytes(const tw *w)
{
    return w->bytes;
}

const char *tw_error(const tw *w)
{
    return w->error;
}

// ---------------------------------------------------------------------------------------------
// Tables

// Counts a record of a table; its index.
static uint32_t next_index(tw *w, enum chunk_kind kind, uint32_t *total)
{
    if (*total >= INDEX_LIMIT) {
        fail(w, "more than %u entries in a table", INDEX_LIMIT);
        return 0;
    }
    w->chunks[kind].count++;
    return (*total)++;
}

static uint64_t string_hash(const char *text, size_t length)
{
    uint64_t h = length;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (uint8_t)text[i]) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 32;
}

static bool strings_reserve(tw *w)
{
    if (w->nstrings == w->strings_capacity) {
        uint32_t capacity = w->strings_capacity ? 2 * w->strings_capacity : 256;
        string_record *strings = realloc(w->strings, capacity * sizeof *strings);
        if (!strings)
            return false;
        w->strings = strings;
        w->strings_capacity = capacity;
    }
    if (w->nstrings < w->nslots / 2 || w->nslots > UINT32_MAX / 2)
        return true;
    uint32_t n = 2 * w->nslots;
    string_slot *slots = malloc(n * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, n * sizeof *slots);
    for (uint32_t i = 0; i < w->nslots; i++) {
        uint64_t at = w->slots[i].hash;
        if (w->slots[i].index == TRACE_NONE)
            continue;
        while (slots[at & (n - 1)].index != TRACE_NONE)
            at++;
        slots[at & (n - 1)] = w->slots[i];
    }
    free(w->slots);
    w->slots = slots;
    w->nslots = n;
    return true;
}

uint32_t tw_string(tw *w, const char *text, size_t length)
{
    if (w->error)
        return 0;
    uint64_t hash = string_hash(text, length), at = hash;
    for (;; at++) {
        const string_slot *slot = &w->slots[at & (w->nslots - 1)];
        if (slot->index == TRACE_NONE)
            break;
        const string_record *known = &w->strings[slot->index];
        if (slot->hash == hash && known->length == length && memcmp(known->text, text, length) == 0)
            return slot->index;
    }
    char *copy = arena_take(&w->tables, length + 1);
    if (!copy || !strings_reserve(w)) {
        fail(w, "out of memory");
        return 0;
    }
    memcpy(copy, text, length);
    string_record r = {.text = copy, .length = length};
    column_out *column = &w->chunks[CHUNK_STRINGS].columns[0];
    put_string(column, &w->k, &r);
    uint32_t index = next_index(w, CHUNK_STRINGS, &w->nstrings);
    w->strings[index] = r;
    if (column_size(column) >= BLOCK_BYTES)
        flush_chunk(w, CHUNK_STRINGS);
    while (w->slots[hash & (w->nslots - 1)].index != TRACE_NONE)
        hash++;
    w->slots[hash & (w->nslots - 1)] = (string_slot){string_hash(text, length), index};
    return index;
}

uint32_t tw_source(tw *w, const char *name, const char *text, size_t length)
{
    trace_source r;
    r.name = tw_string(w, name, strlen(name));
    r.text = tw_string(w, text, length);
    if (w->error)
        return 0;
    put_source(&w->chunks[CHUNK_SOURCES].columns[0], &w->k, &r);
    return next_index(w, CHUNK_SOURCES, &w->nsources);
}

uint32_t tw_module(tw *w, const char *name)
{
    module_record r = {.name = tw_string(w, name, strlen(name))};
    if (w->error)
        return 0;
    put_module(&w->chunks[CHUNK_MODULES].columns[0], &w->k, &r);
    return next_index(w, CHUNK_MODULES, &w->nmodules);
}

uint32_t tw_place(tw *w, const char *name)
{
    place_name_record r = {.name = tw_string(w, name, strlen(name))};
    if (w->error)
        return 0;
    put_place_name(&w->chunks[CHUNK_PLACE_NAMES].columns[0], &w->k, &r);
    return next_index(w, CHUNK_PLACE_NAMES, &w->nplaces);
}

uint32_t tw_predicate(tw *w, uint32_t module, const char *name, uint32_t arity,
                      trace_origin origin)
{
    trace_predicate r = {.module = module, .arity = arity, .origin = (uint8_t)origin};
    r.name = tw_string(w, name, strlen(name));
    if (w->error)
        return 0;
    put_predicate(&w->chunks[CHUNK_PREDICATES].columns[0], &w->k, &r);
    return next_index(w, CHUNK_PREDICATES, &w->npredicates);
}

// The nodes with what has no meaning for their kind set to 0, so that the bytes do not depend on
// it. NULL without memory.
static trace_node *plain_nodes(const trace_clause *clause)
{
    trace_node *nodes = calloc(clause->nnodes + 1u, sizeof *nodes);
    for (uint32_t i = 0; nodes && i < clause->nnodes; i++) {
        const trace_node *node = &clause->nodes[i];
        nodes[i] = (trace_node){.kind = node->kind, .value = {.kind = TV_INT}};
        if (node->kind != TN_CONST)
            nodes[i].index = node->index;
        if (node->kind == TN_CONST || node->kind == TN_STRUCT)
            nodes[i].value = node->value;
        if (node->kind >= TN_CONS) {
            nodes[i].first = node->first;
            nodes[i].n = node->n;
        }
    }
    return nodes;
}

static void *copy_array(tw *w, const void *items, uint64_t n, size_t size)
{
    void *copy = n > SIZE_MAX / 2 / size ? NULL : arena_take(&w->tables, (size_t)n * size);
    if (copy && n > 0)
        memcpy(copy, items, (size_t)n * size);
    return copy;
}

// Keeps what predictions need of a clause. The reason why it is none, or NULL.
static const char *keep_clause(tw *w, const trace_clause *clause)
{
    clause_entry e = {.clause = *clause};
    trace_clause *c = &e.clause;
    uint64_t nguesses = (uint64_t)HOLE_GUESSES + c->nholes;
    if (c->nstructs > c->nnodes)
        return "a cell without a node";
    c->nodes = copy_array(w, clause->nodes, c->nnodes, sizeof *c->nodes);
    c->children = copy_array(w, clause->children, c->nchildren, sizeof *c->children);
    c->items = copy_array(w, clause->items, c->nitems, sizeof *c->items);
    c->looks = c->names = NULL; // the caller's
    e.guesses = arena_take(&w->tables, (size_t)nguesses * sizeof *e.guesses);
    uint32_t *structs = arena_take(&w->tables, c->nstructs * sizeof *structs);
    uint32_t *goal_items = arena_take(&w->tables, c->nitems * sizeof *goal_items);
    if (!c->nodes || !c->children || !c->items || !e.guesses || !structs || !goal_items ||
        !LIST_RESERVE(&w->clauses, 1))
        return "out of memory";
    for (uint64_t i = 0; i < nguesses; i++)
        e.guesses[i] = (guess){.address = TRACE_NONE};
    const char *reason = clause_prepare(&e, goal_items, structs);
    if (!reason)
        w->clauses.items[w->clauses.n] = e;
    return reason;
}

uint32_t tw_clause(tw *w, const trace_clause *clause)
{
    if (w->error)
        return 0;
    uint32_t index = (uint32_t)w->clauses.n;
    trace_node *nodes = plain_nodes(clause);
    trace_clause r = *clause;
    r.nodes = nodes;
    const char *reason = nodes ? keep_clause(w, &r) : "out of memory";
    if (reason) {
        fail(w, "clause %u: %s", index, reason);
    } else {
        put_clause(&w->chunks[CHUNK_CLAUSES].columns[0], &w->k, &r);
        w->chunks[CHUNK_CLAUSES].count++;
        w->clauses.n++;
    }
    free(nodes);
    return index;
}

// ---------------------------------------------------------------------------------------------
// The run

// Whether a total can grow by n.
static bool room(tw *w, uint32_t total, uint32_t n, uint32_t limit, const char *what)
{
    if (__builtin_expect((uint64_t)total + n <= limit, 1))
        return true;
    fail(w, "more than %u %s: the trace ends here", limit, what);
    return false;
}

static bool count_reduction(tw *w, const clause_entry *c, const trace_reduction *r)
{
    uint32_t cells = c->clause.dynamic ? r->ncells : ncells_of(c);
    uint32_t goals = c->clause.dynamic ? r->ngoals : c->ngoals;
    if (!room(w, w->nreductions, 1, REDUCTION_LIMIT, "reductions") ||
        !room(w, w->k.cells, cells, INDEX_LIMIT, "cells") ||
        !room(w, w->ngoals, goals, INDEX_LIMIT, "goals") ||
        !room(w, w->nbindings, r->nbindings, INDEX_LIMIT, "bindings"))
        return false;
    w->nreductions++;
    w->ngoals += goals;
    w->nbindings += r->nbindings;
    w->k.old_cells = w->k.cells;
    w->k.cells += cells;
    w->k.nholes = c->clause.nholes;
    return true;
}

// The reader refuses what is wrong here, but by then the caller cannot be found.
static bool skeleton_sound(tw *w, const trace_reduction *r)
{
    if (w->chunks[CHUNK_PROFILE].count > 0)
        fail(w, "a reduction beside a profile");
    else if (r->time < w->k.time)
        fail(w, "the time of reduction %u is before that of the one before", w->nreductions);
    else if (w->nreductions > 0 && r->goal >= w->ngoals)
        fail(w, "reduction %u is of goal %u, which does not exist", w->nreductions, r->goal);
    else if (r->clause >= w->clauses.n)
        fail(w, "reduction %u is of clause %u, which does not exist", w->nreductions, r->clause);
    else if (w->real && r->place >= TRACE_PLACES)
        fail(w, "reduction %u is at place %u: there are fewer", w->nreductions, r->place);
    else if (w->real && (r->start < 0 || r->end < r->start))
        fail(w, "reduction %u ends before it starts, or starts before the run", w->nreductions);
    return !w->error;
}

static void put_skeleton(tw *w, const trace_reduction *r)
{
    column_out *columns = w->chunks[CHUNK_REDUCTIONS].columns;
    bool beginning = w->nreductions == 1;
    trace_reduction named = {.goal = beginning ? w->k.goal : r->goal}; // the beginning has no goal
    put_goal_of(&columns[COLUMN_GOAL], &w->k, &named);
    put_clause_of(&columns[COLUMN_CLAUSE], &w->k, r);
    put_time_of(&columns[COLUMN_TIME], &w->k, r);
    w->k.goal = beginning ? w->k.goal : r->goal + 1;
    w->k.time = r->time;
}

// Where and when it ran.
static bool put_places(tw *w, const trace_reduction *r)
{
    pending *p = &w->chunks[CHUNK_PLACES];
    if (!LIST_RESERVE(&w->place_ends, r->place + 1u)) {
        fail(w, "out of memory");
        return false;
    }
    while (w->place_ends.n <= r->place)
        w->place_ends.items[w->place_ends.n++] = 0;
    w->k.ended = w->place_ends.items[r->place];
    w->k.start = r->start;
    put_place_of(&p->columns[COLUMN_PLACE], &w->k, r);
    put_start_of(&p->columns[COLUMN_START], &w->k, r);
    put_end_of(&p->columns[COLUMN_END], &w->k, r);
    w->place_ends.items[r->place] = r->end;
    p->count++;
    return true;
}

static void put_terms(tw *w, const trace_reduction *r)
{
    column_out *terms = &w->chunks[CHUNK_REDUCTIONS].columns[COLUMN_TERMS];
    if (w->p.clause->clause.dynamic) {
        put_counts(terms, &w->k, r);
        put_made(terms, &w->k, r);
    } else {
        put_holes(terms, &w->k, r);
    }
}

// The bindings that predictions may use; its lists move when they grow.
static bindings_view bindings_of_block(const tw *w)
{
    return (bindings_view){.cells = w->bound_cells.items,
                           .first = w->b.first_cell,
                           .n = (uint32_t)w->bound_cells.n,
                           .values = w->bound_values.items,
                           .longs = w->bound_longs.items,
                           .nvalues = w->bound_values.n};
}

// Keeps the reduction for the predictions of later ones of the block.
static bool keep_reduction(tw *w, const trace_reduction *r)
{
    bool dynamic = w->p.clause->clause.dynamic;
    uint32_t ncells = w->k.cells - w->k.old_cells;
    if (!block_add(&w->b, w->p.clause, r, ncells, dynamic ? r->ngoals : w->p.clause->ngoals) ||
        !LIST_RESERVE(&w->bound_cells, ncells)) {
        fail(w, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < ncells; i++)
        w->bound_cells.items[w->bound_cells.n++] = TRACE_NONE;
    w->p.bound = bindings_of_block(w);
    return true;
}

static void keep_bindings(tw *w, const trace_reduction *r)
{
    if (!LIST_RESERVE(&w->bound_values, r->nbindings) ||
        !LIST_RESERVE(&w->bound_longs, r->nbindings)) {
        fail(w, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < r->nbindings; i++) {
        const trace_binding *b = &r->bindings[i];
        if (b->variable < w->b.first_cell || b->variable - w->b.first_cell >= w->bound_cells.n)
            continue;
        w->bound_cells.items[b->variable - w->b.first_cell] = (uint32_t)w->bound_values.n;
        w->bound_values.items[w->bound_values.n++] =
            pack_value(&b->value, 0, w->bound_longs.items, w->bound_longs.n);
        w->bound_longs.n += value_is_long(&b->value);
    }
}

static void predict_from(tw *w, const clause_entry *c, const trace_reduction *r)
{
    w->k.p = &w->p;
    w->p = (predictor){.b = &w->b,
                       .clauses = w->clauses.items,
                       .clause = c,
                       .goal = w->nreductions > 1 ? r->goal : TRACE_NONE,
                       .r = r,
                       .bound = bindings_of_block(w)};
}

static bool is_astray(const pending *p)
{
    return p->columns[COLUMN_READS].astray || p->columns[COLUMN_TERMS].astray ||
           p->columns[COLUMN_BINDINGS].astray;
}

void tw_reduction(tw *w, const trace_reduction *r)
{
    if (w->error || !skeleton_sound(w, r))
        return;
    const clause_entry *c = &w->clauses.items[r->clause];
    pending *p = &w->chunks[CHUNK_REDUCTIONS];
    if (!count_reduction(w, c, r) || (w->real && !put_places(w, r)))
        return;
    predict_from(w, c, r);
    put_skeleton(w, r);
    put_reads(&p->columns[COLUMN_READS], &w->k, r);
    put_terms(w, r);
    if (!keep_reduction(w, r))
        return;
    put_bindings(&p->columns[COLUMN_BINDINGS], &w->k, r);
    keep_bindings(w, r);
    if (is_astray(p)) {
        fail(w, "reduction %u (clause %u) names a cell that does not exist", w->nreductions - 1,
             r->clause);
        return;
    }
    p->count++;
    if (p->count == w->block || column_size(&p->columns[COLUMN_READS]) >= BLOCK_BYTES ||
        column_size(&p->columns[COLUMN_TERMS]) >= BLOCK_BYTES ||
        column_size(&p->columns[COLUMN_BINDINGS]) >= BLOCK_BYTES)
        flush_block(w);
}

void tw_raced(tw *w, uint32_t n)
{
    if (!__builtin_add_overflow(w->raced, n, &n))
        w->raced = n;
}

// From each bucket to the next.
static const uint64_t *changes(uint64_t *list, const uint64_t *values, uint32_t n)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        list[i] = zigzag((int64_t)(values[i] - before));
        before = values[i];
    }
    return list;
}

// list: room for as many values as there are buckets.
static void put_figures(tw *w, const coding *k, const trace_profile_row *row, uint64_t *list)
{
    column_out *columns = w->chunks[CHUNK_PROFILE].columns;
    trace_profile_row r = *row;
    put_row(&columns[COLUMN_ROWS], k, &r);
    r.reduced = changes(list, row->reduced, k->nbuckets);
    put_reduced(&columns[COLUMN_REDUCED], k, &r);
    r.waiting = changes(list, row->waiting, k->nbuckets);
    put_waited(&columns[COLUMN_WAITED], k, &r);
}

void tw_profile(tw *w, const trace_profile *p)
{
    pending *chunk = &w->chunks[CHUNK_PROFILE];
    coding k = {.nbuckets = p->nbuckets};
    if (w->nreductions > 0 || chunk->count > 0)
        fail(w, "a profile beside reductions or another profile");
    if (w->error)
        return;
    uint64_t *list = malloc((p->nbuckets + (size_t)1) * sizeof *list);
    if (!list) {
        fail(w, "out of memory");
        return;
    }
    put_profile(&chunk->columns[COLUMN_ROWS], &k, p);
    for (uint32_t i = 0; i <= p->nmodules; i++)
        put_figures(w, &k, &p->rows[i], list);
    free(list);
    chunk->count = p->nmodules + 1;
}

void tw_waiting(tw *w, uint32_t goal, const uint32_t *variables, uint32_t n)
{
    if (w->error)
        return;
    flush_block(w);
    pending *waiting = &w->chunks[CHUNK_WAITING];
    coding k = {.goal = w->waiting_goal, .cells = w->k.cells};
    waiting_record r = {.goal = goal, .n = n, .variables = variables};
    put_waiting(&waiting->columns[0], &k, &r);
    if (waiting->columns[0].astray)
        fail(w, "waiting goal %u names a cell that does not exist", goal);
    w->waiting_goal = goal + 1;
    waiting->count++;
    if (column_size(&waiting->columns[0]) >= BLOCK_BYTES)
        flush_chunk(w, CHUNK_WAITING);
}

bool tw_finish(tw *w, trace_ending ending, int status, uint32_t failed_goal, const char *message,
               char **ret_error)
{
    flush_block(w);
    flush_chunk(w, CHUNK_WAITING);
    flush_chunk(w, CHUNK_PROFILE);
    end_record r = {.ending = ending,
                    .status = status,
                    .failed_goal = failed_goal,
                    .message = message ? message : "",
                    .length = message ? strlen(message) : 0,
                    .reductions = w->nreductions,
                    .goals = w->ngoals,
                    .cells = w->k.cells,
                    .bindings = w->nbindings,
                    .raced = w->raced};
    put_end(&w->chunks[CHUNK_END].columns[0], &w->k, &r);
    if (w->raced > 0)
        put_races(&w->chunks[CHUNK_END].columns[1], &w->k, &r);
    w->chunks[CHUNK_END].count = 1;
    flush_chunk(w, CHUNK_END);
    if (w->fd >= 0 && close(w->fd) != 0)
        fail(w, "cannot write: %s", strerror(errno));
    w->fd = -1;
    bool good = !w->error;
    if (!good) {
        *ret_error = w->error;
        w->error = NULL;
    }
    destroy(w);
    return good;
}
