// SPDX-License-Identifier: MIT
//
// Sites: the compiler plugin puts them into a program, the recorder finds them there and writes
// tables, and the bridge reads the tables (private to kpx-bridge/).
//
// A site is something that can be measured: a routine, a DO loop, an I/O statement. The plugin
// gives each site a kpx_site in the section KPX_SITES of the object, and adds code at its beginning
// and end:
//
//     if (site.enter)                       if (site.leave)
//         site.enter(&site, frame);             site.leave(&site, frame, rotation);
//
// Both pointers are NULL in the file, so a program that is not recorded tests two words and needs
// no library. The recorder (recorder/routines.c) finds the sections of all loaded objects and sets
// the pointers of the sites that are measured. `frame` is the canonical frame address of the
// routine's activation. It shows which activations ended without a call of `leave` (longjmp).
//
// The list of sites says how the recorder measures each one: kpx_site_state.
//
// Files in the log's folder (ID as in log.h, but not the same number):
//   ID.sites      text: lines `key value` (pid, program, rank, ranks), `sites N`, then one line per
//                 site: its number and fields, separated by tabs, as recorder/sites.c writes them
//   ID-N.table    the counters of the N-th thread: kpx_table, counters, frames, I/O statements;
//                 mapped and shared, so that they survive a process that is killed
//   suppressed    text that the bridge writes before the program runs: one line for each site that
//                 is not to be timed. `kind line seq routine file` (a tab after each; see
//                 site_key.h), then counts for the reader: executions and iterations by node, `-`:
//                 unknown
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
    KPX_SITE_DEFINITE = 1, // a loop whose number of iterations is known when it begins
    KPX_SITE_UNSEEN = 2,   // a loop that the compiler did not show; it has no hooks
};

typedef enum {
    KPX_SITE_OFF,        // not asked for
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
#define KPX_IO_NAMED (KPX_IO_ROWS / 2) // later rows have no names of files
#define KPX_IO_FILE 176u

// Times are ticks of the table's clock.
typedef struct {
    uint64_t count;     // executions begun
    uint64_t rotation;  // of loops: iterations of ended executions
    uint64_t inclusive; // of ended executions; a recursion counts once
    uint64_t exclusive; // without inner executions of the same kind
    uint64_t self;      // without any inner executions
    uint64_t active;    // open executions
} kpx_counter;

typedef struct {
    uint64_t number; // of the site; KPX_IO_FRAME + row for I/O
    uint64_t frame, return_address;
    uint64_t start;
    uint64_t inner;      // time of the frames directly within
    uint64_t inner_same; // the same, of frames of the same kind
    uint64_t outer_same; // 1 + index of the enclosing frame of the same kind, 0: none
    uint64_t kind;       // kpx_site_kind and the flags below
} kpx_frame_row;

#define KPX_FRAME_COUNTED 0x100 // the execution counts: measuring was not stopped
#define KPX_FRAME_HIDDEN 0x200  // not on the timeline: executed too often

#define KPX_IO_FRAME (UINT64_C(1) << 32)

// An executed I/O statement, with one unit and the file that was connected to it.
typedef struct {
    uint64_t key;           // 0: the row is free
    char file[KPX_IO_FILE]; // the source; the end of its path, if that is longer
    char name[KPX_IO_FILE]; // the connected file, in the same way; empty: none, or unknown
    uint32_t line;
    int32_t unit; // KPX_INTERNAL: a character variable; KPX_NO_UNIT
    uint32_t kind;  // kpx_io_kind
    uint32_t state; // KPX_SITE_SUPPRESSED, or 0: as all are measured
    kpx_counter counter;
} kpx_io_row;

#define KPX_INTERNAL INT32_MIN
#define KPX_NO_UNIT (INT32_MIN + 1) // INQUIRE by FILE= or IOLENGTH=

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

// The first word of the `extra` of an I/O site. PRINT counts as WRITE.
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
    uint32_t sites;      // number of counters
    uint64_t clock;      // 0: elapsed, 1: of the thread's processor
    uint64_t timed;      // 0: executions are only counted
    uint64_t ended;      // the process ended normally
    uint64_t tick0, ns0; // one moment by both clocks, at the beginning
    uint64_t tick1, ns1; // one moment by both clocks, later
    uint64_t last;       // tick of the last event
    uint64_t depth;      // open frames
    uint64_t beyond;     // executions that found no free frame
    uint64_t io_lost;    // I/O statements that found no free row
    uint64_t io_used;    // rows in use
    uint64_t events;
    uint64_t unlogged; // threads that used this table and are not on the timeline
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
