// SPDX-License-Identifier: MIT
//
// Pending chunks are compressed, get their checksums and are written.
#include "profiler/write/encoder.h"
#include "profiler/write/limit.h"

#include <errno.h>
#include <unistd.h>

// What compresses well, such as clauses that take turns, does so as well with less work. So do times of
// the clock, which hardly compress at all.
#define LEVEL         3
#define REGULAR_LEVEL 1
#define REGULAR       4 // so many times shorter the column of the chunk before became

static const uint8_t columns_of[] = {
#define CHUNK(number, name, columns, text) [number] = columns,
#include "profiler/format/events.def"
};

// The beginning of a chunk that cannot be written goes, too: what is left of the file can be read.
static void write_bytes(encoder *e, const uint8_t *bytes, size_t size)
{
    if (e->limit) {
        trace_limit_hold(e, bytes, size);
        return;
    }
    int fd = e->out ? base_output_fd(e->out) : -1;
    for (size_t done = 0; done < size && !e->failed;) {
        ssize_t n = write(fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            trace_encoder_fail(e, "cannot write: %s", strerror(errno));
            if (ftruncate(fd, (off_t)e->bytes) != 0)
                return;
        } else {
            done += (size_t)n;
        }
    }
    if (!e->failed)
        e->bytes += size;
}

static bool chunk_reserve(encoder *e, size_t size)
{
    if (size <= e->chunk_capacity)
        return true;
    uint8_t *chunk = realloc(e->chunk, size);
    if (!chunk) {
        trace_encoder_fail(e, "out of memory");
        return false;
    }
    e->chunk = chunk;
    e->chunk_capacity = size;
    return true;
}

// Appends a column to the chunk at `at`; its stored length, or 0 after a failure.
static size_t pack_column(encoder *e, size_t at, const column_out *column, bool is_noisy,
                          bool *is_regular)
{
    size_t raw = column_size(column), bound = ZSTD_compressBound(raw);
    if (!chunk_reserve(e, at + bound))
        return 0;
    size_t stored = ZSTD_compressCCtx(e->zstd, e->chunk + at, bound, column->start, raw,
                                      is_noisy || *is_regular ? REGULAR_LEVEL : LEVEL);
    *is_regular = !ZSTD_isError(stored) && stored < raw / REGULAR;
    if (!ZSTD_isError(stored) && stored < raw)
        return stored;
    memcpy(e->chunk + at, column->start, raw);
    return raw;
}

void trace_flush_chunk(encoder *e, enum chunk_kind kind)
{
    pending *p = &e->chunks[kind];
    size_t size = CHUNK_HEADER;
    if (p->count == 0 || e->error || !chunk_reserve(e, size))
        return;
    memset(e->chunk, 0, CHUNK_HEADER);
    store32(e->chunk, kind);
    store32(e->chunk + 4, p->count);
    for (int i = 0; i < columns_of[kind]; i++) {
        column_out *column = &p->columns[i];
        if (column->failed || column_size(column) > UINT32_MAX) {
            trace_encoder_fail(e, column->failed ? "out of memory" : "a chunk is larger than 4 GB");
            return;
        }
        size_t stored = pack_column(e, size, column, kind == CHUNK_PLACES, &p->is_regular[i]);
        if (e->error)
            return;
        store32(e->chunk + CHUNK_RAW + 4 * i, (uint32_t)column_size(column));
        store32(e->chunk + CHUNK_STORED + 4 * i, (uint32_t)stored);
        size += stored;
        column->at = column->start;
    }
    uint64_t sum = trace_checksum(0, e->chunk, CHUNK_SUM);
    store64(e->chunk + CHUNK_SUM,
            trace_checksum(sum, e->chunk + CHUNK_HEADER, size - CHUNK_HEADER));
    write_bytes(e, e->chunk, size);
    p->count = 0;
}

void trace_write_file_header(encoder *e, uint32_t version)
{
    uint8_t header[FILE_HEADER] = {0};
    memcpy(header, FILE_MAGIC, FILE_MAGIC_SIZE);
    store32(header + FILE_MAGIC_SIZE, version);
    store32(header + FILE_MAGIC_SIZE + 4, ~version);
    write_bytes(e, header, sizeof header);
}

bool trace_chunks_init(encoder *e)
{
    e->zstd = ZSTD_createCCtx();
    if (!e->zstd)
        return false;
    for (int kind = CHUNK_RUN; kind < CHUNK_KINDS; kind++)
        for (int i = 0; i < columns_of[kind]; i++)
            if (!trace_column_init(&e->chunks[kind].columns[i]))
                return false;
    return true;
}

void trace_chunks_finish(encoder *e)
{
    for (int kind = 0; kind < CHUNK_KINDS; kind++)
        for (int i = 0; i < COLUMNS; i++)
            trace_column_finish(&e->chunks[kind].columns[i]);
    ZSTD_freeCCtx(e->zstd);
    free(e->chunk);
}
