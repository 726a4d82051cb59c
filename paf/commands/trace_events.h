// SPDX-License-Identifier: MIT
//
// trace_events: a trace in the Chrome trace event format, which Perfetto and chrome://tracing read.
#ifndef PAF_TRACE_EVENTS_H
#define PAF_TRACE_EVENTS_H

#include "iotree/iotree.h"

#include <stdio.h>

// Each reduction in [from, to) nanoseconds as a complete event of its worker, which is a thread;
// times are in microseconds, as the format has them.
void paf_write_places(const iot *a, double from, double to, FILE *file);

// P_m(t) at the steps in [from, to) as a counter that has a series for each module; a step counts
// as a microsecond, but in a measured run it is a nanosecond. In long runs an event is the mean of
// several steps.
void paf_write_parallelism(const iot *a, iot_clock clock, int64_t from, int64_t to, FILE *file);

#endif
