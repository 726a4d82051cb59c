// SPDX-License-Identifier: MIT
//
// Messages of a measured run (private to store/runs/).
#ifndef STORE_FROM_MESSAGES_H
#define STORE_FROM_MESSAGES_H

#include "profiler/trace_reader.h"
#include "store/store.h"

// places: of the run, by place of the trace.
void store_run_count_messages(store_run *r, const trace *t, const uint32_t *places);

#endif
