// SPDX-License-Identifier: MIT
//
// What the compiler plugin puts into a program, the recorder finds there and writes down, and the
// bridge reads (private to kpx-bridge/).
//
// A site is what can be measured: a routine, a DO loop, an I/O statement. The plugin gives each a
// kpx_site in the section KPX_SITES of the object, and code at its beginning and end:
//
//     if (site.enter)                       if (site.leave)
//         site.enter(&site, frame);             site.leave(&site, frame, rotation);
//
// Both are NULL in the file: a program that is not recorded tests two words and needs no library.
// The recorder (recorder/routines.c) finds the sections of what is loaded and sets the pointers of
// what is to be measured. `frame` is the canonical frame address of the routine's activation: one
// that has been left without a word (longjmp) is found out by it.
//
// How the recorder measures a site is in the list of sites: kpx_site_state.
//
// Files in the log's folder (ID as in log.h, but not the same number):
//   ID.sites      text: lines `key value` (pid, program, rank, ranks), `sites N`, then a line per site,
//                 its number first: fields between tabs, as recorder/sites.c writes them
//   ID-N.table    the counters of the N-th thread: kpx_table, then counters, frames, I/O statements;
//                 mapped and shared, so that they outlive a process that is killed
//   suppressed    text, written by the bridge before the program runs: a line `kind line seq
//                 routine file` (tabs between, and a tab; see site_key.h) for what is not to be timed,
//                 then counts for the reader: executions and iterations by node, `-`: not known
#ifndef KPX_SITES_H
#define KPX_SITES_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define KPX_SITES "kpx_sites" // a name in C: linkers then make one section of it
#define KPX_SITE_VERSION 1
#define KPX_SUPPRESSED "suppressed"

typedef enum {
    KPX_SITE_ROUTINE,
    KPX_SITE_LOOP,
    KPX_SITE_IO,
    KPX_SITE_KINDS,
} kpx_site_kind;

enum {
    KPX_SITE_DEFINITE = 1, // a loop whose rotation is known when it begins
    KPX_SITE_UNSEEN = 2,   // a loop that the compiler did not show: it has no hooks
};

typedef enum {
    KPX_SITE_OFF,        // was not asked for
    KPX_SITE_COUNTED,
    KPX_SITE_TIMED,      // and counted
    KPX_SITE_SUPPRESSED, // executed too often to be timed
    KPX_SITE_STATES,
} kpx_site_state;

typedef struct kpx_site kpx_site;
typedef void kpx_hook(kpx_site *site, const void *frame, uint64_t rotation);

// As the plugin writes it: twelve words of 64 bits.
struct kpx_site {
    kpx_hook *enter, *leave;
    uint64_t number; // the recorder's
    uint8_t version, kind, flags, unused;
    uint32_t seq;             // 1 for the first of its kind in its routine, 0: none
    uint32_t line, last_line; // in `file`
    uint32_t label;           // of a loop, 0: none
    uint32_t routine_line;
    const char *routine; // as it is called in the source
    const char *file;    // as the compiler was given it
    const char *folder;  // that the compiler ran in
    const char *extra;   // of an I/O statement: kind and unit, a blank between
    uint64_t reserved[2];
};

static_assert(sizeof(kpx_site) == 96, "the plugin writes words");

// ---- Tables ---------------------------------------------------------------------------------

#define KPX_TABLE_MAGIC "KPXTAB2"
#define KPX_TABLE_HEADER 4096u
#define KPX_FRAMES 8192u // of a thread; deeper calls are counted, not timed
#define KPX_IO_ROWS 1024u
#define KPX_IO_NAMED (KPX_IO_ROWS / 2) // rows after which the names of files are left out
#define KPX_IO_FILE 176u

// Times are ticks of the table's clock.
typedef struct {
    uint64_t count;     // executions begun
    uint64_t rotation;  // of loops: iterations of executions that have ended
    uint64_t inclusive; // of executions that are over; once, where a routine calls itself
    uint64_t exclusive; // without what is of the same kind within
    uint64_t self;      // without any measured thing within
    uint64_t active;    // executions that are open
} kpx_counter;

typedef struct {
    uint64_t number; // of the site; KPX_IO_FRAME + row for I/O
    uint64_t frame, return_address;
    uint64_t start;
    uint64_t inner;      // time of frames directly within
    uint64_t inner_same; // and of those of the same kind
    uint64_t outer_same; // 1 + index of the frame of the same kind around it, 0: none
    uint64_t kind;       // kpx_site_kind, and KPX_FRAME_COUNTED
} kpx_frame_row;

#define KPX_FRAME_COUNTED 0x100 // its execution is: measuring was not stopped
#define KPX_FRAME_HIDDEN 0x200  // it is not on the timeline: executed too often

#define KPX_IO_FRAME (UINT64_C(1) << 32)

// An I/O statement that was executed, of one unit and the file that was connected to it.
typedef struct {
    uint64_t key;           // 0: the row is free
    char file[KPX_IO_FILE]; // of the source; its end, if it is longer
    char name[KPX_IO_FILE]; // of the connected file; the same. Empty: none, or not known
    uint32_t line;
    int32_t unit; // KPX_INTERNAL: a character variable; KPX_NO_UNIT
    uint32_t kind;  // kpx_io_kind
    uint32_t state; // KPX_SITE_SUPPRESSED, or 0: as all are measured
    kpx_counter counter;
} kpx_io_row;

#define KPX_INTERNAL INT32_MIN
#define KPX_NO_UNIT (INT32_MIN + 1) // INQUIRE by a file's name, or of a length

typedef enum {
    KPX_IO_OPEN,
    KPX_IO_CLOSE,
    KPX_IO_READ,
    KPX_IO_WRITE,
    KPX_IO_REWIND,
    KPX_IO_BACKSPACE,
    KPX_IO_ENDFILE,
    KPX_IO_FLUSH,
    KPX_IO_INQUIRE,
    KPX_IO_LENGTH, // INQUIRE (IOLENGTH=...)
    KPX_IO_KINDS,
} kpx_io_kind;

// As a site's `extra` begins with it; PRINT is a kind of WRITE.
static inline const char *kpx_io_name(kpx_io_kind kind)
{
    static const char *const names[KPX_IO_KINDS] = {"open",    "close",     "read",
                                                    "write",   "rewind",    "backspace",
                                                    "endfile", "flush",     "inquire",
                                                    "inquire"};
    return names[kind];
}

static inline bool kpx_is_io_kind(const char *extra, kpx_io_kind kind)
{
    const char *name = kpx_io_name(kind);
    return strncmp(extra, name, strlen(name)) == 0 ||
           (kind == KPX_IO_WRITE && strncmp(extra, "print", 5) == 0);
}

typedef struct {
    char magic[8];
    uint32_t pid, tid, thread;
    uint32_t sites;      // counters that there are
    uint64_t clock;      // 0: elapsed, 1: of the thread's processor
    uint64_t timed;      // 0: executions are only counted
    uint64_t ended;      // the process ended in good order
    uint64_t tick0, ns0; // the same moment by both clocks, at the beginning
    uint64_t tick1, ns1; // and later
    uint64_t last;       // tick of the last event
    uint64_t depth;      // frames that are open
    uint64_t beyond;     // executions that found no frame
    uint64_t io_lost;    // and I/O statements that found no row
    uint64_t io_used;    // rows that are
    uint64_t events;
    uint64_t unlogged; // threads of this table that are not on the timeline
} kpx_table;

static_assert(sizeof(kpx_table) <= KPX_TABLE_HEADER, "the header is one page");

static inline uint64_t kpx_table_frames_at(uint32_t sites)
{
    return KPX_TABLE_HEADER + (uint64_t)sites * sizeof(kpx_counter);
}

static inline uint64_t kpx_table_io_at(uint32_t sites)
{
    return kpx_table_frames_at(sites) + (uint64_t)KPX_FRAMES * sizeof(kpx_frame_row);
}

static inline uint64_t kpx_table_size(uint32_t sites)
{
    return kpx_table_io_at(sites) + (uint64_t)KPX_IO_ROWS * sizeof(kpx_io_row);
}

#endif
