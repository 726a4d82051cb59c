// SPDX-License-Identifier: MIT
//
// The recorder of routines, loops and I/O statements (libkpx-routines.so, loaded into the program).
// See kpx-bridge/log/sites.h for what it finds there and what it writes. Configured by the environment:
//
//   KPX_LOG       the folder; without it nothing is measured
//   KPX_MEASURE   of `routines`, `loops`, `io`, commas between
//   KPX_COUNT     1: only count
//   KPX_CLOCK     `cpu`: times are those of the thread's processor
//   KPX_ONLY, KPX_EXCEPT   patterns for routines and files, commas between
//   KPX_PAUSED    nothing is measured before kpx_start()
//   KPX_LIMIT     what is executed less often is on the timeline (default 10000)
//   KPX_EVENTS    events of the timeline kept per thread (default 1048576); the rest is only counted
//   KPX_WITHOUT   kinds of events that are left out: `timeline`
//
// Whatever is timed is on the timeline, too: its beginning and end are events in the log of the
// thread (log.c), at the times that were read for the table. A site that was executed too often in
// a thread to be all there is not written any more, and the reader leaves it out.
#ifndef KPX_TABLES_H
#define KPX_TABLES_H

#include <stdbool.h>

#include "kpx-bridge/log/sites.h"

// What follows is called within the library only.
#pragma GCC visibility push(hidden)

// ---- What is measured (sites.c) -------------------------------------------------------------

typedef struct {
    bool on, routines, loops, io, count, cpu;
    char *only, *except; // or NULL
    uint32_t sites;      // that were found
} kpx_measure_options;

extern kpx_measure_options kpx_measured;

// Reads the environment, finds the sites of what is loaded and numbers them.
void kpx_find_sites(const char *folder);
// Writes them down. Returns the ID of the process's files, -1: that cannot be done.
long kpx_list_sites(const char *folder);
// What the launcher of MPI said, before MPI does. False: nothing.
bool kpx_find_rank(int *ret_rank, int *ret_ranks);
// A place of the source is to be measured.
bool kpx_is_wanted(const char *routine, const char *file);
// The statement that has this line of the file is executed too often to be timed.
bool kpx_is_io_suppressed(kpx_io_kind kind, const char *file, uint32_t line);

// ---- Tables (routines.c) --------------------------------------------------------------------

// The row of the statement that was executed last of those that fall on the same entry.
typedef struct {
    const char *file;       // of the source
    const void *connection; // of the unit, as fortran_io.c has it
    int32_t line, unit;
    kpx_io_kind kind;
    uint32_t row; // UINT32_MAX: it is not to be measured
} kpx_io_known;

#define KPX_IO_KNOWN 128u

// The calling thread's. Only it writes; no locks.
typedef struct {
    kpx_table *table; // NULL: none yet
    kpx_counter *counters;
    kpx_frame_row *frames;
    kpx_io_row *ios;
    uint64_t innermost[KPX_SITE_KINDS]; // 1 + index of the innermost frame of that kind, 0: none
    bool busy;    // in here already: what a signal's handler calls is not measured
    bool failed;
    bool stopped; // of the processor's clock: see cpu_tick()
    uint64_t away, frozen;
    kpx_io_known io_known[KPX_IO_KNOWN];
    // The timeline.
    bool timeline;  // is kept
    bool begun;     // the log says what ticks are
    uint32_t stops; // of the process, that the thread has seen
    uint64_t told;  // frames whose beginnings the log has, the outermost ones
    uint64_t left;  // events that may be kept
} kpx_thread_table;

// The table with `busy` set, or NULL. kpx_end_measuring() follows.
kpx_thread_table *kpx_begin_measuring(void);
void kpx_end_measuring(kpx_thread_table *t);
uint64_t kpx_table_now(kpx_thread_table *t);
bool kpx_is_stopped(void);

void kpx_push_frame(kpx_thread_table *t, uint64_t number, kpx_site_kind kind, const void *frame,
                    uint64_t now);
// Ends the innermost frame of that number, and all within it.
void kpx_pop_frame(kpx_thread_table *t, uint64_t number, const void *frame, uint64_t rotation,
                   uint64_t now);
// Frames of activations that are gone.
void kpx_drop_frames(kpx_thread_table *t, const void *frame, uint64_t now);

// Times, and counts, of what is measured.
extern kpx_hook kpx_enter_timed, kpx_leave_timed, kpx_enter_counted, kpx_leave_counted;

#pragma GCC visibility pop

#endif
