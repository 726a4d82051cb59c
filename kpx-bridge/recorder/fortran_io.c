// SPDX-License-Identifier: MIT
//
// I/O statements of Fortran, by the calls of libgfortran that they consist of: st_write, the
// transfers, st_write_done. Each call gets the address of a block that begins as below, so no debug
// information is needed. The block lies in the caller's frame and stands for that frame in the
// table.
#include "kpx-bridge/recorder/tables.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    uint32_t flags;
    int32_t unit;
    const char *file; // of the source
    int32_t line;
} kpx_io_block;

#define HAS_INTERNAL_UNIT (1u << 14) // of a block of READ or WRITE
#define ASKS_FILE (1u << 14)         // of a block of INQUIRE
#define HAS_FILE (1u << 8)           // of a block of OPEN
#define HAS_STATUS (1u << 9)
#define FAILED 3u                    // of any, when it is over: an error, end of file or record

// The parameters of OPEN. Texts are padded with blanks and have no terminating zero.
typedef struct {
    kpx_io_block common;
    size_t message_length;
    char *message;
    int32_t *iostat;
    int32_t record_length;
    size_t file_length;
    const char *file;
    const char *status;
    size_t status_length;
} kpx_open_block;

_Static_assert(offsetof(kpx_open_block, file_length) == 56, "as libgfortran lays it out");
_Static_assert(offsetof(kpx_open_block, status) == 72, "as libgfortran lays it out");

// ---- Files of units -------------------------------------------------------------------------

#define UNITS 1024u
#define CONNECTIONS 2048u // after which files are not named any more

// A file that a unit was connected to. They are kept, so that readers need no lock.
typedef struct kpx_connection {
    const struct kpx_connection *next; // that was made before
    int32_t unit;
    bool closed;
    char name[KPX_IO_FILE]; // its end, if it is longer; empty: a scratch file
} kpx_connection;

static const kpx_connection *newest;       // of all
static const kpx_connection *units[UNITS]; // the unit's last one; NULL: there was none

static void copy_end(char to[static KPX_IO_FILE], const char *text, size_t n)
{
    if (n >= KPX_IO_FILE) {
        text += n - KPX_IO_FILE + 1;
        n = KPX_IO_FILE - 1;
    }
    memcpy(to, text, n);
    memset(to + n, 0, KPX_IO_FILE - n);
}

// Where a unit is, or may be put; NULL: all are taken.
static const kpx_connection **place_of(int32_t unit)
{
    for (uint32_t i = 0; i < UNITS; i++) {
        const kpx_connection **at = &units[((uint32_t)unit + i) % UNITS];
        const kpx_connection *known = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        if (!known || known->unit == unit)
            return at;
    }
    return NULL;
}

static const kpx_connection *new_connection(const kpx_connection *wanted)
{
    const kpx_connection *first = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    uint32_t n = 0;
    for (const kpx_connection *c = first; c; c = c->next, n++)
        if (c->unit == wanted->unit && c->closed == wanted->closed &&
            strcmp(c->name, wanted->name) == 0)
            return c;
    if (n >= CONNECTIONS && *wanted->name) {
        const kpx_connection unnamed = {.unit = wanted->unit};
        return new_connection(&unnamed);
    }
    kpx_connection *c = malloc(sizeof *c);
    if (!c)
        return NULL;
    *c = *wanted;
    c->next = first;
    while (!__atomic_compare_exchange_n(&newest, &c->next, c, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        continue;
    return c;
}

static void connect_unit(const kpx_connection *wanted)
{
    const kpx_connection *c = new_connection(wanted), *none;
    const kpx_connection **at = c ? place_of(c->unit) : NULL;
    // Another thread may take the place for another unit in between.
    while (at) {
        none = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        if (none && none->unit != c->unit)
            at = place_of(c->unit);
        else if (__atomic_compare_exchange_n(at, &none, c, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE))
            return;
    }
}

static void name_unnamed(char name[static KPX_IO_FILE], int32_t unit)
{
    static const char *const standard[] = {[0] = "stderr", [5] = "stdin", [6] = "stdout"};
    memset(name, 0, KPX_IO_FILE);
    if (unit == 0 || unit == 5 || unit == 6)
        strcpy(name, standard[unit]);
    else
        snprintf(name, KPX_IO_FILE, "fort.%d", unit);
}

// NULL: it had none yet.
static const kpx_connection *last_connection(int32_t unit)
{
    const kpx_connection **at = place_of(unit);
    return at ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : NULL;
}

// The name of the file that the unit is connected to, or would be.
static void name_of_unit(char name[static KPX_IO_FILE], int32_t unit)
{
    const kpx_connection *known = last_connection(unit);
    if (known && !known->closed)
        memcpy(name, known->name, KPX_IO_FILE);
    else if (known)
        snprintf(name, KPX_IO_FILE, "fort.%d", unit);
    else
        name_unnamed(name, unit);
}

static bool is_scratch(const kpx_open_block *b)
{
    return (b->common.flags & HAS_STATUS) && b->status_length >= 7 &&
           strncasecmp(b->status, "scratch", 7) == 0;
}

// The file that OPEN connects its unit to. Without a name a connected unit stays as it was.
static void name_of_open(char name[static KPX_IO_FILE], const kpx_open_block *b)
{
    size_t n = b->file_length;
    memset(name, 0, KPX_IO_FILE);
    if (b->common.flags & HAS_FILE) {
        while (n > 0 && b->file[n - 1] == ' ')
            n--;
        copy_end(name, b->file, n);
    } else if (!is_scratch(b)) {
        name_of_unit(name, b->common.unit);
    }
}

// After OPEN or CLOSE of a unit.
static void note_unit(const kpx_io_block *b, kpx_io_kind kind, const char name[static KPX_IO_FILE])
{
    kpx_connection c = {.unit = b->unit, .closed = kind == KPX_IO_CLOSE};
    if (b->flags & FAILED)
        return;
    if (kind == KPX_IO_OPEN)
        memcpy(c.name, name, KPX_IO_FILE);
    connect_unit(&c);
}

// ---- Rows -----------------------------------------------------------------------------------

// What a row is of.
typedef struct {
    const kpx_io_block *block;
    kpx_io_kind kind;
    int32_t unit;
    char name[KPX_IO_FILE];
} kpx_statement;

static void fill_row(kpx_io_row *row, const kpx_statement *s, bool named, uint64_t key)
{
    const kpx_io_block *b = s->block;
    const char *file = b->file ? b->file : "";
    copy_end(row->file, file, strlen(file));
    if (named)
        memcpy(row->name, s->name, sizeof row->name);
    row->line = (uint32_t)b->line;
    row->unit = s->unit;
    row->kind = s->kind;
    row->state = kpx_is_io_suppressed(s->kind, file, row->line) ? KPX_SITE_SUPPRESSED : 0;
    row->key = key;
}

static uint64_t key_of(const kpx_statement *s, bool named)
{
    const kpx_io_block *b = s->block;
    uint64_t key = (uint64_t)(uintptr_t)b->file * 0x9e3779b97f4a7c15u;
    for (const char *at = s->name; named && *at; at++)
        key = (key ^ (unsigned char)*at) * 0x100000001b3u;
    key = (key ^ (uint64_t)(uint32_t)b->line << 8 ^ s->kind) * 0x9e3779b97f4a7c15u;
    return (key ^ (uint32_t)s->unit) * 0x9e3779b97f4a7c15u | 1;
}

// The row of that key, or a free one; UINT32_MAX: all are taken.
static uint32_t find_row(const kpx_thread_table *t, uint64_t key)
{
    for (uint32_t i = 0; i < KPX_IO_ROWS; i++) {
        uint32_t at = ((uint32_t)(key >> 32) + i) % KPX_IO_ROWS;
        if (t->ios[at].key == 0 || t->ios[at].key == key)
            return at;
    }
    return UINT32_MAX;
}

// The row of a statement, a unit and its file; UINT32_MAX: there are too many. A program that opens
// very many files gets one row for the rest of them.
static uint32_t row_of(kpx_thread_table *t, const kpx_statement *s)
{
    bool named = true;
    uint64_t key = key_of(s, named);
    uint32_t at = find_row(t, key);
    if (at == UINT32_MAX || (t->ios[at].key == 0 && t->table->io_used >= KPX_IO_NAMED)) {
        named = false;
        key = key_of(s, named);
        at = find_row(t, key);
    }
    if (at == UINT32_MAX) {
        t->table->io_lost++;
    } else if (t->ios[at].key == 0) {
        fill_row(&t->ios[at], s, named, key);
        t->table->io_used++;
    }
    return at;
}

static int32_t unit_of(const kpx_io_block *b, kpx_io_kind kind)
{
    if ((kind == KPX_IO_READ || kind == KPX_IO_WRITE) && (b->flags & HAS_INTERNAL_UNIT))
        return KPX_INTERNAL;
    bool none = kind == KPX_IO_LENGTH || (kind == KPX_IO_INQUIRE && (b->flags & ASKS_FILE));
    return none ? KPX_NO_UNIT : b->unit;
}

// INQUIRE connects nothing: a unit has a file only if it is connected. One about a file by its name
// is about none that is read or written here.
static kpx_statement statement_of(const kpx_io_block *b, kpx_io_kind kind)
{
    kpx_statement s = {.block = b, .kind = kind, .unit = unit_of(b, kind)};
    if (s.unit == KPX_INTERNAL || s.unit == KPX_NO_UNIT)
        return s;
    const kpx_connection *known = last_connection(s.unit);
    bool connected = known ? !known->closed : s.unit == 0 || s.unit == 5 || s.unit == 6;
    if (connected || kind != KPX_IO_INQUIRE)
        name_of_unit(s.name, s.unit);
    return s;
}

static bool is_measured(const kpx_io_block *b)
{
    return kpx_measured.on && kpx_measured.io && kpx_is_wanted(NULL, b->file ? b->file : "");
}

// The row of READ, WRITE and others whose unit is known when they begin: most often that of the
// last time. UINT32_MAX: there is none.
static uint32_t known_row(kpx_thread_table *t, const kpx_io_block *b, kpx_io_kind kind)
{
    int32_t unit = unit_of(b, kind);
    const kpx_connection *connection = unit == KPX_INTERNAL ? NULL : last_connection(unit);
    uint32_t place = ((uint32_t)b->line * 8 + (uint32_t)unit) % KPX_IO_KNOWN;
    kpx_io_known *known = &t->io_known[place];
    if (known->file == b->file && known->line == b->line && known->unit == unit &&
        known->kind == kind && known->connection == connection)
        return known->row;
    const kpx_statement s = statement_of(b, kind);
    bool wanted = is_measured(b);
    uint32_t row = wanted ? row_of(t, &s) : UINT32_MAX;
    if (!wanted || row != UINT32_MAX)
        *known = (kpx_io_known){b->file, connection, b->line, unit, kind, row};
    return row;
}

// ---- Statements -----------------------------------------------------------------------------

static bool is_timed(const kpx_io_row *row)
{
    return !kpx_measured.count && row->state != KPX_SITE_SUPPRESSED;
}

static void begin_statement(const kpx_io_block *b, kpx_io_kind kind)
{
    kpx_thread_table *t = kpx_measured.on && kpx_measured.io ? kpx_begin_measuring() : NULL;
    uint32_t row = t ? known_row(t, b, kind) : UINT32_MAX;
    if (row != UINT32_MAX && !is_timed(&t->ios[row])) {
        t->ios[row].counter.count += !kpx_is_stopped();
    } else if (row != UINT32_MAX) {
        uint64_t now = kpx_table_now(t);
        kpx_drop_frames(t, b, now);
        kpx_push_frame(t, KPX_IO_FRAME + row, KPX_SITE_IO, b, now);
    }
    if (t)
        kpx_end_measuring(t);
}

// If this statement is timed, the innermost frame of a statement is its own: frames above it belong
// to activations that are gone.
static void end_statement(const kpx_io_block *b)
{
    kpx_thread_table *t = kpx_measured.io && !kpx_measured.count ? kpx_begin_measuring() : NULL;
    if (!t)
        return;
    if (t->innermost[KPX_SITE_IO]) {
        uint64_t now = kpx_table_now(t);
        kpx_drop_frames(t, b, now);
        uint64_t open = t->innermost[KPX_SITE_IO];
        if (open && t->frames[open - 1].frame == (uint64_t)(uintptr_t)b)
            kpx_pop_frame(t, t->frames[open - 1].number, b, 0, now);
    }
    kpx_end_measuring(t);
}

#define REAL(name)                                                                                 \
    static void (*real)(void *);                                                                   \
    if (!real)                                                                                     \
    real = (void (*)(void *))dlsym(RTLD_NEXT, #name)

// A statement of several calls. The unit of READ and WRITE is known at its beginning.
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
        end_statement(block);                                                                      \
    }

// OPEN (NEWUNIT=) knows its unit at its end, so the row is searched then.
static void measure_open(kpx_thread_table *t, const kpx_statement *s, uint64_t start)
{
    uint32_t row = row_of(t, s);
    if (row != UINT32_MAX && !is_timed(&t->ios[row])) {
        t->ios[row].counter.count += !kpx_is_stopped();
    } else if (row != UINT32_MAX) {
        kpx_drop_frames(t, s->block, start);
        kpx_push_frame(t, KPX_IO_FRAME + row, KPX_SITE_IO, s->block, start);
        kpx_pop_frame(t, KPX_IO_FRAME + row, s->block, 0, kpx_table_now(t));
    }
}

// OPEN and CLOSE are followed in all files, measured or not, since other files may use their units.
static void open_statement(kpx_io_block *b, void (*real)(void *))
{
    kpx_thread_table *t = is_measured(b) ? kpx_begin_measuring() : NULL;
    uint64_t start = t && !kpx_measured.count ? kpx_table_now(t) : 0;
    real(b);
    kpx_statement s = {.block = b, .kind = KPX_IO_OPEN, .unit = b->unit};
    name_of_open(s.name, (const kpx_open_block *)b);
    if (kpx_measured.on && kpx_measured.io)
        note_unit(b, KPX_IO_OPEN, s.name);
    if (!t)
        return;
    measure_open(t, &s, start);
    kpx_end_measuring(t);
}

static void one_call(kpx_io_block *b, kpx_io_kind kind, void (*real)(void *))
{
    static const char none[KPX_IO_FILE];
    if (kind == KPX_IO_OPEN) {
        open_statement(b, real);
        return;
    }
    begin_statement(b, kind);
    real(b);
    end_statement(b);
    if (kind == KPX_IO_CLOSE && kpx_measured.on && kpx_measured.io)
        note_unit(b, kind, none);
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
PAIR(iolength, KPX_IO_LENGTH)
SINGLE(open, KPX_IO_OPEN)
SINGLE(close, KPX_IO_CLOSE)
SINGLE(rewind, KPX_IO_REWIND)
SINGLE(backspace, KPX_IO_BACKSPACE)
SINGLE(endfile, KPX_IO_ENDFILE)
SINGLE(flush, KPX_IO_FLUSH)
SINGLE(inquire, KPX_IO_INQUIRE)
