// SPDX-License-Identifier: MIT
//
// What a file has of a measured run beside the history: the parallel regions of an OpenMP program,
// with the figures and teams of each, the number of events that were dropped, and the machine.
#ifndef PROFILER_REGIONS_H
#define PROFILER_REGIONS_H

#include "profiler/trace.h"

// The kinds of constructs that regions have figures of. Times are nanoseconds, summed over all
// threads: the time that they ran in constructs of the kind, and the time that they waited for
// them. All time in barriers, in reductions, and in setting up and updating data is waiting.
typedef enum {
    TRACE_MASTER,
    TRACE_SINGLE,
    TRACE_ATOMIC,
    TRACE_CRITICAL,
    TRACE_ORDERED,
    TRACE_USER_BARRIER,
    TRACE_IMPLIED_BARRIER,
    TRACE_DATA_SETUP,
    TRACE_DATA_UPDATE,
    TRACE_REDUCTION,
    TRACE_FIGURES,
} trace_figure_kind;

typedef struct {
    bool observed;  // false: the runtime has no events for it
    uint64_t count; // executions; a barrier counts once for a team, not for each thread
    uint64_t running, waiting;
    uint64_t ran, spun; // of these, with a processor; as long if nobody looked
} trace_figure;

// One execution of a region, from fork to join.
typedef struct {
    int64_t start, took; // nanoseconds since the run began
    uint32_t nplaces;
    const uint32_t *places; // of its threads, the master's first
} trace_team;

// All executions of one parallel directive. For the whole program `elapsed` is the time in which
// any region was executed, `thread_time` the time of all threads in teams, each counted once, and
// there are no file and no teams.
typedef struct {
    const char *file; // base name; if the line is unknown the name of a function, or ""
    uint64_t length;  // of `file`
    uint32_t line;    // 0: unknown
    uint32_t clause;  // TRACE_NONE, or that of its construct
    uint32_t threads; // of its largest team
    uint64_t elapsed; // from fork to join
    uint64_t thread_time; // the same times threads
    const trace_figure *figures; // by kind
    uint32_t nteams;
    const trace_team *teams; // in order of their ends
} trace_region;

typedef struct {
    uint32_t nodes;   // processes
    uint64_t elapsed; // of the program, nanoseconds
    uint32_t nregions;
    const trace_region *regions; // nregions, then the whole program
} trace_regions;

#define TRACE_MOST_EVENTS (INT64_MAX >> 17) // of a place, so sums over all places fit in 63 bits

// A place (a thread) that dropped events.
typedef struct {
    uint32_t place;
    uint64_t kept, seen; // events in the log; events that happened, which are more
    bool capped;         // a cap was the reason: one of `seen` would have kept all events
} trace_dropped;

// The machine, or machines, of a measured run; 0: not known.
typedef struct {
    uint32_t processors; // that the run might use
    uint32_t threads;    // that a team has unless the program says something else
    uint64_t clock;      // picoseconds that reading the clock took
} trace_machine;

// Once, after the last reduction of a measured run.
void tw_regions(tw *w, const trace_regions *r);

// Once, after the last reduction of a measured run, if there are any: ascending by place.
void tw_dropped(tw *w, const trace_dropped *dropped, uint32_t n);

// Once, after the last reduction of a measured run.
void tw_machine(tw *w, const trace_machine *machine);

const trace_regions *trace_get_regions(const trace *t); // NULL unless an OpenMP run was recorded
// The places that dropped events, ascending by place. Returns how many.
uint32_t trace_get_dropped(const trace *t, const trace_dropped **ret);
trace_machine trace_get_machine(const trace *t); // zeros unless it is known

#endif
