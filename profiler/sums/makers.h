// SPDX-License-Identifier: MIT
//
// Who bound each variable, when, who read it, and what the binding passed on, in a few bytes for each. The
// newest cells stand in a ring. Older ones are compressed in blocks; those that were asked for last stay
// unpacked, and are packed again if they were changed.
#ifndef PROFILER_MAKERS_H
#define PROFILER_MAKERS_H

#include <stdlib.h>
#include <zstd.h>

#include "base/array.h"
#include "profiler/format/column.h"

#define MAKERS_RING  65536u // cells; a power of two
#define MAKERS_BLOCK 1024u  // likewise, less than those of the ring
#define MAKERS_KEPT  1024u  // unpacked blocks

// Processes are told by their number + 2. maker: 0 of what is not bound, 1 of the beginning; four times that,
// and two flags. reader: 0 if nobody has read it.
#define MAKER_PASSED 1u // the binding passed something on
#define MAKER_READ   2u // and its own process has read it
#define MAKER_SHIFT  2
// Most bindings pass nothing on and have one reader, so the rest is a list of its own.
typedef struct {
    uint32_t npassed, nreaders;
    uint32_t at[]; // the variables that were passed on, then readers beyond the first
} maker_list;

typedef struct {
    uint32_t maker, reader;
    int64_t time;
    maker_list *list; // NULL: empty
} maker_note;

typedef struct {
    uint8_t *bytes; // NULL: nothing in it was bound
    uint32_t size, raw;
} packed_makers;

typedef struct {
    maker_note *notes; // NULL: none was kept here yet
    uint32_t block;
    bool changed;
} kept_makers;

typedef struct {
    uint32_t ncells; // there are
    uint32_t base;   // the first one in the ring
    maker_note *ring;
    ARRAY_OF(packed_makers) blocks;
    kept_makers kept[MAKERS_KEPT]; // by block
    column_out columns[4]; // makers, readers, times, lists, of the block being packed
    uint8_t *raw, *stored;
    size_t raw_capacity, stored_capacity;
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
    uint64_t unpacked; // blocks, so far
    uint64_t nlisted;  // values of all lists that are not packed
    bool lost;         // without memory for one
} makers;

void trace_makers_init(makers *m);
void trace_makers_finish(makers *m);
void trace_makers_pack(makers *m) __attribute__((noinline)); // the oldest block of the ring
// Of a cell before the ring. Good until the next call.
maker_note *trace_makers_old(makers *m, uint32_t cell) __attribute__((noinline));
void trace_makers_changed(makers *m, uint32_t cell); // the note of the last call
// A note has no list yet; of one with n variables, at least one.
void trace_makers_pass(makers *m, maker_note *note, const uint32_t *variables, uint32_t n);
void trace_makers_add_reader(makers *m, maker_note *note, uint32_t reader); // which is not the first
void trace_makers_forget_list(makers *m, maker_note *note); // it has one

// n more cells, which are not bound.
static inline void makers_add(makers *m, uint32_t n)
{
    while (n > 0) {
        uint32_t room = m->base + MAKERS_RING - m->ncells, some = n < room ? n : room;
        if (some == 0)
            trace_makers_pack(m);
        m->ncells += some;
        n -= some;
    }
}

// Of a cell in the ring, or NULL.
static inline maker_note *makers_new(const makers *m, uint32_t cell)
{
    return cell - m->base < m->ncells - m->base ? &m->ring[cell % MAKERS_RING] : NULL;
}

// Where the binding of the cell is to be noted, which has no list; NULL: there is no such cell. Good as that
// of trace_makers_old().
static inline maker_note *makers_bind(makers *m, uint32_t cell)
{
    maker_note *place = makers_new(m, cell);
    if (__builtin_expect(!place, 0)) {
        if (cell >= m->base)
            return NULL;
        place = trace_makers_old(m, cell);
        trace_makers_changed(m, cell);
    }
    if (__builtin_expect(place->list != NULL, 0)) // of a file that nobody wrote
        trace_makers_forget_list(m, place);
    return place;
}

#endif
