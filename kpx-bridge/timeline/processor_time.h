// SPDX-License-Identifier: MIT
//
// How much of an interval a thread had a processor, by the recorder's looks at its processor time
// (private to timeline/). What it slept between two looks is first looked for in its waits; what it was
// ready without a processor belongs to all of what remains; in a long while without a look, to its end, as far
// as the last interval has room.
#ifndef KPX_PROCESSOR_TIME_H
#define KPX_PROCESSOR_TIME_H

#include <stdbool.h>

#include "base/array.h"
#include "kpx-bridge/log/read_log.h"

// From one look to the next one; [0] of what is work in it, [1] of waits: parts of 1. `queued` is of what comes
// before `early_to`; all that comes after `late_from` is queued.
typedef struct {
    uint64_t from, early_to, late_from, to;
    double slept[2], queued[2];
} kpx_window;

typedef struct {
    ARRAY_OF(kpx_window) list; // in order of time; where there is none, the thread had a processor
    uint32_t at;               // the first one that ends after the last interval that was asked for began
} kpx_windows;

// Nanoseconds of an interval: without wanting a processor, and wanting one.
typedef struct {
    uint64_t slept, queued;
} kpx_idle;

kpx_windows kpx_find_windows(const kpx_thread_log *log);
// Intervals are asked for in order of their beginnings.
kpx_idle kpx_idle_in(kpx_windows *w, uint64_t since, uint64_t end, bool waits);

#endif
