// SPDX-License-Identifier: MIT
//
// The timeline: activities at places, and arrows between them.
//
//   place      where activities happen: a thread or a rank; one row of a picture
//   construct  what an activity is: module, name, and place in the source. A construct either runs
//              or waits; a wait costs nothing in a replay
//   activity   an interval [start, end) of real time in a construct, at a place. An earlier
//              activity makes it: the one before at the same place, or the one that forked it
//   arrow      an activity cannot end before another one has ended
//
// Replay (the virtual clock): with as many processors as there are activities, an activity ends at
//     its own duration (0 if it waits) + the latest end of its maker and of its arrows' sources.
// Work is the sum of durations, the span is the latest end. So P(t), critical path and "what if"
// mean the same as for programs in Fleng (see iotree/).
#ifndef KPX_MODEL_H
#define KPX_MODEL_H

#include <stdbool.h>

#include "base/array.h"
#include "kpx-bridge/totals/totals.h"
#include "kpx-bridge/timeline/statistics.h"

#define KPX_NONE UINT32_MAX

typedef struct kpx_model kpx_model;

// Told now and then while a model is made and written: the part that is done, 0 to 1; -1: it is
// over for now, and something else may be said.
typedef struct {
    void (*tell)(void *data, double part); // or NULL
    void *data;
} kpx_progress;

kpx_model *kpx_model_create(void);
void kpx_set_progress(kpx_model *m, kpx_progress progress);
void kpx_tell_progress(const kpx_model *m, double part);
void kpx_model_destroy(kpx_model *m);

// Sources are named by the path in the debug information, and read if they are still there.
// KPX_NONE for NULL.
uint32_t kpx_add_source(kpx_model *m, const char *path);
uint32_t kpx_add_place(kpx_model *m, const char *name);
// The same module, name, source and line give the same construct. line 0: unknown.
uint32_t kpx_add_construct(kpx_model *m, const char *module, const char *name, bool waits,
                           uint32_t source, uint32_t line);
// The place of a construct in the source: *ret_file as the compiler was given it, or NULL; returns
// the line, or 0.
uint32_t kpx_construct_line(const kpx_model *m, uint32_t construct, const char **ret_file);
const char *kpx_construct_name(const kpx_model *m, uint32_t construct);
const char *kpx_construct_module(const kpx_model *m, uint32_t construct);
// The text of a source, or NULL if it was not there.
const char *kpx_source_text(const kpx_model *m, uint32_t source, size_t *ret_length);
// Another one of the same module and place in the source.
uint32_t kpx_add_sibling(kpx_model *m, uint32_t construct, const char *name, bool waits);

// Another one at the same place in the source: `kind` FILE:LINE.
uint32_t kpx_add_at_place_of(kpx_model *m, uint32_t construct, const char *kind, const char *name,
                             bool waits);

// maker: an activity, or KPX_NONE for what is there at the beginning. One that claims to start
// before its maker has ended is shortened (clocks that disagree; counted).
uint32_t kpx_add_activity(kpx_model *m, uint32_t construct, uint32_t place, uint32_t maker,
                          uint64_t start, uint64_t end);
// A named number or text that is shown with an activity: chunk, iterations, partner, bytes. Those
// of an activity are added right after it. The name is not copied.
void kpx_add_value(kpx_model *m, uint32_t activity, const char *name, int64_t number);
void kpx_add_text(kpx_model *m, uint32_t activity, const char *name, const char *text);
// `to` needs `from`. text: what the arrow is (`barrier`, `critical`); it is not copied. One that
// leads from what ends later is left out when the model is written (and counted as a fault of
// clocks).
void kpx_add_arrow(kpx_model *m, uint32_t from, uint32_t to, const char *text);

uint32_t kpx_nplaces(const kpx_model *m);
uint32_t kpx_nactivities(const kpx_model *m);
uint64_t kpx_activity_end(const kpx_model *m, uint32_t activity);
uint32_t kpx_clock_faults(const kpx_model *m);

// Of a place's `seen` events only `kept` are known; capped: by the user's choice.
void kpx_add_loss(kpx_model *m, uint32_t place, uint64_t kept, uint64_t seen, bool capped);

// Totals that are written beside the activities, or alone if there are none. The model takes them.
void kpx_add_totals(kpx_model *m, kpx_totals *totals);

// Replays and writes the trace. statistics: of OpenMP, or NULL. ended: the program ended in good
// order. False and *ret_error.
bool kpx_write(kpx_model *m, const char *path, const char *program,
               const kpx_statistics *statistics, bool ended, int status, const char *message,
               char **ret_error);

#endif
