// SPDX-License-Identifier: MIT
//
// What the converter keeps for threads that the program makes, and for their waits (private to
// timeline/).
#ifndef KPX_WAITS_H
#define KPX_WAITS_H

#include "base/table.h"
#include "kpx-bridge/log/log.h"

typedef struct kpx_converter kpx_converter;
typedef struct kpx_thread_state kpx_thread_state;

typedef struct {
    base_map made_by;    // number of a thread: the activity that made it
    base_map functions;  // number of a thread: the function that std::thread may run there
    base_map ended_with; // pthread_t: the last activity of the thread
    base_map woken_by;   // object: the activity that ended with the last wake
    base_map came_last;  // barrier: the activity of the last thread that came to it
} kpx_waits;

// Takes an event of a thread or a wait and ignores others.
void kpx_take_wait(kpx_converter *c, kpx_thread_state *t, const kpx_event *e);
void kpx_free_waits(kpx_converter *c);

#endif
