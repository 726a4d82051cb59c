// SPDX-License-Identifier: MIT
//
// What the converter keeps for executions of routines, loops and I/O statements (private to
// kpx-bridge/). The timeline leaves out what was executed as often as the log's limit or more.
#ifndef KPX_TIMELINE_EXECUTIONS_H
#define KPX_TIMELINE_EXECUTIONS_H

#include "base/table.h"
#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/totals/counters.h"

typedef struct kpx_converter kpx_converter;
typedef struct kpx_thread_state kpx_thread_state;

typedef struct {
    base_map construct_of_site;
    base_map left_out; // hashes of names that are not on the timeline
} kpx_executions;

void kpx_begin_executions(kpx_converter *c);
// Takes an event that is of an execution and ignores others.
void kpx_take_execution(kpx_converter *c, kpx_thread_state *t, const kpx_event *e);
void kpx_free_executions(kpx_converter *c);

// What was measured of the process, or NULL.
const kpx_process_counters *kpx_counters_of(const kpx_counters *measured,
                                            const kpx_process_log *p);
// A message about what the timeline leaves out: malloc'ed, or NULL if there is nothing.
char *kpx_left_out(const kpx_logs *logs, const kpx_counters *measured);

#endif
