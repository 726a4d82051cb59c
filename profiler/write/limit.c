// SPDX-License-Identifier: MIT
//
// Keeps the records of two blocks, and finds by bisection the largest part of them that fits.
#include "profiler/write/limit.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

// What the beginning of a run takes, as long as nothing is known of it.
#define BEGINNING_BYTES 256u

static bool is_table(int kind)
{
    return (kind > CHUNK_STRINGS && kind < CHUNK_REDUCTIONS) || kind == CHUNK_PLACE_NAMES ||
           kind == CHUNK_MEANINGS;
}

static void out_of_memory(encoder *e)
{
    trace_encoder_fail(e, "out of memory");
}

// ---------------------------------------------------------------------------------------------
// Keeping

// From here on a new block.
static void begin_kept(encoder *e, kept_block *b)
{
    b->offset = e->bytes;
    b->k = e->k;
    b->nstrings = b->table_strings = e->nstrings;
    b->nreductions = e->nreductions;
    b->ngoals = e->ngoals;
    b->nbindings = e->nbindings;
    b->time = e->k.time;
    b->words.n = b->ends.n = b->place_ends.n = 0;
    for (int kind = 0; kind < CHUNK_KINDS; kind++)
        b->tables[kind].bytes.n = b->tables[kind].count = 0;
    if (!ARRAY_RESERVE(b->place_ends, e->place_ends.n)) {
        out_of_memory(e);
        return;
    }
    if (e->place_ends.n > 0)
        memcpy(b->place_ends.at, e->place_ends.at, e->place_ends.n * sizeof(int64_t));
    b->place_ends.n = e->place_ends.n;
}

static void finish_kept(kept_block *b)
{
    free(b->place_ends.at);
    free(b->words.at);
    free(b->ends.at);
    for (int kind = 0; kind < CHUNK_KINDS; kind++)
        free(b->tables[kind].bytes.at);
}

// Another than the writer's own; or NULL.
static void free_encoder(encoder *e)
{
    if (!e)
        return;
    trace_encoder_finish(e);
    free(e->error);
    free(e);
}

bool trace_limit_create(encoder *e, uint64_t limit)
{
    limiter *l = calloc(1, sizeof *l);
    if (!l)
        return false;
    l->limit = limit;
    e->limit = l;
    begin_kept(e, &l->now);
    return !e->failed;
}

void trace_limit_destroy(limiter *l)
{
    if (!l)
        return;
    free_encoder(l->tail);
    finish_kept(&l->now);
    finish_kept(&l->last);
    free(l->held.at);
    free(l);
}

static bool is_cut(const limiter *l)
{
    return l->tail != NULL;
}

void trace_limit_hold(encoder *e, const uint8_t *bytes, size_t size)
{
    limiter *l = e->limit;
    e->bytes += size;
    if (is_cut(l))
        return;
    if (!ARRAY_RESERVE(l->held, size)) {
        out_of_memory(e);
        return;
    }
    memcpy(l->held.at + l->held.n, bytes, size);
    l->held.n += size;
}

void trace_limit_keep_record(encoder *e, const uint64_t *words, size_t n)
{
    limiter *l = e->limit;
    kept_block *b = &l->now;
    if (l->passing || is_cut(l))
        return;
    if (!ARRAY_RESERVE(b->words, n) || !ARRAY_RESERVE(b->ends, 1)) {
        out_of_memory(e);
        return;
    }
    const raw_reduction *raw = (const void *)words;
    if (raw->kind == RAW_REDUCTION) {
        if (e->nreductions > 0 && raw->time > b->time)
            b->ends.at[b->ends.n++] = b->words.n;
        b->time = raw->time;
    }
    memcpy(b->words.at + b->words.n, words, n * sizeof *words);
    b->words.n += n;
}

void trace_limit_keep_entry(encoder *e)
{
    e->limit->now.table_strings = e->nstrings;
}

void trace_limit_keep_tables(encoder *e)
{
    limiter *l = e->limit;
    if (l->passing || is_cut(l))
        return;
    for (int kind = 0; kind < CHUNK_KINDS; kind++) {
        kept_table *kept = &l->now.tables[kind];
        const column_out *column = &e->chunks[kind].columns[0];
        size_t size = is_table(kind) && e->chunks[kind].count > 0 ? column_size(column) : 0;
        if (size == 0)
            continue;
        if (!ARRAY_RESERVE(kept->bytes, size)) {
            out_of_memory(e);
            return;
        }
        memcpy(kept->bytes.at, column->start, size);
        kept->bytes.n = size;
        kept->count = e->chunks[kind].count;
    }
}

// ---------------------------------------------------------------------------------------------
// The tail

// The clauses, with guesses of their own.
static bool copy_clauses(encoder *tail, const encoder *e)
{
    size_t nguesses = 0;
    for (size_t i = 0; i < e->clauses.n; i++)
        nguesses += HOLE_GUESSES + (size_t)e->clauses.at[i].clause.nholes;
    if (!ARRAY_RESERVE(tail->clauses, e->clauses.n) || !ARRAY_RESERVE(tail->kept, e->clauses.n) ||
        !ARRAY_RESERVE(tail->guesses, nguesses))
        return false;
    memset(tail->kept.at, 0, e->clauses.n * sizeof *tail->kept.at);
    tail->kept.n = e->clauses.n;
    for (size_t i = 0; i < e->clauses.n; i++) {
        clause_entry *c = &tail->clauses.at[i];
        size_t n = HOLE_GUESSES + (size_t)e->clauses.at[i].clause.nholes;
        *c = e->clauses.at[i];
        memcpy(tail->guesses.at + tail->guesses.n, c->guesses, n * sizeof *c->guesses);
        c->guesses = tail->guesses.at + tail->guesses.n;
        tail->guesses.n += n;
    }
    tail->clauses.n = e->clauses.n;
    return true;
}

static bool copy_tables(encoder *tail, const kept_block *b)
{
    for (int kind = 0; kind < CHUNK_KINDS; kind++) {
        const kept_table *kept = &b->tables[kind];
        column_out *column = &tail->chunks[kind].columns[0];
        if (kept->count == 0)
            continue;
        if (!trace_column_grow(column, kept->bytes.n))
            return false;
        memcpy(column->at, kept->bytes.at, kept->bytes.n);
        column->at += kept->bytes.n;
        tail->chunks[kind].count = kept->count;
    }
    return true;
}

static bool prepare_tail(encoder *tail, const encoder *e, const kept_block *b)
{
    if (!trace_encoder_init(tail, e->path, e->kind) || !(tail->limit = calloc(1, sizeof *tail->limit)) ||
        !copy_clauses(tail, e) || !copy_tables(tail, b) ||
        !ARRAY_RESERVE(tail->place_ends, b->place_ends.n))
        return false;
    if (b->place_ends.n > 0)
        memcpy(tail->place_ends.at, b->place_ends.at, b->place_ends.n * sizeof(int64_t));
    tail->place_ends.n = b->place_ends.n;
    tail->limit->passing = true;
    tail->block_size = BLOCK_REDUCTIONS;
    tail->bytes = b->offset;
    tail->real = e->real;
    tail->k = b->k;
    tail->nstrings = b->nstrings;
    tail->nreductions = b->nreductions;
    tail->ngoals = b->ngoals;
    tail->nbindings = b->nbindings;
    return true;
}

// Strings behind the part that is coded: as many as the tables may name.
static void encode_strings(encoder *tail, const kept_block *b, size_t at)
{
    while (at < b->words.n && tail->nstrings < b->table_strings) {
        uint64_t *words = b->words.at + at;
        const raw_reduction *raw = (const void *)words;
        size_t n = raw->size;
        if (raw->kind == RAW_STRING)
            trace_encode_records(tail, words, n);
        at += n;
    }
}

// An encoder that has coded the first n words of the block. NULL without memory.
static encoder *code_part(const encoder *e, const kept_block *b, size_t n)
{
    encoder *tail = calloc(1, sizeof *tail);
    uint64_t *words = malloc((n + 1) * sizeof *words);
    bool good = tail && words && prepare_tail(tail, e, b);
    if (good) {
        if (n > 0)
            memcpy(words, b->words.at, n * sizeof *words); // coding changes them
        trace_encode_records(tail, words, n);
        encode_strings(tail, b, n);
        trace_flush_block(tail);
        good = !tail->failed;
    }
    free(words);
    if (good)
        return tail;
    free_encoder(tail);
    return NULL;
}

// The largest part of the block that ends with a step and fits; NULL if there is none, or no
// memory.
static encoder *code_most(const encoder *e, const kept_block *b)
{
    encoder *best = NULL;
    size_t low = 0, high = b->ends.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        encoder *tail = code_part(e, b, b->ends.at[middle]);
        if (!tail)
            break;
        bool fits = tail->bytes + END_BYTES <= e->limit->limit;
        encoder *other = fits ? best : tail;
        if (fits) {
            best = tail;
            low = middle + 1;
        } else {
            high = middle;
        }
        free_encoder(other);
    }
    return best;
}

uint64_t trace_limit_least(encoder *e)
{
    limiter *l = e->limit;
    trace_limit_keep_tables(e);
    encoder *tail = code_part(e, &l->now, l->now.words.n);
    if (!tail)
        return 0;
    uint64_t least = tail->bytes + BEGINNING_BYTES + END_BYTES;
    free_encoder(tail);
    return least;
}

// ---------------------------------------------------------------------------------------------
// Writing

static void write_held(encoder *e)
{
    limiter *l = e->limit;
    const uint8_t *at = l->held.at;
    for (size_t left = l->held.n; left > 0 && !e->failed;) {
        ssize_t n = write(base_output_fd(e->out), at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            trace_encoder_fail(e, "cannot write: %s", strerror(errno));
            return;
        }
        at += n;
        left -= (size_t)n;
    }
    l->held.n = 0;
}

// The file gets what the tail has coded.
static void hand_over(encoder *e, encoder *tail, uint64_t offset)
{
    limiter *l = e->limit;
    tail->out = e->out;
    e->out = NULL;
    l->tail = tail;
    l->held.n = 0;
    int fd = base_output_fd(tail->out);
    if (ftruncate(fd, (off_t)offset) != 0 || lseek(fd, 0, SEEK_END) < 0)
        trace_encoder_fail(tail, "cannot shorten: %s", strerror(errno));
    write_held(tail);
}

static void cut(encoder *e)
{
    limiter *l = e->limit;
    kept_block *b = &l->now;
    if (b->words.n == 0 && e->nreductions > 0 && ARRAY_RESERVE(b->ends, 1))
        b->ends.at[b->ends.n++] = 0; // the run is over
    encoder *tail = code_most(e, b);
    if (!tail && l->has_last) {
        b = &l->last;
        tail = code_most(e, b);
    }
    if (tail)
        hand_over(e, tail, b->offset);
    else
        trace_encoder_fail(e, "its limit of %llu bytes leaves no room for the first step",
                           (unsigned long long)l->limit);
}

void trace_limit_end_block(encoder *e)
{
    limiter *l = e->limit;
    if (l->passing || is_cut(l) || e->failed)
        return;
    if (e->bytes + END_BYTES > l->limit) {
        cut(e);
        return;
    }
    write_held(e);
    if (l->now.ends.n > 0) {
        kept_block spare = l->last;
        l->last = l->now;
        l->now = spare;
        l->has_last = true;
    }
    begin_kept(e, &l->now);
}

// How much of the text may stay: whole characters.
static uint64_t shortened(const char *text, uint64_t length)
{
    return length <= END_MESSAGE ? length : utf8_cut(text, END_MESSAGE);
}

// The end as it stands in a trace that is cut. What came after is not known there.
static void finish_tail(encoder *tail, end_record r)
{
    r.length = shortened(r.message, r.length);
    if (r.failed_goal >= tail->ngoals)
        r.failed_goal = TRACE_NONE;
    trace_encode_last(tail, &r);
    write_held(tail);
    trace_close_file(tail);
}

void trace_limit_finish(encoder *e, end_record *r)
{
    limiter *l = e->limit;
    if (l->passing)
        return;
    if (!is_cut(l) && !e->failed && e->bytes > l->limit)
        cut(e);
    if (!is_cut(l)) {
        write_held(e);
        return;
    }
    r->cut = true;
    r->whole = (trace_cut){.recorded = l->tail->nreductions - 1u,
                           .reductions = e->nreductions - 1u,
                           .last = l->tail->k.time,
                           .span = e->k.time,
                           .bytes = e->failed ? 0 : e->bytes + END_BYTES};
    finish_tail(l->tail, *r);
    free(e->error);
    e->error = l->tail->error; // what cannot be counted is no failure
    l->tail->error = NULL;
    e->failed = l->tail->failed;
}
