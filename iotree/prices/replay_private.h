// SPDX-License-Identifier: MIT
//
// What the files of the replay share.
#ifndef IOTREE_REPLAY_PRIVATE_H
#define IOTREE_REPLAY_PRIVATE_H

#include "base/array.h"
#include "iotree/prices/replay.h"

// Who waits in a collective call of MPI.
typedef enum { ALL_TO_ALL, TO_ROOT, FROM_ROOT, TO_SOME } mpi_flow;
mpi_flow iot_flow_of(const char *routine);

// The activity that made what the variable holds, or 0.
uint32_t iot_source_of(const trace *t, uint32_t variable);

static inline trace_kind iot_kind_of(const trace *t, uint32_t activity)
{
    uint32_t predicate = trace_get_clause(t, trace_reduction_clause(t, activity))->predicate;
    return trace_get_predicate(t, predicate)->kind;
}

// Takes the processors into account: costs become what activities take alone, if they shared any.
void iot_replay_share(replay *r, uint32_t processors);
// iot_elapsed_under() of a run that shares processors. False: the change makes a circle.
bool iot_elapsed_shared(const replay *r, const replay_change *change, int64_t *ret_elapsed,
                        int64_t *ret_starts, int64_t *ret_ends);

// Takes out what other programs took: costs, gaps and times become those of the run with its
// processors, if that is notable.
void iot_replay_undisturbed(replay *r);
// By activity, without changes.
void iot_replay_times(const replay *r, int64_t *ret_starts, int64_t *ret_ends);

#endif
