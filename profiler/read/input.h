// SPDX-License-Identifier: MIT
//
// The bytes of a file, and its chunks. A plain file is read piece by piece. Several threads may
// read it at once, each with an `input` of its own.
#ifndef PROFILER_INPUT_H
#define PROFILER_INPUT_H

#include <zstd.h>

#include "profiler/format/layout.h"
#include "profiler/trace_reader.h"

typedef struct {
    const char *name;
    int fd;               // or -1
    const uint8_t *bytes; // of memory
    uint8_t *buffer;      // of what was last taken from a file, or all of what is no plain file
    size_t capacity;
    uint64_t size, at;
    int problem; // errno of a failed read
} input;

bool trace_input_open(input *in, const char *path, char **ret_error);
void trace_input_close(input *in);
// Another one of the same bytes, at the beginning; valid as long as the first is.
input trace_input_again(const input *in);
void trace_input_forget(input *in); // one that is not closed
// The next `size` bytes, valid until the next call; NULL if there are not so many.
const uint8_t *trace_input_take(input *in, uint64_t size);

typedef struct {
    uint64_t offset;
    uint32_t kind, count;
    uint32_t raw[COLUMNS], stored[COLUMNS];
    const uint8_t *payload; // the input's, NULL if it was not read
} chunk;

int trace_chunk_columns(uint32_t kind);    // 0: there is no such kind
uint64_t trace_chunk_size(const chunk *c); // of the payload

// What is wrong with the header; then *ret_reason says it. Else the version of the format.
trace_error_kind trace_check_file_header(input *in, uint32_t *ret_version, const char **ret_reason);
// The header of the next chunk, whose payload may be passed over; NULL, or what is wrong with it.
const char *trace_next_header(input *in, chunk *ret);
// The next chunk, checked against its checksum unless `trusting`.
const char *trace_next_chunk(input *in, bool trusting, chunk *ret);

// The bytes of a column; false if they are not what a column is stored as. `ret` has room for
// raw_size.
bool trace_unpack_column(ZSTD_DCtx *zstd, const uint8_t *stored, uint32_t stored_size, uint8_t *ret,
                         uint32_t raw_size);

// The columns of a chunk, unpacked in memory that is used again.
typedef struct {
    uint8_t *raw[COLUMNS];
    size_t capacity[COLUMNS];
} unpacked;

// NULL, or what is wrong.
const char *trace_unpack_chunk(unpacked *u, ZSTD_DCtx *zstd, const chunk *c);
void trace_unpacked_finish(unpacked *u);

#endif
