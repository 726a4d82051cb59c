// SPDX-License-Identifier: MIT
//
// Records become bytes of columns, and errors of the caller are found as far as the records show
// them.
#include "profiler/write/encoder.h"

#include <errno.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/write/kept.h"
#include "profiler/write/limit.h"

// A block ends when it has its reductions or one of its columns has so many bytes. The first
// blocks are shorter: a run killed early leaves a trace too.
#define BLOCK_BYTES (4u << 20)
#define FIRST_BLOCK 1024u

// What usual reductions add to each total at most: one of them, and all of a block.
#define USUAL_ENTRIES SMALL_CLAUSE
#define BLOCK_ENTRIES (BLOCK_REDUCTIONS * USUAL_ENTRIES)

void trace_encoder_fail(encoder *e, const char *format, ...)
{
    if (e->failed)
        return;
    va_list args;
    va_start(args, format);
    char *reason = trace_text_vformat(format, args);
    va_end(args);
    e->error = trace_text_format("%s: %s", e->path, reason ? reason : "out of memory");
    free(reason);
    if (!e->error)
        e->error = strdup("out of memory");
    e->failed = true;
}

// The error's text says everything; NULL is one for which there was no memory.
static void fail_with(encoder *e, char *error)
{
    if (e->failed)
        free(error);
    else
        e->error = error ? error : strdup("out of memory");
    e->failed = true;
}

bool trace_encoder_init(encoder *e, const char *path, base_output_kind kind)
{
    *e = (encoder){.kind = kind, .path = strdup(path), .block_size = FIRST_BLOCK,
                   .k.nfigures = TRACE_FIGURES};
    return e->path && trace_chunks_init(e);
}

void trace_encoder_finish(encoder *e)
{
    base_output_abandon(e->out);
    trace_chunks_finish(e);
    trace_block_finish(&e->b);
    free(e->clauses.at);
    free(e->kept.at);
    trace_arena_finish(&e->kept_memory);
    free(e->guesses.at);
    free(e->cells.at);
    free(e->goals.at);
    free(e->place_ends.at);
    free(e->older.at);
    trace_limit_destroy(e->limit);
    trace_sums_destroy(e->sums);
    free(e->path);
}

// ---------------------------------------------------------------------------------------------
// What stands before a block

#define MOST_STANDING 1024u // modules: each block tells all of them

// A run that is too short for a summary tells nothing.
static void begin_standing(encoder *e)
{
    const sums *s = e->sums;
    e->is_standing = s && !s->lost && !e->real && s->nmodules <= MOST_STANDING &&
                     e->nreductions >= s->wanted.least;
    if (!e->is_standing)
        return;
    pending *chunk = &e->chunks[CHUNK_STANDING];
    put_stands(&chunk->columns[COLUMN_STANDING], &e->k, &(stands_record){s->time});
    for (uint32_t m = 0; m < s->nmodules; m++) {
        const sum_module *x = &s->modules[m];
        standing_record r = {(uint64_t)x->standing, x->reduced, x->created};
        put_standing(&chunk->columns[COLUMN_STANDING], &e->k, &r);
    }
    chunk->count = s->nmodules;
    e->older.n = 0;
}

static void flush_standing(encoder *e)
{
    pending *chunk = &e->chunks[CHUNK_STANDING];
    if (!e->is_standing)
        return;
    if (e->sums->lost) { // within the block
        chunk->count = 0;
        chunk->columns[COLUMN_STANDING].at = chunk->columns[COLUMN_STANDING].start;
    } else {
        put_older(&chunk->columns[COLUMN_OLDER], &e->k, &(older_record){(uint32_t)e->older.n, e->older.at});
        trace_flush_chunk(e, CHUNK_STANDING);
    }
    e->is_standing = false;
}

// The tables go first, each after those it refers to.
void trace_flush_block(encoder *e)
{
    if (e->limit)
        trace_limit_keep_tables(e);
    if (e->chunks[CHUNK_WAITING].count > 0 && e->chunks[CHUNK_REDUCTIONS].count > 0)
        trace_encoder_fail(e, "a reduction after the end of the run");
    for (int kind = CHUNK_STRINGS; kind < CHUNK_REDUCTIONS; kind++)
        trace_flush_chunk(e, (enum chunk_kind)kind);
    trace_flush_chunk(e, CHUNK_MEANINGS);
    trace_flush_chunk(e, CHUNK_PLACE_NAMES);
    trace_flush_chunk(e, CHUNK_PLACES);
    flush_standing(e);
    trace_flush_chunk(e, CHUNK_REDUCTIONS);
    if (e->block_size < BLOCK_REDUCTIONS)
        e->block_size *= 2;
    if (e->limit)
        trace_limit_end_block(e);
    else if (e->nreductions > 0 && e->out && !e->failed)
        base_output_settle(e->out);
}

// ---------------------------------------------------------------------------------------------
// Tables

static void encode_string(encoder *e, const raw_string *raw)
{
    string_record r = {.text = raw->text, .length = raw->length};
    column_out *column = &e->chunks[CHUNK_STRINGS].columns[0];
    put_string(column, &e->k, &r);
    e->chunks[CHUNK_STRINGS].count++;
    e->nstrings++;
    if (column_size(column) >= BLOCK_BYTES)
        trace_flush_chunk(e, CHUNK_STRINGS);
}

// Whether a trace has anything of its run, beyond tables. What is no trace is somebody's file.
static bool has_first_part(int fd)
{
    uint8_t header[CHUNK_HEADER];
    off_t at = FILE_HEADER;
    if (pread(fd, header, FILE_HEADER, 0) != FILE_HEADER ||
        memcmp(header, FILE_MAGIC, FILE_MAGIC_SIZE) != 0)
        return true;
    while (pread(fd, header, CHUNK_HEADER, at) == CHUNK_HEADER) {
        uint32_t kind = load32(header);
        if (kind == CHUNK_REDUCTIONS || kind == CHUNK_PROFILE || kind == CHUNK_TOTALS ||
            kind == CHUNK_SAMPLES || kind == CHUNK_END)
            return true;
        at += CHUNK_HEADER;
        for (int i = 0; i < COLUMNS; i++)
            at += load32(header + CHUNK_STORED + 4 * i);
    }
    return false;
}

void trace_encode_run(encoder *e, const run_record *r)
{
    pending *p = &e->chunks[CHUNK_RUN];
    char *error = NULL;
    e->out = base_output_open(e->path, e->kind, has_first_part, &error);
    if (!e->out)
        fail_with(e, error);
    e->real = r->clock != TRACE_VIRTUAL;
    trace_write_file_header(e, r->clock == TRACE_MEASURED ? FILE_MEASURED
                               : r->summed                ? FILE_SUMMED
                               : e->real                  ? FILE_REAL
                                                          : FILE_IDEAL);
    put_run(&p->columns[COLUMN_RUN], &e->k, r);
    if (e->real)
        put_workers(&p->columns[COLUMN_WORKERS], &e->k, r);
    if (r->part)
        put_part(&p->columns[COLUMN_PART], &e->k, r);
    p->count = 1;
    trace_flush_chunk(e, CHUNK_RUN);
}

static void count_entry(encoder *e, enum chunk_kind kind)
{
    e->chunks[kind].count++;
    if (e->limit)
        trace_limit_keep_entry(e);
}

void trace_encode_source(encoder *e, const trace_source *r)
{
    put_source(&e->chunks[CHUNK_SOURCES].columns[0], &e->k, r);
    count_entry(e, CHUNK_SOURCES);
}

void trace_encode_module(encoder *e, const trace_module *r)
{
    put_module(&e->chunks[CHUNK_MODULES].columns[0], &e->k, r);
    count_entry(e, CHUNK_MODULES);
}

void trace_encode_meaning(encoder *e, const meaning_record *r)
{
    put_meaning(&e->chunks[CHUNK_MEANINGS].columns[0], &e->k, r);
    count_entry(e, CHUNK_MEANINGS);
}

void trace_encode_place_name(encoder *e, const place_name_record *r)
{
    put_place_name(&e->chunks[CHUNK_PLACE_NAMES].columns[0], &e->k, r);
    count_entry(e, CHUNK_PLACE_NAMES);
}

void trace_encode_predicate(encoder *e, const trace_predicate *r)
{
    put_predicate(&e->chunks[CHUNK_PREDICATES].columns[0], &e->k, r);
    if (e->sums)
        trace_sums_predicate(e->sums, (trace_origin)r->origin);
    count_entry(e, CHUNK_PREDICATES);
}

void trace_encode_clause(encoder *e, const clause_entry *c, const trace_clause *r)
{
    if (!ARRAY_RESERVE(e->clauses, 1) || !ARRAY_RESERVE(e->kept, 1)) {
        trace_encoder_fail(e, "out of memory");
        return;
    }
    e->clauses.at[e->clauses.n++] = *c;
    e->kept.at[e->kept.n++] = (kept_clause){0};
    put_clause(&e->chunks[CHUNK_CLAUSES].columns[0], &e->k, r);
    put_shape(&e->chunks[CHUNK_CLAUSES].columns[0], &e->k, r);
    count_entry(e, CHUNK_CLAUSES);
}

// ---------------------------------------------------------------------------------------------
// A reduction out of its words

// Whether a total can grow by n.
static bool room(encoder *e, uint32_t total, uint32_t n, uint32_t limit, const char *what)
{
    if (__builtin_expect((uint64_t)total + n <= limit, 1))
        return true;
    trace_encoder_fail(e, "more than %u %s: the trace ends here", limit, what);
    return false;
}

// The reader refuses what is wrong here, but by then the caller cannot be found.
static bool skeleton_sound(encoder *e, const step_record *r)
{
    if (e->chunks[CHUNK_PROFILE].count > 0)
        trace_encoder_fail(e, "a reduction beside a profile");
    else if (r->time < e->k.time)
        trace_encoder_fail(e, "the time of reduction %u is before that of the one before",
                           e->nreductions);
    else if (e->nreductions > 0 && r->goal >= e->ngoals)
        trace_encoder_fail(e, "reduction %u is of goal %u, which does not exist", e->nreductions,
                           r->goal);
    else if (r->clause >= e->clauses.n)
        trace_encoder_fail(e, "reduction %u is of clause %u, which does not exist", e->nreductions,
                           r->clause);
    else if (e->real && r->place >= TRACE_PLACES)
        trace_encoder_fail(e, "reduction %u is at place %u: there are fewer", e->nreductions,
                           r->place);
    else if (e->real && (r->start < 0 || r->end < r->start))
        trace_encoder_fail(e, "reduction %u ends before it starts, or starts before the run",
                           e->nreductions);
    return !e->failed;
}

// Cells and goals of a dynamic reduction; where they end.
static const uint64_t *unpack_made(encoder *e, const uint64_t *at)
{
    step_record *r = &e->r;
    if (!ARRAY_RESERVE(e->cells, r->ncells) || !ARRAY_RESERVE(e->goals, r->ngoals)) {
        trace_encoder_fail(e, "out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < r->ncells + r->ngoals; i++) {
        const raw_made *made = (const void *)at;
        at += sizeof *made / sizeof *at;
        if (i < r->ncells)
            e->cells.at[i] = (step_cell){made->kind, made->name, made->n, made->nargs, at};
        else
            e->goals.at[i - r->ncells] = (step_goal){made->name, made->nargs, at};
        at += made->nargs;
    }
    r->cells = e->cells.at;
    r->goals = e->goals.at;
    return at;
}

static void rebase(uint64_t *values, uint64_t n, uint64_t base)
{
    for (uint64_t i = 0; i < n; i++)
        if (packed_is_long(values[i]))
            values[i] += base << 3;
}

// The long values become the block's.
static bool keep_longs(encoder *e, const uint64_t *longs, uint32_t n)
{
    step_record *r = &e->r;
    block *b = &e->b;
    uint64_t base = b->longs.n;
    if (!ARRAY_RESERVE(b->longs, n)) {
        trace_encoder_fail(e, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        b->longs.at[b->longs.n++] = longs[i];
    for (uint32_t i = 0; i < r->nbindings; i++)
        rebase((uint64_t *)(uintptr_t)&r->bindings[i].value, 1, base);
    if (r->holes)
        rebase((uint64_t *)(uintptr_t)r->holes, e->clauses.at[r->clause].clause.nholes, base);
    for (uint32_t i = 0; i < r->ncells; i++)
        rebase((uint64_t *)(uintptr_t)r->cells[i].args, r->cells[i].nargs, base);
    for (uint32_t i = 0; i < r->ngoals; i++)
        rebase((uint64_t *)(uintptr_t)r->goals[i].args, r->goals[i].nargs, base);
    return true;
}

static bool unpack(encoder *e, const raw_reduction *raw)
{
    step_record *r = &e->r;
    const uint64_t *at = (const void *)(raw + 1);
    r->goal = raw->goal; // one by one: clearing the whole structure takes longer than all of this
    r->clause = raw->clause;
    r->time = raw->time;
    r->place = raw->place;
    r->nreads = raw->n.nreads;
    r->nfollowed = raw->n.nfollowed;
    r->nbindings = raw->n.nbindings;
    r->npassed = raw->n.npassed;
    r->ncells = raw->n.ncells;
    r->ngoals = raw->n.ngoals;
    r->passed_ends = r->passed = NULL;
    r->holes = NULL;
    r->cells = NULL;
    r->goals = NULL;
    if (e->real) {
        const tw_times *place = (const void *)at;
        r->start = place->start;
        r->end = place->end;
        at += sizeof *place / sizeof *at;
    }
    if (!skeleton_sound(e, r))
        return false;
    r->reads = (const void *)at;
    at += tw_words(r->nreads * sizeof *r->reads);
    r->followed = (const void *)at;
    at += tw_words(r->nfollowed * sizeof *r->followed);
    r->bindings = (const void *)at;
    at += tw_words(r->nbindings * sizeof *r->bindings);
    if (r->npassed > 0) {
        r->passed_ends = (const void *)at;
        at += tw_words(r->nbindings * sizeof *r->passed_ends);
        r->passed = (const void *)at;
        at += tw_words(r->npassed * sizeof *r->passed);
    }
    const trace_clause *c = &e->clauses.at[r->clause].clause;
    if (c->dynamic) {
        at = unpack_made(e, at);
    } else {
        r->holes = at;
        at += c->nholes;
    }
    return at && (raw->n.nlongs == 0 || keep_longs(e, at, raw->n.nlongs));
}

// ---------------------------------------------------------------------------------------------
// Coding it

static bool count_reduction(encoder *e, const clause_entry *c)
{
    const step_record *r = &e->r;
    uint32_t cells = c->clause.dynamic ? r->ncells : ncells_of(c);
    uint32_t goals = c->clause.dynamic ? r->ngoals : c->ngoals;
    if (!room(e, e->nreductions, 1, REDUCTION_LIMIT, "reductions") ||
        !room(e, e->k.cells, cells, INDEX_LIMIT, "cells") ||
        !room(e, e->ngoals, goals, INDEX_LIMIT, "goals") ||
        !room(e, e->nbindings, r->nbindings, INDEX_LIMIT, "bindings"))
        return false;
    e->nreductions++;
    e->ngoals += goals;
    e->nbindings += r->nbindings;
    e->k.old_cells = e->k.cells;
    e->k.cells += cells;
    e->k.nholes = c->clause.nholes;
    return true;
}

// A chunk says what was before it; predictions begin anew.
static void begin_block(encoder *e)
{
    before_record r = {.reductions = e->nreductions,
                       .goals = e->ngoals,
                       .cells = e->k.cells,
                       .bindings = e->nbindings,
                       .time = e->k.time,
                       .goal = e->k.goal};
    e->is_roomy = r.reductions < REDUCTION_LIMIT - BLOCK_ENTRIES && r.goals < INDEX_LIMIT - BLOCK_ENTRIES &&
                  r.cells < INDEX_LIMIT - BLOCK_ENTRIES && r.bindings < INDEX_LIMIT - BLOCK_ENTRIES;
    put_before(&e->chunks[CHUNK_REDUCTIONS].columns[COLUMN_GOAL], &e->k, &r);
    trace_block_begin(&e->b, r.cells, r.goals);
    begin_standing(e);
}

static void put_skeleton(encoder *e)
{
    column_out *columns = e->chunks[CHUNK_REDUCTIONS].columns;
    step_record *r = &e->r;
    if (e->nreductions == 1)
        r->goal = e->k.goal; // the beginning has none
    put_goal_of(&columns[COLUMN_GOAL], &e->k, r);
    put_clause_of(&columns[COLUMN_CLAUSE], &e->k, r);
    put_time_of(&columns[COLUMN_TIME], &e->k, r);
    if (e->nreductions > 1)
        e->k.goal = r->goal + 1;
    e->k.time = r->time;
}

// Where and when it ran; something ran there before.
static inline void put_known_places(encoder *e)
{
    const step_record *r = &e->r;
    pending *p = &e->chunks[CHUNK_PLACES];
    e->k.ended = e->place_ends.at[r->place];
    e->k.start = r->start;
    put_place_of(&p->columns[COLUMN_PLACE], &e->k, r);
    put_start_of(&p->columns[COLUMN_START], &e->k, r);
    put_end_of(&p->columns[COLUMN_END], &e->k, r);
    e->place_ends.at[r->place] = r->end;
    p->count++;
}

static bool put_places(encoder *e)
{
    uint32_t place = e->r.place;
    if (!ARRAY_RESERVE(e->place_ends, place + 1u)) {
        trace_encoder_fail(e, "out of memory");
        return false;
    }
    while (e->place_ends.n <= place)
        e->place_ends.at[e->place_ends.n++] = 0;
    put_known_places(e);
    return true;
}

// Of a reduction whose place was seen before.
static inline bool are_times_sound(const encoder *e)
{
    return e->r.place < e->place_ends.n && e->r.start >= 0 && e->r.end >= e->r.start;
}

static bool is_astray(const pending *p)
{
    return p->columns[COLUMN_READS].astray || p->columns[COLUMN_TERMS].astray ||
           p->columns[COLUMN_BINDINGS].astray;
}

static bool is_long(const pending *p)
{
    return column_size(&p->columns[COLUMN_READS]) >= BLOCK_BYTES ||
           column_size(&p->columns[COLUMN_TERMS]) >= BLOCK_BYTES ||
           column_size(&p->columns[COLUMN_BINDINGS]) >= BLOCK_BYTES;
}

// What is kept of reductions of the clause with so many reads.
static inline kept_codes *kept_of(encoder *e, uint32_t clause, uint32_t nreads)
{
    enum { RARE = 4 };
    kept_clause *k = &e->kept.at[clause];
    kept_codes **variant = &k->variants[nreads < KEPT_VARIANTS ? nreads : KEPT_VARIANTS - 1];
    if (__builtin_expect(*variant != NULL, 1))
        return *variant;
    if (k->ncoded++ >= RARE) {
        *variant = trace_arena_take(&e->kept_memory, sizeof **variant);
        if (*variant)
            return memset(*variant, 0, sizeof **variant);
        trace_encoder_fail(e, "out of memory");
    }
    e->once.reads.known = e->once.holes.known = e->once.bindings.known = false;
    return &e->once;
}

// A reduction that makes what its clause tells, if it makes anything, with neither long values nor aliases.
static inline bool is_usual(const encoder *e, const raw_reduction *raw)
{
    const raw_counts *n = &raw->n;
    return (n->npassed | n->nlongs | n->ncells | n->ngoals) == 0 && raw->clause < e->clauses.n &&
           e->is_roomy && e->chunks[CHUNK_REDUCTIONS].count > 0 && n->nbindings <= USUAL_ENTRIES &&
           e->clauses.at[raw->clause].is_small;
}

static void unpack_usual(encoder *e, const raw_reduction *raw, const clause_entry *c)
{
    step_record *r = &e->r;
    const uint64_t *at = (const void *)(raw + 1);
    if (e->real) {
        const tw_times *place = (const void *)at;
        r->start = place->start;
        r->end = place->end;
        at += sizeof *place / sizeof *at;
    }
    r->goal = raw->goal;
    r->clause = raw->clause;
    r->time = raw->time;
    r->place = raw->place;
    r->nreads = raw->n.nreads;
    r->nfollowed = raw->n.nfollowed;
    r->nbindings = raw->n.nbindings;
    r->npassed = r->ncells = r->ngoals = 0;
    r->reads = (const void *)at;
    at += tw_words(r->nreads * sizeof *r->reads);
    r->followed = (const void *)at;
    at += tw_words(r->nfollowed * sizeof *r->followed);
    r->bindings = (const void *)at;
    r->holes = at + r->nbindings * (sizeof *r->bindings / sizeof *at);
    predictor_begin(&e->p, &e->b, c, r, raw->goal, e->k.cells);
    e->k.nholes = c->clause.nholes;
    e->k.old_cells = e->k.cells;
    e->k.cells += ncells_of(c);
}

static void put_parts(encoder *e, const clause_entry *c)
{
    pending *p = &e->chunks[CHUNK_REDUCTIONS];
    const step_record *r = &e->r;
    kept_codes *kept = kept_of(e, r->clause, r->nreads);
    e->coded = c->clause.dynamic;
    put_skeleton(e);
    put_kept_reads(e, &p->columns[COLUMN_READS], kept);
    if (c->clause.dynamic) {
        put_counts(&p->columns[COLUMN_TERMS], &e->k, r);
        put_made(&p->columns[COLUMN_TERMS], &e->k, r);
    } else {
        put_kept_holes(e, &p->columns[COLUMN_TERMS], kept);
    }
    if (!block_add(&e->b, c, r)) {
        trace_encoder_fail(e, "out of memory");
        return;
    }
    put_kept_bindings(e, &p->columns[COLUMN_BINDINGS], kept);
    block_bind(&e->b, r);
    if (e->coded && is_astray(p)) { // kept bytes name cells that exist, and are few
        trace_encoder_fail(e, "reduction %u (clause %u) names a cell that does not exist",
                           e->nreductions - 1, r->clause);
        return;
    }
    if (e->sums)
        trace_sums_take(e->sums, c, r, NO_ALIAS);
    if (e->is_standing && r->goal < e->b.first_goal)
        ARRAY_PUSH(e->older, e->sums->module);
    p->count++;
    if (p->count == e->block_size || (e->coded && is_long(p)))
        trace_flush_block(e);
}

static void encode_usual(encoder *e, const raw_reduction *raw)
{
    const clause_entry *c = &e->clauses.at[raw->clause];
    unpack_usual(e, raw, c);
    bool sound = raw->time >= e->k.time && raw->goal < e->ngoals && (!e->real || are_times_sound(e));
    if (!sound && (!skeleton_sound(e, &e->r) || (e->real && !put_places(e))))
        return;
    if (sound && e->real)
        put_known_places(e);
    e->nreductions++;
    e->ngoals += c->ngoals;
    e->nbindings += e->r.nbindings;
    put_parts(e, c);
}

static void encode_any(encoder *e, const raw_reduction *raw)
{
    if (e->chunks[CHUNK_REDUCTIONS].count == 0)
        begin_block(e);
    if (!unpack(e, raw))
        return;
    const step_record *r = &e->r;
    const clause_entry *c = &e->clauses.at[r->clause];
    if (!count_reduction(e, c) || (e->real && !put_places(e)))
        return;
    uint32_t goal = e->nreductions > 1 ? r->goal : TRACE_NONE;
    predictor_begin(&e->p, &e->b, c, r, goal, e->k.old_cells);
    e->k.p = &e->p;
    put_parts(e, c);
}

static void encode_reduction(encoder *e, const raw_reduction *raw)
{
    if (is_usual(e, raw))
        encode_usual(e, raw);
    else
        encode_any(e, raw);
}

void trace_encode_records(void *data, uint64_t *words, size_t n)
{
    encoder *e = data;
    for (const uint64_t *at = words; at < words + n && !e->failed;) {
        const raw_reduction *raw = (const void *)at;
        if (e->limit)
            trace_limit_keep_record(e, at, raw->size);
        if (raw->kind == RAW_STRING)
            encode_string(e, (const void *)at);
        else
            encode_reduction(e, raw);
        at += raw->size;
    }
}

// ---------------------------------------------------------------------------------------------
// A profile

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
static void put_figures(encoder *e, const coding *k, const trace_profile_row *row, uint64_t *list)
{
    column_out *columns = e->chunks[CHUNK_PROFILE].columns;
    trace_profile_row r = *row;
    put_row(&columns[COLUMN_ROWS], k, &r);
    r.reduced = changes(list, row->reduced, k->nbuckets);
    put_reduced(&columns[COLUMN_REDUCED], k, &r);
    r.waiting = changes(list, row->waiting, k->nbuckets);
    put_waited(&columns[COLUMN_WAITED], k, &r);
}

void trace_encode_profile(encoder *e, const trace_profile *p)
{
    pending *chunk = &e->chunks[CHUNK_PROFILE];
    coding k = {.nbuckets = p->nbuckets};
    if (e->nreductions > 0 || chunk->count > 0)
        trace_encoder_fail(e, "a profile beside reductions or another profile");
    if (e->failed)
        return;
    uint64_t *list = malloc((p->nbuckets + (size_t)1) * sizeof *list);
    if (!list) {
        trace_encoder_fail(e, "out of memory");
        return;
    }
    put_profile(&chunk->columns[COLUMN_ROWS], &k, p);
    for (uint32_t i = 0; i <= p->nmodules; i++)
        put_figures(e, &k, &p->rows[i], list);
    free(list);
    chunk->count = p->nmodules + 1;
}

// ---------------------------------------------------------------------------------------------
// A summary

// So much memory for dependencies, at 16 bytes, and so rarely are older bindings looked for: else it would
// take too long.
#define MOST_PAIRS     (UINT64_C(1) << 20)
#define MOST_PROCESSES (1u << 24)
#define UNPACK_EVERY   1024

void trace_encode_summed(encoder *e, const trace_sum_modules *m, const uint32_t *names,
                         uint32_t least)
{
    if (e->sums || e->nreductions > 0)
        trace_encoder_fail(e, "a summary asked for twice, or of a run that has begun");
    else
        e->sums = trace_sums_create(m, names, (sums_wanted){.least = least,
                                                            .dependencies = !e->real,
                                                            .limits = {MOST_PAIRS, MOST_PROCESSES,
                                                                       UNPACK_EVERY}});
}

static void put_sums(encoder *e, const coding *k, const trace_sum_row *row, uint64_t *list)
{
    column_out *columns = e->chunks[CHUNK_SUMMARY].columns;
    trace_sum_row r = *row;
    put_sum_row(&columns[COLUMN_SUMS], k, &r);
    r.reduced = changes(list, row->reduced, k->nbuckets);
    put_sum_reduced(&columns[COLUMN_SUM_REDUCED], k, &r);
    r.most_reduced = changes(list, row->most_reduced, k->nbuckets);
    put_sum_most_reduced(&columns[COLUMN_SUM_MOST_REDUCED], k, &r);
    r.waiting = changes(list, row->waiting, k->nbuckets);
    put_sum_waiting(&columns[COLUMN_SUM_WAITING], k, &r);
    r.most_waiting = changes(list, row->most_waiting, k->nbuckets);
    put_sum_most_waiting(&columns[COLUMN_SUM_MOST_WAITING], k, &r);
}

// One figure of each bin.
static const uint64_t *figures(const trace_sum_waits *bins, uint32_t n, enum dependencies_column which,
                               uint64_t *ret)
{
    for (uint32_t i = 0; i < n; i++)
        ret[i] = which == COLUMN_FLOW_COUNT  ? bins[i].count
                 : which == COLUMN_FLOW_WAIT ? bins[i].wait
                                             : zigzag(bins[i].lag);
    return ret;
}

static void put_dependency(encoder *e, const coding *k, uint32_t from, uint32_t to,
                           const trace_sum_waits *bins, uint64_t *list)
{
    column_out *columns = e->chunks[CHUNK_DEPENDENCIES].columns;
    trace_sum_flow r = {.from = from, .to = to};
    put_flow(&columns[COLUMN_FLOWS], k, &r);
    r.count = figures(bins, k->nbuckets, COLUMN_FLOW_COUNT, list);
    put_flow_count(&columns[COLUMN_FLOW_COUNT], k, &r);
    r.wait = figures(bins, k->nbuckets, COLUMN_FLOW_WAIT, list);
    put_flow_wait(&columns[COLUMN_FLOW_WAIT], k, &r);
    r.lag = figures(bins, k->nbuckets, COLUMN_FLOW_LAG, list);
    put_flow_lag(&columns[COLUMN_FLOW_LAG], k, &r);
}

static void encode_dependencies(encoder *e, const trace_summary *s)
{
    pending *chunk = &e->chunks[CHUNK_DEPENDENCIES];
    coding k = {.nbuckets = s->nbins};
    uint64_t *list = base_allocate(s->nbins, sizeof *list);
    trace_sum_waits *all = base_allocate(s->nbins, sizeof *all);
    trace_sum_flows head = {s->bin, s->nbins};
    put_flows(&chunk->columns[COLUMN_FLOWS], &k, &head);
    for (uint32_t i = 0; i < s->ndependencies; i++) {
        const trace_sum_dependency *d = &s->dependencies[i];
        put_dependency(e, &k, d->from, d->to, d->bins, list);
        for (uint32_t b = 0; b < s->nbins; b++) {
            all[b].count += d->bins[b].count;
            all[b].wait += d->bins[b].wait;
            all[b].lag += d->bins[b].lag;
        }
    }
    put_dependency(e, &k, TRACE_NONE, TRACE_NONE, all, list);
    chunk->count = s->ndependencies + 1;
    free(all);
    free(list);
    trace_flush_chunk(e, CHUNK_DEPENDENCIES);
}

// Of a value about one byte is stored, and the summary is to be a fiftieth of the file.
#define SUMMARY_SHARE 50

static void encode_summary(encoder *e)
{
    trace_summary s;
    if (!e->sums || e->failed || !trace_sums_finish(e->sums, e->bytes / SUMMARY_SHARE, &s))
        return;
    pending *chunk = &e->chunks[CHUNK_SUMMARY];
    coding k = {.nbuckets = s.nbuckets};
    uint64_t *list = base_allocate(s.nbuckets + (size_t)1, sizeof *list);
    put_summary(&chunk->columns[COLUMN_SUMS], &k, &s);
    for (uint32_t m = 0; m <= s.nmodules; m++)
        put_sums(e, &k, &s.rows[m], list);
    chunk->count = s.nmodules + 1;
    free(list);
    trace_flush_chunk(e, CHUNK_SUMMARY);
    if (s.has_dependencies)
        encode_dependencies(e, &s);
    trace_sums_free(&s);
}

void trace_encode_regions(encoder *e, const trace_regions *r)
{
    pending *chunk = &e->chunks[CHUNK_REGIONS];
    if (!e->real || chunk->count > 0)
        trace_encoder_fail(e, "regions of a run that was not measured, or twice");
    if (e->failed)
        return;
    put_regions(&chunk->columns[COLUMN_REGIONS], &e->k, r);
    for (uint32_t i = 0; i <= r->nregions; i++) {
        put_region(&chunk->columns[COLUMN_REGIONS], &e->k, &r->regions[i]);
        put_teams(&chunk->columns[COLUMN_TEAMS], &e->k, &r->regions[i]);
    }
    chunk->count = r->nregions + 1;
    chunk = &e->chunks[CHUNK_FIGURES_RAN];
    for (uint32_t i = 0; i <= r->nregions; i++)
        put_region_ran(&chunk->columns[0], &e->k, &r->regions[i]);
    chunk->count = r->nregions + 1;
}

void trace_encode_dropped(encoder *e, const trace_dropped *dropped, uint32_t n)
{
    pending *chunk = &e->chunks[CHUNK_DROPPED];
    if (!e->real || chunk->count > 0)
        trace_encoder_fail(e, "dropped events of a run that was not measured, or twice");
    if (e->failed)
        return;
    for (uint32_t i = 0; i < n; i++)
        put_dropped(&chunk->columns[0], &e->k, &dropped[i]);
    chunk->count = n;
}

void trace_encode_machine(encoder *e, const trace_machine *machine)
{
    pending *chunk = &e->chunks[CHUNK_MACHINE];
    if (!e->real || chunk->count > 0)
        trace_encoder_fail(e, "the machine of a run that was not measured, or twice");
    if (e->failed)
        return;
    put_machine(&chunk->columns[0], &e->k, machine);
    chunk->count = 1;
}

static uint64_t at_most(uint64_t time)
{
    return time < TRACE_MOST_TIME ? time : TRACE_MOST_TIME;
}

static void put_bounded_worker(encoder *e, column_out *c, const trace_worker *w)
{
    trace_worker bounded = *w;
    bounded.waiting = at_most(w->waiting);
    bounded.locked = at_most(w->locked);
    put_worker(c, &e->k, &bounded);
}

void trace_encode_workers(encoder *e, const trace_collector *collector, const trace_worker *workers,
                          uint32_t n)
{
    pending *chunk = &e->chunks[CHUNK_WORKERS];
    if (!e->real || n == 0 || chunk->count > 0)
        trace_encoder_fail(e, "workers of a run that was not real, or twice");
    if (e->failed)
        return;
    trace_collector bounded = {collector->count, at_most(collector->time),
                               at_most(collector->longest)};
    put_collector(&chunk->columns[0], &e->k, &bounded);
    for (uint32_t i = 0; i < n; i++)
        put_bounded_worker(e, &chunk->columns[1], &workers[i]);
    chunk->count = n;
}

// As distances from one to the next.
void trace_encode_ready(encoder *e, const trace_ready *ready, uint32_t nworkers)
{
    pending *chunk = &e->chunks[CHUNK_READY];
    if (!e->real || nworkers == 0 || chunk->count > 0)
        trace_encoder_fail(e, "ready goals of a run that was not real, or twice");
    for (uint32_t i = 0; i < nworkers && !e->failed; i++) {
        trace_ready_count *apart = base_allocate(ready[i].n + 1, sizeof *apart);
        uint64_t before = 0;
        for (uint32_t k = 0; k < ready[i].n; k++) {
            apart[k] = (trace_ready_count){ready[i].counts[k].time - before, ready[i].counts[k].goals};
            before = ready[i].counts[k].time;
        }
        put_ready(&chunk->columns[0], &e->k, &(trace_ready){ready[i].n, apart});
        free(apart);
    }
    chunk->count = nworkers;
}

// They are written at once: a run that is killed leaves those until then.
void trace_encode_samples(encoder *e, const trace_samples *s)
{
    column_out *column = &e->chunks[CHUNK_SAMPLES].columns[0];
    if (!e->real)
        trace_encoder_fail(e, "samples of a run that was not real");
    if (e->failed)
        return;
    trace_flush_block(e);
    put_samples(column, &e->k, s);
    for (uint32_t i = 0; i < s->nworkers; i++)
        put_sampled(column, &e->k, &s->workers[i]);
    e->chunks[CHUNK_SAMPLES].count = s->nworkers;
    trace_flush_chunk(e, CHUNK_SAMPLES);
    if (e->out && !e->failed)
        base_output_settle(e->out);
}

// ---------------------------------------------------------------------------------------------
// Totals

void trace_encode_totals(encoder *e, const trace_totals *t)
{
    pending *chunk = &e->chunks[CHUNK_TOTALS];
    if (chunk->count > 0)
        trace_encoder_fail(e, "totals beside other totals");
    if (e->failed)
        return;
    put_totals(&chunk->columns[COLUMN_HEAD], &e->k, t);
    put_total_places(&chunk->columns[COLUMN_TOTALS], &e->k, t);
    put_measures(&chunk->columns[COLUMN_MEASURES], &e->k, t);
    put_messages(&chunk->columns[COLUMN_MESSAGES], &e->k, t);
    chunk->count = 1;
    if (t->nfiles == 0)
        return;
    chunk = &e->chunks[CHUNK_DATA_FILES];
    put_data_files(&chunk->columns[0], &e->k, t);
    put_file_measures(&chunk->columns[1], &e->k, t);
    chunk->count = 1;
}

// ---------------------------------------------------------------------------------------------
// The end

void trace_encode_waiting(encoder *e, const waiting_record *r)
{
    trace_flush_block(e);
    pending *waiting = &e->chunks[CHUNK_WAITING];
    coding k = {.goal = e->waiting_goal, .cells = e->k.cells};
    put_waiting(&waiting->columns[0], &k, r);
    if (waiting->columns[0].astray)
        trace_encoder_fail(e, "waiting goal %u names a cell that does not exist", r->goal);
    e->waiting_goal = r->goal + 1;
    waiting->count++;
    if (column_size(&waiting->columns[0]) >= BLOCK_BYTES)
        trace_flush_chunk(e, CHUNK_WAITING);
}

void trace_encode_last(encoder *e, end_record *r)
{
    column_out *columns = e->chunks[CHUNK_END].columns;
    r->reductions = e->nreductions;
    r->goals = e->ngoals;
    r->cells = e->k.cells;
    r->bindings = e->nbindings;
    put_end(&columns[COLUMN_ENDING], &e->k, r);
    if (r->raced > 0)
        put_races(&columns[COLUMN_RACES], &e->k, r);
    if (r->cut)
        put_cut(&columns[COLUMN_CUT], &e->k, &r->whole);
    e->chunks[CHUNK_END].count = 1;
    trace_flush_chunk(e, CHUNK_END);
}

void trace_close_file(encoder *e)
{
    char *error = NULL;
    if (e->failed)
        base_output_leave(e->out);
    else if (e->out && !base_output_close(e->out, &error))
        fail_with(e, error);
    e->out = NULL;
}

void trace_encode_end(encoder *e, end_record *r)
{
    trace_flush_block(e);
    trace_flush_chunk(e, CHUNK_WAITING);
    trace_flush_chunk(e, CHUNK_PROFILE);
    trace_flush_chunk(e, CHUNK_TOTALS);
    trace_flush_chunk(e, CHUNK_DATA_FILES);
    trace_flush_chunk(e, CHUNK_REGIONS);
    trace_flush_chunk(e, CHUNK_FIGURES_RAN);
    trace_flush_chunk(e, CHUNK_DROPPED);
    trace_flush_chunk(e, CHUNK_MACHINE);
    trace_flush_chunk(e, CHUNK_WORKERS);
    trace_flush_chunk(e, CHUNK_READY);
    encode_summary(e);
    for (int kind = 0; kind < CHUNK_KINDS; kind++)
        if (e->chunks[kind].count > 0 && !e->failed)
            base_bug("a kind of chunk is never written");
    trace_encode_last(e, r);
    if (e->limit)
        trace_limit_finish(e, r);
    trace_close_file(e);
}
