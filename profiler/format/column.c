// SPDX-License-Identifier: MIT
//
// Growing columns, the memory of lists, and the parts of reading that are rarely needed.
#include "profiler/format/column.h"

#include <stdlib.h>

bool trace_column_init(column_out *out)
{
    *out = (column_out){.start = malloc(4096)};
    out->at = out->start;
    out->end = out->start ? out->start + 4096 : NULL;
    return out->start != NULL;
}

void trace_column_finish(column_out *out)
{
    free(out->start);
    *out = (column_out){0};
}

bool trace_column_grow(column_out *out, size_t size)
{
    if (size <= SIZE_MAX / 4 && (size_t)(out->end - out->at) >= size + COLUMN_SLACK)
        return true;
    size_t used = column_size(out), capacity = 2 * (size_t)(out->end - out->start);
    uint8_t *start = NULL;
    if (size <= SIZE_MAX / 4 && capacity <= SIZE_MAX / 4) {
        while (capacity < used + size + COLUMN_SLACK)
            capacity *= 2;
        start = realloc(out->start, capacity);
    }
    if (!start) {
        out->failed = true;
        out->at = out->start;
        return false;
    }
    out->start = start;
    out->at = start + used;
    out->end = start + capacity;
    return true;
}

struct arena_part {
    arena_part *next;
    size_t size;
    _Alignas(16) uint8_t bytes[];
};

// A part with room for `size`, at or after the current one; parts that are too small are passed
// over until the next reset.
static arena_part *arena_room(arena *a, size_t size)
{
    arena_part **link = a->current ? &a->current->next : &a->parts;
    while (*link && (*link)->size < size)
        link = &(*link)->next;
    if (!*link) {
        size_t usual = 32768, room = size > usual ? size : usual;
        arena_part *part = malloc(sizeof *part + room);
        if (!part)
            return NULL;
        *part = (arena_part){.size = room};
        *link = part;
    }
    return *link;
}

void *trace_arena_take(arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + 15) & ~(size_t)15;
    if (!a->current || a->current->size - a->used < size) {
        arena_part *part = arena_room(a, size);
        if (!part)
            return NULL;
        a->current = part;
        a->used = 0;
    }
    void *p = a->current->bytes + a->used;
    a->used += size;
    a->taken += size;
    return p;
}

void trace_arena_reset(arena *a)
{
    a->current = NULL;
    a->used = a->taken = 0;
}

void trace_arena_finish(arena *a)
{
    while (a->parts) {
        arena_part *next = a->parts->next;
        free(a->parts);
        a->parts = next;
    }
    trace_arena_reset(a);
}

void trace_column_wrong(column_in *in, const char *reason)
{
    if (!in->wrong)
        in->wrong = reason;
    in->at = in->end;
}

uint64_t trace_column_long_varint(column_in *in)
{
    uint64_t x;
    if (varint_get_checked(&in->at, in->end, &x))
        return x;
    trace_column_wrong(in, in->at == in->end ? "a record is cut short"
                                             : "a number has more than 64 bits");
    return 0;
}

uint64_t trace_column_word(column_in *in)
{
    if (column_left(in) < 8) {
        trace_column_wrong(in, "a record is cut short");
        return 0;
    }
    in->at += 8;
    return load64(in->at - 8);
}

void *trace_column_list(column_in *in, uint64_t n, size_t size)
{
    if (n > column_left(in)) {
        trace_column_wrong(in, "a list is longer than its column");
        return NULL;
    }
    void *p = n > SIZE_MAX / 2 / size ? NULL : trace_arena_take(in->memory, (size_t)n * size);
    if (!p)
        trace_column_wrong(in, trace_no_memory);
    return p;
}

const char *trace_column_text(column_in *in, uint64_t *ret_length)
{
    uint64_t length = get_varint(in);
    *ret_length = 0;
    if (length > column_left(in)) {
        trace_column_wrong(in, "a text is longer than its column");
        return "";
    }
    char *text = trace_arena_take(in->memory, (size_t)length + 1);
    if (!text) {
        trace_column_wrong(in, trace_no_memory);
        return "";
    }
    memcpy(text, in->at, (size_t)length);
    text[length] = '\0';
    in->at += length;
    *ret_length = length;
    return text;
}
