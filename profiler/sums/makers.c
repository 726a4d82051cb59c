// SPDX-License-Identifier: MIT
//
// Blocks of notes: a bit for each cell that is bound, then a column for each field of these. Makers have one
// more bit, whether the note has a list.
#include "profiler/sums/makers.h"

#include <string.h>

#include "profiler/format/packed.h"

#define LEVEL      1
#define BITS_BYTES (MAKERS_BLOCK / 8)
#define COLUMNS_OF 4
enum { MAKERS, READERS, TIMES, LISTS };

void trace_makers_init(makers *m)
{
    *m = (makers){.pack = ZSTD_createCCtx(), .unpack = ZSTD_createDCtx()};
    m->ring = base_allocate(MAKERS_RING, sizeof *m->ring);
    m->lost = !m->pack || !m->unpack;
    for (int i = 0; i < COLUMNS_OF; i++)
        m->lost |= !trace_column_init(&m->columns[i]);
}

static void forget_lists(makers *m, maker_note *notes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (notes[i].list)
            trace_makers_forget_list(m, &notes[i]);
}

void trace_makers_finish(makers *m)
{
    if (m->ring)
        forget_lists(m, m->ring, MAKERS_RING);
    for (size_t i = 0; i < m->blocks.n; i++)
        free(m->blocks.at[i].bytes);
    for (uint32_t i = 0; i < MAKERS_KEPT; i++) {
        if (m->kept[i].notes)
            forget_lists(m, m->kept[i].notes, MAKERS_BLOCK);
        free(m->kept[i].notes);
    }
    for (int i = 0; i < COLUMNS_OF; i++)
        trace_column_finish(&m->columns[i]);
    free(m->blocks.at);
    free(m->ring);
    free(m->raw);
    free(m->stored);
    ZSTD_freeCCtx(m->pack);
    ZSTD_freeDCtx(m->unpack);
    *m = (makers){.lost = true};
}

static void reserve(uint8_t **bytes, size_t *capacity, size_t size)
{
    if (size > *capacity) {
        *capacity = size;
        *bytes = base_resize(*bytes, size, 1);
    }
}

// ---------------------------------------------------------------------------------------------
// Lists

static maker_list *resize_list(makers *m, maker_note *note, uint32_t n)
{
    maker_list *list = realloc(note->list, sizeof *list + n * sizeof *list->at);
    if (!list) {
        m->lost = true;
        return NULL;
    }
    if (!note->list)
        *list = (maker_list){0};
    return note->list = list;
}

void trace_makers_pass(makers *m, maker_note *note, const uint32_t *variables, uint32_t n)
{
    maker_list *list = resize_list(m, note, n);
    if (!list)
        return;
    memcpy(list->at, variables, n * sizeof *variables);
    list->npassed = n;
    m->nlisted += n;
}

void trace_makers_add_reader(makers *m, maker_note *note, uint32_t reader)
{
    uint32_t n = note->list ? note->list->npassed + note->list->nreaders : 0;
    maker_list *list = resize_list(m, note, n + 1);
    if (!list)
        return;
    list->at[n] = reader;
    list->nreaders++;
    m->nlisted++;
}

void trace_makers_forget_list(makers *m, maker_note *note)
{
    m->nlisted -= note->list->npassed + note->list->nreaders;
    free(note->list);
    note->list = NULL;
}

// ---------------------------------------------------------------------------------------------
// Packing

// Variables as the distances from one to the next.
static void pack_list(column_out *column, const maker_list *list)
{
    uint32_t before = 0;
    put_varint(column, list->npassed);
    put_varint(column, list->nreaders);
    for (uint32_t i = 0; i < list->npassed + list->nreaders; i++) {
        put_varint(column, i < list->npassed ? zigzag((int64_t)list->at[i] - before) : list->at[i]);
        before = list->at[i];
    }
}

// Times as the distances from one to the next.
static bool list_notes(makers *m, const maker_note *notes, uint8_t *bits)
{
    int64_t before = 0;
    bool any = false;
    for (int i = 0; i < COLUMNS_OF; i++)
        m->columns[i].at = m->columns[i].start;
    for (uint32_t i = 0; i < MAKERS_BLOCK; i++) {
        const maker_note *note = &notes[i];
        if (note->maker == 0)
            continue;
        any = true;
        bits[i / 8] |= (uint8_t)(1u << i % 8);
        put_varint(&m->columns[MAKERS], (uint64_t)note->maker << 1 | (note->list != NULL));
        put_varint(&m->columns[READERS], note->reader);
        put_varint(&m->columns[TIMES], zigzag(note->time - before));
        if (note->list)
            pack_list(&m->columns[LISTS], note->list);
        before = note->time;
    }
    return any;
}

static void store_block(makers *m, const uint8_t *bits, packed_makers *ret)
{
    size_t raw = BITS_BYTES;
    for (int i = 0; i < COLUMNS_OF; i++)
        raw += column_size(&m->columns[i]);
    reserve(&m->raw, &m->raw_capacity, raw);
    memcpy(m->raw, bits, BITS_BYTES);
    uint8_t *at = m->raw + BITS_BYTES;
    for (int i = 0; i < COLUMNS_OF; i++) {
        m->lost |= m->columns[i].failed;
        memcpy(at, m->columns[i].start, column_size(&m->columns[i]));
        at += column_size(&m->columns[i]);
    }
    reserve(&m->stored, &m->stored_capacity, ZSTD_compressBound(raw));
    size_t stored = ZSTD_compressCCtx(m->pack, m->stored, m->stored_capacity, m->raw, raw, LEVEL);
    if (ZSTD_isError(stored)) {
        m->lost = true;
        return;
    }
    *ret = (packed_makers){base_allocate(stored, 1), (uint32_t)stored, (uint32_t)raw};
    memcpy(ret->bytes, m->stored, stored);
}

static packed_makers pack(makers *m, const maker_note *notes)
{
    uint8_t bits[BITS_BYTES] = {0};
    packed_makers packed = {0};
    if (!m->lost && list_notes(m, notes, bits))
        store_block(m, bits, &packed);
    return packed;
}

void trace_makers_pack(makers *m)
{
    maker_note *notes = &m->ring[m->base % MAKERS_RING];
    packed_makers packed = pack(m, notes);
    ARRAY_PUSH(m->blocks, packed);
    forget_lists(m, notes, MAKERS_BLOCK);
    memset(notes, 0, MAKERS_BLOCK * sizeof *notes);
    m->base += MAKERS_BLOCK;
}

// ---------------------------------------------------------------------------------------------
// Unpacking

static void unpack_list(makers *m, column_in *in, maker_note *note)
{
    uint32_t npassed = (uint32_t)get_varint(in), nreaders = (uint32_t)get_varint(in);
    maker_list *list = resize_list(m, note, npassed + nreaders);
    if (!list)
        return;
    uint32_t before = 0;
    for (uint32_t i = 0; i < npassed + nreaders; i++) {
        uint64_t x = get_varint(in);
        before = list->at[i] = i < npassed ? (uint32_t)(before + unzigzag(x)) : (uint32_t)x;
    }
    list->npassed = npassed;
    list->nreaders = nreaders;
    m->nlisted += npassed + nreaders;
}

static bool unpack(makers *m, const packed_makers *packed, maker_note *notes)
{
    reserve(&m->raw, &m->raw_capacity, packed->raw);
    size_t n = ZSTD_decompressDCtx(m->unpack, m->raw, packed->raw, packed->bytes, packed->size);
    if (ZSTD_isError(n) || n != packed->raw)
        return false;
    column_in in = {.at = m->raw + BITS_BYTES, .end = m->raw + packed->raw};
    int64_t before = 0;
    memset(notes, 0, MAKERS_BLOCK * sizeof *notes);
    uint32_t bound[MAKERS_BLOCK], n_bound = 0;
    uint8_t has_list[MAKERS_BLOCK];
    for (uint32_t i = 0; i < MAKERS_BLOCK; i++)
        if (m->raw[i / 8] >> i % 8 & 1)
            bound[n_bound++] = i;
    for (uint32_t k = 0; k < n_bound; k++) {
        uint64_t x = get_varint(&in);
        notes[bound[k]].maker = (uint32_t)(x >> 1);
        has_list[k] = x & 1;
    }
    for (uint32_t k = 0; k < n_bound; k++)
        notes[bound[k]].reader = (uint32_t)get_varint(&in);
    for (uint32_t k = 0; k < n_bound; k++)
        notes[bound[k]].time = before += unzigzag(get_varint(&in));
    for (uint32_t k = 0; k < n_bound && !m->lost; k++)
        if (has_list[k])
            unpack_list(m, &in, &notes[bound[k]]);
    return !in.wrong;
}

// Another block is to be kept there.
static void put_back(makers *m, kept_makers *kept)
{
    if (!kept->notes)
        kept->notes = base_allocate(MAKERS_BLOCK, sizeof *kept->notes);
    if (kept->changed) {
        free(m->blocks.at[kept->block].bytes);
        m->blocks.at[kept->block] = pack(m, kept->notes);
        kept->changed = false;
    }
    forget_lists(m, kept->notes, MAKERS_BLOCK);
}

maker_note *trace_makers_old(makers *m, uint32_t cell)
{
    uint32_t number = cell / MAKERS_BLOCK;
    kept_makers *kept = &m->kept[number % MAKERS_KEPT];
    if (!kept->notes || kept->block != number) {
        put_back(m, kept);
        kept->block = number;
        m->unpacked++;
        if (m->blocks.at[number].bytes)
            m->lost |= !unpack(m, &m->blocks.at[number], kept->notes);
        else
            memset(kept->notes, 0, MAKERS_BLOCK * sizeof *kept->notes);
    }
    return &kept->notes[cell % MAKERS_BLOCK];
}

void trace_makers_changed(makers *m, uint32_t cell)
{
    m->kept[cell / MAKERS_BLOCK % MAKERS_KEPT].changed = true;
}
