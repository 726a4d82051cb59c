// SPDX-License-Identifier: MIT
//
// Columns: bytes that grow while a chunk is written, bytes with an end while it is read, and the
// token of a value.
#ifndef PROFILER_COLUMN_H
#define PROFILER_COLUMN_H

#include <stdlib.h>
#include <string.h>

#include "profiler/format/predict.h"
#include "profiler/format/reason.h"

// ---------------------------------------------------------------------------------------------
// Writing. Without memory the column is marked failed and begins again: it stays usable, its
// contents do not matter any more. It is marked astray when a cell was named that does not exist.

#define COLUMN_SLACK 32 // bytes there is always room for: the longest single token is shorter

typedef struct {
    uint8_t *start, *at, *end;
    bool failed, astray;
} column_out;

bool trace_column_init(column_out *out);
void trace_column_finish(column_out *out);
// Room for `size` bytes and the slack; false (failed) without memory.
bool trace_column_grow(column_out *out, size_t size);

static inline size_t column_size(const column_out *out)
{
    return (size_t)(out->at - out->start);
}

static inline void column_ensure(column_out *out)
{
    if (__builtin_expect((size_t)(out->end - out->at) < COLUMN_SLACK, 0))
        trace_column_grow(out, 0);
}

static inline void put_varint(column_out *out, uint64_t x)
{
    column_ensure(out);
    out->at = varint_put(out->at, x);
}

static inline void put_byte(column_out *out, uint8_t x)
{
    column_ensure(out);
    *out->at++ = x;
}

static inline void put_bytes(column_out *out, const void *bytes, size_t size)
{
    if (size > 0 && trace_column_grow(out, size)) {
        memcpy(out->at, bytes, size);
        out->at += size;
    }
}

// ---------------------------------------------------------------------------------------------
// Reading. The first thing wrong is kept in `wrong`; from then on the column is at its end and
// gives zeros, so that a caller may check after a whole record.

// Memory given out piece by piece and taken back all at once. What was once enough for a sequence
// of requests is enough again after a reset.
typedef struct arena_part arena_part;

struct arena {
    arena_part *parts, *current;
    size_t used;  // of current
    size_t taken; // since the last reset
};

void *trace_arena_take(arena *a, size_t size); // NULL without memory; for any type
void trace_arena_reset(arena *a);
void trace_arena_finish(arena *a);

static inline size_t arena_used(const arena *a)
{
    return a->taken;
}

typedef struct {
    const uint8_t *at, *end;
    const char *wrong;
    arena *memory; // of lists and texts
} column_in;

void trace_column_wrong(column_in *in, const char *reason);

static inline size_t column_left(const column_in *in)
{
    return (size_t)(in->end - in->at);
}

uint64_t trace_column_long_varint(column_in *in);

static inline uint64_t get_varint(column_in *in)
{
    if (__builtin_expect(in->at < in->end && *in->at < 0x80, 1))
        return *in->at++;
    return trace_column_long_varint(in);
}

static inline uint8_t get_byte(column_in *in)
{
    if (in->at < in->end)
        return *in->at++;
    trace_column_wrong(in, "a record is cut short");
    return 0;
}

uint64_t trace_column_word(column_in *in); // 8 bytes
// Memory for a list of n values of `size` bytes; each takes a byte of the column at least. NULL
// (and something wrong) without memory or so many bytes.
void *trace_column_list(column_in *in, uint64_t n, size_t size);

static inline void *get_list(column_in *in, uint64_t n, size_t size)
{
    static uint64_t empty;
    return n == 0 ? &empty : trace_column_list(in, n, size);
}

const char *trace_column_text(column_in *in, uint64_t *ret_length); // NUL-terminated

// ---------------------------------------------------------------------------------------------
// Value tokens: a varint whose lowest bit 0 says "cell"; else bits 1-3 are the kind and the rest
// the integer (zigzag) or the string. A float and an integer of more than 59 bits
// follow as 8 bytes.

enum token {
    TOKEN_INT,
    TOKEN_ATOM,
    TOKEN_STRING,
    TOKEN_BIG,
    TOKEN_FLOAT,
    TOKEN_LONG,
};

#define TOKEN_BITS 59 // of an integer in its token

#define TOKEN(kind, rest) ((uint64_t)(rest) << 4 | (uint64_t)(kind) << 1 | 1)

#endif
