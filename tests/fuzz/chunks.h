// SPDX-License-Identifier: MIT
//
// Mutations of traces that keep the lengths in the headers of chunks right, so that what was put in
// or left out is read as part of a column. Included by one source of a target.
#ifndef FUZZ_CHUNKS_H
#define FUZZ_CHUNKS_H

#include <stdlib.h>
#include <string.h>

#include "profiler/read/input.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

enum { MOST_CHUNKS = 64 };

typedef struct {
    uint8_t *header;
    size_t size; // with the header
} fuzz_chunk;

static uint32_t get32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void put32(uint8_t *at, size_t value)
{
    uint32_t narrow = (uint32_t)value;
    memcpy(at, &narrow, sizeof narrow);
}

// The chunks of a trace, up to the first that is not whole.
static int find_chunks(uint8_t *data, size_t size, fuzz_chunk *ret)
{
    int n = 0;
    size_t at = FILE_HEADER;
    while (n < MOST_CHUNKS && at < size && size - at >= CHUNK_HEADER) {
        uint64_t length = CHUNK_HEADER;
        for (int i = 0; i < COLUMNS; i++)
            length += get32(data + at + CHUNK_STORED + 4 * i);
        if (length > size - at)
            break;
        ret[n++] = (fuzz_chunk){data + at, (size_t)length};
        at += (size_t)length;
    }
    return n;
}

// end: of the trace. Returns by how much it grew.
static ptrdiff_t mutate_column(const fuzz_chunk *c, int column, uint8_t *end, size_t room)
{
    uint8_t *at = c->header + CHUNK_HEADER;
    for (int i = 0; i < column; i++)
        at += get32(c->header + CHUNK_STORED + 4 * i);
    size_t length = get32(c->header + CHUNK_STORED + 4 * column);
    size_t behind = (size_t)(end - at) - length, most = length + (room < 64 ? room : 64);
    if (length != get32(c->header + CHUNK_RAW + 4 * column) || most == 0)
        return 0;
    uint8_t *bytes = malloc(most);
    memcpy(bytes, at, length);
    size_t now = LLVMFuzzerMutate(bytes, length, most);
    memmove(at + now, at + length, behind);
    memcpy(at, bytes, now);
    free(bytes);
    put32(c->header + CHUNK_RAW + 4 * column, now);
    put32(c->header + CHUNK_STORED + 4 * column, now);
    return (ptrdiff_t)now - (ptrdiff_t)length;
}

// Once more, behind itself, or not at all.
static ptrdiff_t repeat_chunk(const fuzz_chunk *c, uint8_t *end, size_t room, bool more)
{
    size_t behind = (size_t)(end - c->header) - c->size;
    if (more && c->size <= room) {
        memmove(c->header + 2 * c->size, c->header + c->size, behind);
        memcpy(c->header + c->size, c->header, c->size);
        return (ptrdiff_t)c->size;
    }
    if (more)
        return 0;
    memmove(c->header, c->header + c->size, behind);
    return -(ptrdiff_t)c->size;
}

// Commands compare them.
static void renew_checksums(uint8_t *data, size_t size)
{
    fuzz_chunk chunks[MOST_CHUNKS];
    int n = find_chunks(data, size, chunks);
    for (int i = 0; i < n; i++) {
        uint64_t sum = trace_checksum(0, chunks[i].header, CHUNK_SUM);
        sum = trace_checksum(sum, chunks[i].header + CHUNK_HEADER, chunks[i].size - CHUNK_HEADER);
        memcpy(chunks[i].header + CHUNK_SUM, &sum, sizeof sum);
    }
}

static size_t mutate_chunks(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    fuzz_chunk chunks[MOST_CHUNKS];
    int n = find_chunks(data, size, chunks);
    unsigned how = seed % 16, which = seed / 16;
    if (n == 0 || how < 2)
        return LLVMFuzzerMutate(data, size, capacity);
    const fuzz_chunk *c = &chunks[which % (unsigned)n];
    int columns = trace_chunk_columns(get32(c->header));
    size_t room = capacity - size;
    uint8_t *end = data + size;
    if (how == 2)
        put32(c->header + 4, get32(c->header + 4) + (which & 64 ? 1 : -1u)); // records
    else if (how == 3)
        size += (size_t)repeat_chunk(c, end, room, which & 64);
    else if (columns > 0)
        size += (size_t)mutate_column(c, (int)(which / 128) % columns, end, room);
    return size;
}

static size_t mutate_trace(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    size = mutate_chunks(data, size, capacity, seed);
    renew_checksums(data, size);
    return size;
}

#endif
