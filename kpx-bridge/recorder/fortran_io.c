// SPDX-License-Identifier: MIT
//
// Statements that read and write, by the calls into libgfortran that they are made of: st_write, what
// is transferred, st_write_done. Each gets the address of a block that begins as below, so that no
// debug information is needed. The block is in the caller's frame, and stands for it in the table.
#include "kpx-bridge/recorder/tables.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    uint32_t flags;
    int32_t unit;
    const char *file; // of the source
    int32_t line;
} kpx_io_block;

#define HAS_INTERNAL_UNIT (1u << 14) // of a block of READ or WRITE

// ---- Rows -----------------------------------------------------------------------------------

static void fill_row(kpx_io_row *row, const kpx_io_block *b, kpx_io_kind kind, int32_t unit,
                     uint64_t key)
{
    const char *file = b->file ? b->file : "";
    size_t n = strlen(file);
    if (n >= sizeof row->file)
        file += n - sizeof row->file + 1;
    strncpy(row->file, file, sizeof row->file - 1);
    row->line = (uint32_t)b->line;
    row->unit = unit;
    row->kind = kind;
    row->key = key;
}

// The row of a statement and a unit; UINT32_MAX: there are too many.
static uint32_t row_of(kpx_thread_table *t, const kpx_io_block *b, kpx_io_kind kind, int32_t unit)
{
    uint64_t key = (uint64_t)(uintptr_t)b->file * 0x9e3779b97f4a7c15u;
    key = (key ^ (uint64_t)(uint32_t)b->line << 8 ^ kind) * 0x9e3779b97f4a7c15u;
    key = (key ^ (uint32_t)unit) * 0x9e3779b97f4a7c15u | 1;
    for (uint32_t i = 0; i < KPX_IO_ROWS; i++) {
        uint32_t at = (uint32_t)(key >> 32) + i;
        kpx_io_row *row = &t->ios[at % KPX_IO_ROWS];
        if (row->key == 0)
            fill_row(row, b, kind, unit, key);
        if (row->key == key)
            return at % KPX_IO_ROWS;
    }
    t->table->io_lost++;
    return UINT32_MAX;
}

static int32_t unit_of(const kpx_io_block *b, kpx_io_kind kind)
{
    bool internal = (kind == KPX_IO_READ || kind == KPX_IO_WRITE) && (b->flags & HAS_INTERNAL_UNIT);
    return internal ? KPX_INTERNAL : b->unit;
}

static bool is_measured(const kpx_io_block *b)
{
    return kpx_measured.on && kpx_measured.io && kpx_is_wanted(NULL, b->file ? b->file : "");
}

// ---- Statements -----------------------------------------------------------------------------

static void begin_statement(const kpx_io_block *b, kpx_io_kind kind)
{
    kpx_thread_table *t = is_measured(b) ? kpx_begin_measuring() : NULL;
    if (!t)
        return;
    uint32_t row = row_of(t, b, kind, unit_of(b, kind));
    if (row != UINT32_MAX && kpx_measured.count) {
        t->ios[row].counter.count += !kpx_is_stopped();
    } else if (row != UINT32_MAX) {
        uint64_t now = kpx_table_now(t);
        kpx_drop_frames(t, b, now);
        kpx_push_frame(t, KPX_IO_FRAME + row, KPX_SITE_IO, b, now);
    }
    kpx_end_measuring(t);
}

static void end_statement(const kpx_io_block *b, kpx_io_kind kind)
{
    kpx_thread_table *t = is_measured(b) && !kpx_measured.count ? kpx_begin_measuring() : NULL;
    if (!t)
        return;
    uint64_t now = kpx_table_now(t);
    kpx_drop_frames(t, b, now);
    uint32_t row = row_of(t, b, kind, unit_of(b, kind));
    if (row != UINT32_MAX)
        kpx_pop_frame(t, KPX_IO_FRAME + row, b, 0, now);
    kpx_end_measuring(t);
}

#define REAL(name)                                                                                 \
    static void (*real)(void *);                                                                   \
    if (!real)                                                                                     \
    real = (void (*)(void *))dlsym(RTLD_NEXT, #name)

// One whose parts are several calls. The unit of READ and WRITE is known when it begins.
#define PAIR(name, kind)                                                                           \
    void _gfortran_st_##name(void *block);                                                         \
    void _gfortran_st_##name##_done(void *block);                                                  \
    void _gfortran_st_##name(void *block)                                                          \
    {                                                                                              \
        REAL(_gfortran_st_##name);                                                                 \
        begin_statement(block, kind);                                                              \
        real(block);                                                                               \
    }                                                                                              \
    void _gfortran_st_##name##_done(void *block)                                                   \
    {                                                                                              \
        REAL(_gfortran_st_##name##_done);                                                          \
        real(block);                                                                               \
        end_statement(block, kind);                                                                \
    }

// One call. OPEN (NEWUNIT=) knows the unit when it is over, so the row is looked for then.
static void one_call(kpx_io_block *b, kpx_io_kind kind, void (*real)(void *))
{
    kpx_thread_table *t = is_measured(b) ? kpx_begin_measuring() : NULL;
    uint64_t start = t && !kpx_measured.count ? kpx_table_now(t) : 0;
    kpx_io_block before = *b;
    real(b);
    if (!t)
        return;
    before.unit = kind == KPX_IO_OPEN ? b->unit : before.unit;
    uint32_t row = row_of(t, &before, kind, before.unit);
    if (row != UINT32_MAX && kpx_measured.count) {
        t->ios[row].counter.count += !kpx_is_stopped();
    } else if (row != UINT32_MAX) {
        kpx_drop_frames(t, b, start);
        kpx_push_frame(t, KPX_IO_FRAME + row, KPX_SITE_IO, b, start);
        kpx_pop_frame(t, KPX_IO_FRAME + row, b, 0, kpx_table_now(t));
    }
    kpx_end_measuring(t);
}

#define SINGLE(name, kind)                                                                         \
    void _gfortran_st_##name(void *block);                                                         \
    void _gfortran_st_##name(void *block)                                                          \
    {                                                                                              \
        REAL(_gfortran_st_##name);                                                                 \
        one_call(block, kind, real);                                                               \
    }

PAIR(read, KPX_IO_READ)
PAIR(write, KPX_IO_WRITE)
SINGLE(open, KPX_IO_OPEN)
SINGLE(close, KPX_IO_CLOSE)
SINGLE(rewind, KPX_IO_REWIND)
SINGLE(backspace, KPX_IO_BACKSPACE)
SINGLE(endfile, KPX_IO_ENDFILE)
SINGLE(flush, KPX_IO_FLUSH)
SINGLE(inquire, KPX_IO_INQUIRE)
