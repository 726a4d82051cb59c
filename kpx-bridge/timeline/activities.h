// SPDX-License-Identifier: MIT
//
// The timeline: activities at places, and edges between them.
//
//   place      where activities happen: a thread or a rank; one row of a picture
//   construct  what an activity is: module, name, and place in the source. A construct either runs
//              or waits; a wait costs nothing in a replay
//   activity   an interval [start, end) of real time in a construct, at a place. An earlier
//              activity makes it: the one before at the same place, or the one that forked it
//   edge       an activity cannot end before another one has ended
//
// Replay (the virtual clock): with as many processors as there are activities, an activity ends at
//     its own duration (0 if it waits) + the latest end of its maker and of its edges' sources.
// Work is the sum of durations, the span is the latest end. So P(t), critical path and "what if"
// mean the same as for programs in Fleng (see iotree/).
#ifndef KPX_ACTIVITIES_H
#define KPX_ACTIVITIES_H

#include <stdbool.h>

#include "base/array.h"
#include "kpx-bridge/totals/totals.h"
#include "kpx-bridge/timeline/statistics.h"
#include "profiler/kinds.h"

#define KPX_NONE UINT32_MAX

typedef struct kpx_activities kpx_activities;

// Called now and then while the timeline is made and written, with the part that is done, 0 to 1;
// -1: the progress line is to be cleared, since a message may follow.
typedef struct {
    void (*tell)(void *data, double part); // or NULL
    void *data;
} kpx_progress;

kpx_activities *kpx_activities_create(void);
void kpx_set_progress(kpx_activities *m, kpx_progress progress);
void kpx_tell_progress(const kpx_activities *m, double part);
void kpx_activities_destroy(kpx_activities *m);

// Sources are named by the path in the debug information, and read if they are still there.
// KPX_NONE for NULL.
uint32_t kpx_add_source(kpx_activities *m, const char *path);
uint32_t kpx_add_place(kpx_activities *m, const char *name);
// What a thread does in a construct: the kind, what it is called, and whether it waits.
typedef struct {
    trace_kind kind;
    const char *name; // not kept
    bool waits;
} kpx_doing;

// What kinds.def says of the kind.
static inline kpx_doing kpx_doing_of(trace_kind kind)
{
    return (kpx_doing){kind, trace_kind_name(kind), trace_kind_waits(kind)};
}

// `module` is what the views show the construct as, `of` its kind in the text: at the barrier of a
// loop a thread is in the loop's module, and what it does is of another kind. The same module,
// name, source and line give the same construct. line 0: unknown.
uint32_t kpx_add_construct(kpx_activities *m, const char *module, trace_kind of, kpx_doing doing,
                           uint32_t source, uint32_t line);
// The place of a construct in the source: *ret_file as the compiler was given it, or NULL; returns
// the line, or 0.
uint32_t kpx_construct_line(const kpx_activities *m, uint32_t construct, const char **ret_file);
trace_kind kpx_construct_kind(const kpx_activities *m, uint32_t construct); // of what is done in it
const char *kpx_construct_module(const kpx_activities *m, uint32_t construct);
// The text of a source, or NULL if it was not there.
const char *kpx_source_text(const kpx_activities *m, uint32_t source, size_t *ret_length);
// Another one of the same module and place in the source.
uint32_t kpx_add_sibling(kpx_activities *m, uint32_t construct, kpx_doing doing);

// Another one, `of` a kind that is called `called`, within a construct: "CALLED in FILE:LINE".
uint32_t kpx_add_within(kpx_activities *m, uint32_t construct, trace_kind of, const char *called,
                        kpx_doing doing);

// maker: an activity, or KPX_NONE for what is there at the beginning. One that claims to start
// before its maker has ended is shortened (clocks that disagree; counted).
uint32_t kpx_add_activity(kpx_activities *m, uint32_t construct, uint32_t place, uint32_t maker,
                          uint64_t start, uint64_t end);
// A number that is shown with an activity: chunk, iterations, partner, bytes; or how its loop is
// scheduled. The values of an activity are added right after it.
void kpx_add_value(kpx_activities *m, uint32_t activity, trace_key key, int64_t number);
void kpx_add_schedule(kpx_activities *m, uint32_t activity, trace_schedule schedule);
// `to` needs `from`, because of a barrier, a lock ... An edge from an activity that ends later
// than `to` is left out when the model is written (and counted as a fault of clocks).
void kpx_add_arrow(kpx_activities *m, uint32_t from, uint32_t to, trace_edge edge);

uint32_t kpx_nplaces(const kpx_activities *m);
uint32_t kpx_nactivities(const kpx_activities *m);
uint64_t kpx_activity_end(const kpx_activities *m, uint32_t activity);
uint32_t kpx_clock_faults(const kpx_activities *m);

// Of a place's `seen` events only `kept` are known; capped: by the user's choice.
void kpx_add_loss(kpx_activities *m, uint32_t place, uint64_t kept, uint64_t seen, bool capped);

// What a place was in when the run ended before it; takes the text. kpx_open_calls() has all of them,
// or NULL.
void kpx_tell_open(kpx_activities *m, uint32_t place, char *text);
const char *kpx_open_calls(const kpx_activities *m);

void kpx_set_machine(kpx_activities *m, const trace_machine *machine);

// Totals that are written beside the activities, or alone if there are none. The model takes them.
void kpx_add_totals(kpx_activities *m, kpx_totals *totals);

// Replays and writes the trace. statistics: of OpenMP, or NULL. ended: the program ended in good
// order. False and *ret_error.
bool kpx_write(kpx_activities *m, const char *path, const char *program,
               const kpx_statistics *statistics, bool ended, int status, const char *message,
               char **ret_error);

#endif
