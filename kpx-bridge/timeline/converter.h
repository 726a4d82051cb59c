// SPDX-License-Identifier: MIT
//
// What a program did, from its events (private to kpx-bridge/; threads.c, openmp.c, mpi.c,
// executions.c).
//
// The events of all threads of all processes are read in order of time. Each thread has a stack of
// what it is in; whenever an event changes that, the stretch since the last change becomes an
// activity.
//
//   thread:   outside -> serial -> region -> loop | single | critical | task | wait | MPI call ...
//
// Calls of routines, executions of loops and I/O statements may stand anywhere between.
//
// A wait (barrier, lock, critical, ordered, taskwait, a receive, a collective) is an activity of
// its own, with an arrow from what it waited for.
#ifndef KPX_CONVERTER_H
#define KPX_CONVERTER_H

#include "base/table.h"
#include "kpx-bridge/totals/counters.h"
#include "kpx-bridge/log/messages.h"
#include "kpx-bridge/timeline/activities.h"
#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/timeline/statistics.h"

// What a thread is in.
typedef struct {
    uint32_t construct;
    kpx_kind begun_by; // the kind of event that began it
    uint64_t key;      // mutex, task or region: what its end names; of an execution its depth
    trace_figure_kind row; // where its time counts, or TRACE_FIGURES
    bool waits;
    bool seen, brief;     // it has a stretch; of an execution: it ends and has none yet
    uint32_t region;      // it belongs to, KPX_NONE: none (kpx_push() sets it)
    uint32_t resume;      // of a task: the thread's last activity before it
    const char *schedule; // of a loop, else NULL
    uint32_t loop;        // which execution of which loop, the same for all threads
    int64_t iterations;   // of all threads
    int64_t first, count; // the chunk; count 0: none yet
    uint32_t open;        // of an execution: how many of them are, with it
    uint32_t arrival;     // of a call: the collective it waits for, index + 1
    uint64_t posting;     // and the event where the receive is posted, + 1
} kpx_frame;

typedef struct {
    uint32_t from;
    const char *text;
} kpx_need;

// A named value of the open stretch.
typedef struct {
    const char *name;
    int64_t number;
} kpx_note_value;

typedef struct {
    uint32_t process; // its place in the log
    uint32_t index;   // among the process's threads
    uint32_t next;    // its next event
    bool begun;       // one that tells what it did was taken
    uint32_t place;
    uint32_t last;    // its last activity, or KPX_NONE
    uint64_t since;   // when the open stretch began
    uint32_t maker;   // of the open stretch
    ARRAY_OF(kpx_frame) stack;
    ARRAY_OF(kpx_need) needs;        // arrows to the open stretch
    ARRAY_OF(kpx_note_value) values; // of it
    uint32_t region;    // innermost, KPX_NONE: outside of all
    uint32_t barrier;   // number of the one it came to last, in that region
    uint32_t loops;     // loops it has begun in that region
    uint32_t last_work; // construct of the work-sharing construct it left last
    uint64_t task;      // that it is in
    // What was looked up ahead, events of its log:
    uint32_t call_end;  // until here: whether the call of MPI is `refused`
    bool refused;
    uint32_t wait_end;  // the next end of a wait
} kpx_thread_state;

typedef struct {
    uint32_t region, number;
    uint32_t last; // the activity that came last
    bool counted;  // somebody has come
    bool copies;   // the first of the two of a copyprivate
} kpx_barrier;

typedef struct {
    uint32_t construct;
    uint32_t process;
    uint32_t outer; // region of its master before, KPX_NONE
    uint32_t outer_barrier, outer_loops;
    uint64_t outer_task;
    uint32_t fork; // activity
    uint64_t began;
    uint32_t threads;
    uint32_t master; // of c->threads, KPX_NONE: it is not known yet
    uint32_t row; // of statistics->regions, or KPX_NONE
    bool ended;
    ARRAY_OF(uint32_t) places; // of its threads, the master's first
} kpx_region_state;

typedef struct {
    uint32_t construct;
    uint32_t creator; // activity
    uint32_t last;    // activity, KPX_NONE: it has not run
    uint64_t parent;  // task
    ARRAY_OF(uint32_t) after; // tasks
} kpx_task;

// Outermost regions that are open in a process: its threads may open several at a time.
typedef struct {
    uint32_t open;
    uint64_t since; // when the first of them began
} kpx_parallel_time;

// What tasks of one parent have named in dependences: the last that writes it, or KPX_NONE,
// and those that have read it since.
typedef struct {
    uint32_t writer;
    ARRAY_OF(uint32_t) readers;
} kpx_use;

// A thread came to a collective and takes something from it.
typedef struct {
    uint64_t key; // of the collective
    uint16_t routine;
    uint32_t communicator;
} kpx_arrival;

// Somebody came to a collective and gives something to it.
typedef struct {
    uint32_t rank, activity;
    uint32_t older; // who came to it before, index, or KPX_NONE
} kpx_giver;

// Numbers in logs are a process's own; those of maps have it in front (kpx_own()).
typedef struct {
    kpx_model *m;
    const kpx_logs *logs;
    const kpx_measured_log *measured; // or NULL
    const kpx_messages *messages;
    kpx_communicators *communicators; // by process
    kpx_statistics *statistics;
    kpx_thread_state *threads;
    uint32_t nthreads;
    ARRAY_OF(uint32_t) heap; // threads with events left, earliest event first
    uint64_t now;
    ARRAY_OF(bool) paused; // by process: it does not want to be recorded now
    uint64_t event; // kpx_event_key() of the event being taken
    base_map construct_of; // by place in the program and what it is
    // OpenMP
    ARRAY_OF(kpx_barrier) barriers;
    ARRAY_OF(kpx_region_state) regions;
    kpx_parallel_time *parallel; // by process
    ARRAY_OF(kpx_task) tasks;
    ARRAY_OF(kpx_use) uses;
    base_map region_of, task_of;
    base_map row_of;     // construct of a region: its row of the statistics
    base_map use_of; // by parent task and address
    base_map barrier_of; // region << 32 | number
    base_map loop_of;    // region << 32 | number in it
    base_map holder_of;  // mutex: the activity that held it last
    base_map iteration_of; // of an ordered loop: the activity that ended with its `source`
    base_map child_of;   // task: the activity that ended the last of its children
    // MPI
    base_map before_call;  // construct of a call: that of what is computed before it
    base_map sent_by;      // kpx_event_key() of a send: the activity that ended when it was begun
    base_map posted_by;    // kpx_event_key() of where a receive is posted: the same
    ARRAY_OF(kpx_giver) givers;
    base_map last_giver;   // a collective: who came last of those who give something, index
    base_map come_by;      // a collective and a rank: the activity before that came
    base_map come;         // a collective: how many have come
    base_map sharing;      // identity of a communicator: processes that have it
    ARRAY_OF(kpx_arrival) arrivals;
    base_map arrival_of;   // kpx_event_key() of one that is started: index
    // Executions
    base_map construct_of_site;
    base_map left_out; // names that are not on the timeline
} kpx_converter;

// ---- Threads (threads.c) --------------------------------------------------------------------

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

kpx_frame *kpx_top(kpx_thread_state *t); // NULL: outside of all
// The innermost frame that is no execution of a routine, loop or I/O statement, or NULL.
kpx_frame *kpx_top_construct(const kpx_thread_state *t);
// The innermost frame that an event of this kind began (with that key), or NULL.
kpx_frame *kpx_find_frame(kpx_thread_state *t, kpx_kind begun_by, uint64_t key);
// Ends the open stretch. One of no length that says nothing is left out.
void kpx_close(kpx_converter *c, kpx_thread_state *t);
void kpx_push(kpx_converter *c, kpx_thread_state *t, kpx_frame f);
// Ends the frame; what was begun within and has not ended goes on (locks need not nest).
bool kpx_pop(kpx_converter *c, kpx_thread_state *t, kpx_kind begun_by, uint64_t key);
// An arrow to the open stretch. from may be KPX_NONE.
void kpx_needs(kpx_thread_state *t, uint32_t from, const char *text);

// The construct `name` of the module "kind file:line".
uint32_t kpx_construct_at(kpx_converter *c, const kpx_thread_state *t, const char *kind,
                          const char *name, bool waits, uint64_t code);

// The serial part of a thread that the program made begins, if it is in nothing else.
void kpx_begin_serial(kpx_converter *c, kpx_thread_state *t);

// Rows of the statistics: of the program, and of the thread's region or NULL.
void kpx_count(kpx_converter *c, const kpx_thread_state *t, trace_figure_kind row);

// ---- Sources of events ----------------------------------------------------------------------

// Each takes the events that it knows and leaves the others.
void kpx_take_openmp(kpx_converter *c, kpx_thread_state *t, const kpx_event *e);
void kpx_finish_openmp(kpx_converter *c); // what is only known at the end of all
void kpx_begin_mpi(kpx_converter *c); // when communicators are known
void kpx_take_mpi(kpx_converter *c, kpx_thread_state *t, const kpx_event *e);
bool kpx_is_abort(const kpx_event *e); // the call of MPI_Abort
void kpx_begin_executions(kpx_converter *c);
uint32_t kpx_open_executions(const kpx_thread_state *t); // that the thread is in
void kpx_take_execution(kpx_converter *c, kpx_thread_state *t, const kpx_event *e);
// What was measured of the process, or NULL.
const kpx_measured_process *kpx_measured_of(const kpx_measured_log *measured,
                                            const kpx_process_log *p);
// What is not on the timeline because it was executed too often: malloc'ed, or NULL if there is
// none.
char *kpx_left_out(const kpx_logs *logs, const kpx_measured_log *measured);

// ---- All ------------------------------------------------------------------------------------

// measured: NULL if nothing was.
void kpx_convert_events(kpx_model *m, const kpx_logs *logs, const kpx_measured_log *measured,
                        const kpx_messages *messages, kpx_statistics *statistics);

#endif
