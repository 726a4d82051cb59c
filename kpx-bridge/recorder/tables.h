// SPDX-License-Identifier: MIT
//
// The recorder of routines, loops and I/O statements (libkpx-routines.so, loaded into the program).
// kpx-bridge/log/sites.h describes sites and tables. The environment configures it:
//
//   KPX_LOG       the folder; without it nothing is measured
//   KPX_MEASURE   some of `routines`, `loops`, `io`, separated by commas
//   KPX_COUNT     1: only count
//   KPX_CLOCK     `cpu`: processor time of the thread
//   KPX_ONLY, KPX_EXCEPT   patterns for routines and files, separated by commas
//   KPX_PAUSED    nothing is measured before kpx_start()
//   KPX_LIMIT     sites with fewer executions are on the timeline (default 10000)
//   KPX_EVENTS    how many timeline events of a thread are kept (default 1048576)
//   KPX_WITHOUT   kinds of events to leave out: `timeline`
//
// Every timed execution is on the timeline, too: its beginning and end are events in the log of the
// thread (log.c), at the times that the table has. Once a thread has executed a site too often, it
// writes no more events of it, and the reader leaves the site out.
#ifndef KPX_TABLES_H
#define KPX_TABLES_H

#include <stdbool.h>

#include "kpx-bridge/log/sites.h"

// Everything below is called within the library only.
#pragma GCC visibility push(hidden)

// ---- What is measured (sites.c) -------------------------------------------------------------

typedef struct {
    bool on, routines, loops, io, count, cpu;
    char *only, *except; // or NULL
    uint32_t sites;      // how many were found
} kpx_measure_options;

extern kpx_measure_options kpx_measured;

// Reads the environment, finds the sites of all loaded objects and numbers them.
void kpx_find_sites(const char *folder);
// Writes the list of sites. Returns the ID of the process's files, or -1 on failure.
long kpx_list_sites(const char *folder);
// The rank that the launcher of MPI announced, known before MPI_Init. False: none.
bool kpx_find_rank(int *ret_rank, int *ret_ranks);
// Whether the user wants this routine or file measured.
bool kpx_is_wanted(const char *routine, const char *file);
// Whether the I/O statement at this line is executed too often to be timed.
bool kpx_is_io_suppressed(kpx_io_kind kind, const char *file, uint32_t line);

// ---- Tables (routines.c) --------------------------------------------------------------------

// A cache entry: the row of the statement that used this entry last.
typedef struct {
    const char *file;       // of the source
    const void *connection; // of the unit, as fortran_io.c has it
    int32_t line, unit;
    kpx_io_kind kind;
    uint32_t row; // UINT32_MAX: not measured
} kpx_io_known;

#define KPX_IO_KNOWN 128u

// The table of the calling thread. Only that thread writes it, so there are no locks.
typedef struct {
    kpx_table *table; // NULL: none yet
    kpx_counter *counters;
    kpx_frame_row *frames;
    kpx_io_row *ios;
    uint64_t innermost[KPX_SITE_KINDS]; // 1 + index of the innermost frame of that kind, 0: none
    bool busy;    // in here already: what a signal's handler calls is not measured
    bool failed;
    bool stopped; // the processor's clock: see cpu_tick()
    uint64_t away, frozen;
    kpx_io_known io_known[KPX_IO_KNOWN];
    // The timeline.
    bool timeline;  // the thread has one
    bool begun;     // the log relates ticks to time
    uint32_t stops; // how many stops of the process the thread has seen
    uint64_t told;  // how many of the outermost frames have their beginnings in the log
    uint64_t left;  // events that may still be kept
} kpx_thread_table;

// The table with `busy` set, or NULL. kpx_end_measuring() follows.
kpx_thread_table *kpx_begin_measuring(void);
void kpx_end_measuring(kpx_thread_table *t);
uint64_t kpx_table_now(kpx_thread_table *t);
bool kpx_is_stopped(void);

void kpx_push_frame(kpx_thread_table *t, uint64_t number, kpx_site_kind kind, const void *frame,
                    uint64_t now);
// Ends the innermost frame of that site, and all frames within it.
void kpx_pop_frame(kpx_thread_table *t, uint64_t number, const void *frame, uint64_t rotation,
                   uint64_t now);
// Drops the frames of activations that ended without a call of `leave`.
void kpx_drop_frames(kpx_thread_table *t, const void *frame, uint64_t now);

// The hooks of sites that are timed, and of sites that are only counted.
extern kpx_hook kpx_enter_timed, kpx_leave_timed, kpx_enter_counted, kpx_leave_counted;

#pragma GCC visibility pop

#endif
