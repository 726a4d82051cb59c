// SPDX-License-Identifier: MIT
//
// The converter reads the events of all threads of all processes in order of time and makes
// activities of them (private to timeline/).
//
// Each thread has a stack of frames: the constructs that it is in. The top frame says how the
// thread spends its time now. Whenever an event changes the stack, the open interval (from the last
// change until now) becomes an activity.
//
//   thread:   outside -> serial -> region -> loop | single | critical | task | wait | MPI call ...
//
// Executions of routines, loops and I/O statements may be anywhere between them.
//
// A wait (barrier, lock, critical, ordered, taskwait, receive, collective) is an activity of its
// own. An edge leads to it from the activity that it waited for.
//
//   events.c      takes the events in order and hands each to the three files that know events
//   openmp.c, mpi.c, executions.c    each has its own part of the converter
//   threads.c     stacks, intervals, constructs and statistics; used by all of them
#ifndef KPX_CONVERTER_H
#define KPX_CONVERTER_H

#include "base/table.h"
#include "kpx-bridge/log/messages.h"
#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/timeline/activities.h"
#include "kpx-bridge/timeline/executions.h"
#include "kpx-bridge/timeline/heap.h"
#include "kpx-bridge/timeline/mpi.h"
#include "kpx-bridge/timeline/openmp.h"
#include "kpx-bridge/timeline/processor_time.h"
#include "kpx-bridge/timeline/statistics.h"
#include "kpx-bridge/timeline/waits.h"
#include "kpx-bridge/totals/counters.h"

// A construct that a thread is in.
typedef struct {
    uint32_t construct;
    kpx_kind begun_by; // the kind of event that began it
    uint64_t key;      // mutex, task or region: what its end names; of an execution its depth
    trace_figure_kind row; // where its time counts, or TRACE_FIGURES
    bool waits;
    bool seen, brief;     // it has an activity; an execution that ends and has none yet
    uint32_t counts_for;  // row of the region it belongs to, or KPX_NONE (kpx_push() sets it)
    uint32_t resume;      // of a task: the thread's last activity before it
    trace_schedule schedule; // of a loop, else none
    uint32_t loop;        // which execution of which loop, the same for all threads
    int64_t iterations;   // of all threads
    int64_t first, count; // the chunk; count 0: none yet
    uint32_t open;        // of an execution: how many are open, itself included
    uint32_t arrival;     // of a call: the collective it waits for, index + 1
    uint64_t posting;     // of a call: the event where the receive is posted, + 1
    bool awaits;          // of a call: it waits for a message
    uint64_t awaited;     // of rank << 32 | tag; -1: any
} kpx_frame;

// An edge to the open interval.
typedef struct {
    uint32_t from;
    trace_edge edge;
} kpx_need;

// A value of the open interval.
typedef struct {
    trace_key key;
    int64_t number;
} kpx_note_value;

struct kpx_thread_state {
    uint32_t process; // its place in the log
    uint32_t index;   // among the process's threads
    uint32_t next;    // its next event
    bool begun;       // an event that says what it did was taken
    uint32_t place;
    uint32_t last;    // its last activity, or KPX_NONE
    uint64_t since;   // when the open interval began
    uint32_t maker;   // of the open interval
    ARRAY_OF(kpx_frame) stack;
    ARRAY_OF(kpx_need) needs;        // of the open interval
    ARRAY_OF(kpx_note_value) values; // of the open interval
    uint32_t region;    // innermost, KPX_NONE: outside of all
    uint32_t barrier;   // the number of the barrier it came to last, in that region
    uint32_t loops;     // how many loops it has begun in that region
    uint32_t last_work; // construct of the work-sharing construct it left last
    uint64_t task;      // the task it is in
    kpx_windows windows; // of its whole log
    // Found by looking ahead in its log; indices of events:
    uint32_t call_end;  // `refused` holds up to here: the call of MPI was refused
    bool refused;
    uint32_t wait_end;  // the next end of a wait
};

// A number in a log is unique within its process. Keys of maps are unique among all (kpx_own()).
struct kpx_converter {
    kpx_activities *m;
    const kpx_logs *logs;
    const kpx_counters *measured; // or NULL
    const kpx_messages *messages;
    kpx_statistics *statistics;
    kpx_thread_state *threads;
    uint32_t nthreads;
    kpx_heap heap; // threads with events left, the earliest event first
    uint64_t now;
    ARRAY_OF(bool) paused; // by process: recording is off now, as the program wished
    uint64_t event;        // kpx_event_key() of the event being taken
    base_map construct_of; // by place in the program, kind and name
    kpx_openmp openmp;
    kpx_mpi mpi;
    kpx_executions executions;
    kpx_waits waits;
};

// ---- Numbers ------------------------------------------------------------------------------------

// The number that a map has for a key, or KPX_NONE.
static inline uint32_t kpx_number_of(const base_map *map, uint64_t key)
{
    uint64_t number = map_get(map, key);
    return number == MAP_ABSENT ? KPX_NONE : (uint32_t)number;
}

static inline uint64_t kpx_own(const kpx_thread_state *t, uint64_t number)
{
    return number ^ ((uint64_t)t->process + 1) * 0x9e3779b97f4a7c15u;
}

// ---- Threads (threads.c) ------------------------------------------------------------------------

kpx_frame *kpx_top(kpx_thread_state *t); // NULL: outside of all
// The innermost frame that is no execution of a routine, loop or I/O statement, or NULL.
kpx_frame *kpx_top_construct(const kpx_thread_state *t);
// The innermost frame that an event of this kind began (with that key), or NULL.
kpx_frame *kpx_find_frame(kpx_thread_state *t, kpx_kind begun_by, uint64_t key);
uint32_t kpx_open_executions(const kpx_thread_state *t); // that the thread is in
// Ends the open interval. An empty one without edges and values makes no activity.
void kpx_close(kpx_converter *c, kpx_thread_state *t);
void kpx_push(kpx_converter *c, kpx_thread_state *t, kpx_frame f);
// Ends the frame. Frames above it that have not ended stay (locks need not nest).
bool kpx_pop(kpx_converter *c, kpx_thread_state *t, kpx_kind begun_by, uint64_t key);
// Adds an edge to the open interval. from may be KPX_NONE.
void kpx_needs(kpx_thread_state *t, uint32_t from, trace_edge edge);

// What is done in the construct `of` at the address `code`. Its module is "CALLED file:line".
uint32_t kpx_construct_at(kpx_converter *c, const kpx_thread_state *t, trace_kind of,
                          const char *called, kpx_doing doing, uint64_t code);
// The same where the table of kinds tells all: of a construct of OpenMP.
uint32_t kpx_openmp_at(kpx_converter *c, const kpx_thread_state *t, trace_kind of, trace_kind kind,
                       uint64_t code);

// Begins the serial part of a thread that the program made, if the thread is in nothing else.
void kpx_begin_serial(kpx_converter *c, kpx_thread_state *t);

// Counts one more of this kind, for the program and for the thread's region.
void kpx_count(kpx_converter *c, const kpx_thread_state *t, trace_figure_kind row);

#endif
