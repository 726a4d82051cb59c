// SPDX-License-Identifier: MIT
//
// What the converter keeps for MPI: who sent what, who came to which collective (private to
// timeline/). Events are named by kpx_event_key().
#ifndef KPX_TIMELINE_MPI_H
#define KPX_TIMELINE_MPI_H

#include <stdbool.h>

#include "base/array.h"
#include "base/table.h"
#include "kpx-bridge/log/log.h"
#include "kpx-bridge/log/communicators.h"
#include "kpx-bridge/log/store.h"
#include "kpx-bridge/timeline/unused.h"

typedef struct kpx_converter kpx_converter;
typedef struct kpx_thread_state kpx_thread_state;

// A thread has come to a collective and takes something from it.
typedef struct {
    uint32_t collective;
    uint64_t event; // MPI_COLLECTIVE
    uint16_t routine;
    uint32_t communicator;
} kpx_arrival;

// A thread has come to a collective and gives something to it.
typedef struct {
    uint32_t rank, activity;
    uint32_t older; // the index of the one that came before, or KPX_NONE
} kpx_giver;

typedef struct {
    uint64_t key;
    uint32_t come, left; // how many; who takes nothing has left when it has come
    uint32_t last;       // giver, or KPX_NONE
} kpx_collective;

// What an event that others ask for leads to; KPX_NONE: nothing yet.
typedef struct {
    uint64_t event;
    uint32_t activity;
} kpx_noted;

typedef STORE_OF(kpx_noted) kpx_notes; // by event

typedef struct {
    kpx_communicators *communicators; // by process
    base_map before_call; // construct of a call: the construct of the computation before it
    kpx_notes sent_by;    // a send: the activity that ended when it began
    kpx_notes posted_by;  // the event where a receive is posted: the same
    ARRAY_OF(kpx_collective) collectives;
    ARRAY_OF(kpx_giver) givers;
    ARRAY_OF(kpx_arrival) arrivals;
    kpx_unused no_collectives, no_givers, no_arrivals; // what is over is forgotten
    base_map collective_of; // key of a collective
    base_map come_by;    // a collective and a rank: the activity before that rank came
    base_map sharing;    // identity of a communicator: processes that have it
    base_map arrival_of; // MPI_COLLECTIVE of one that was started: index into arrivals
} kpx_mpi;

void kpx_begin_mpi(kpx_converter *c);
// Takes an event that is MPI's and ignores others.
void kpx_take_mpi(kpx_converter *c, kpx_thread_state *t, const kpx_event *e);
// The run ended while the thread was in a call of MPI, if it was.
void kpx_end_call(kpx_converter *c, kpx_thread_state *t);
void kpx_free_mpi(kpx_converter *c);
bool kpx_is_abort(const kpx_event *e); // the call of MPI_Abort

#endif
