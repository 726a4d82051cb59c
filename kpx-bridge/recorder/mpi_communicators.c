// SPDX-License-Identifier: MIT
//
// The recorder for MPI: communicators that are made and freed, and one-sided communication, of which
// the calls are recorded.
#include "kpx-bridge/recorder/mpi.h"

// ---- Communicators --------------------------------------------------------------------------

// All ranks of the first parameter make one or several new ones.
#define MAKING(name, parent, parameters, arguments)                                                \
    WRAP(name, (LIST parameters, MPI_Comm * made), (LIST arguments, made))                         \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_collective(call, parent, -1, 0);                                                       \
        int result = REAL(name)(LIST arguments, made);                                             \
        kpx_made_communicator(parent, *made);                                                      \
        return kpx_end(call, result);                                                              \
    }

MAKING(Comm_dup, comm, (MPI_Comm comm), (comm))
MAKING(Comm_dup_with_info, comm, (MPI_Comm comm, MPI_Info info), (comm, info))
MAKING(Comm_split, comm, (MPI_Comm comm, int colour, int key), (comm, colour, key))
MAKING(Comm_split_type, comm, (MPI_Comm comm, int type, int key, MPI_Info info),
       (comm, type, key, info))
MAKING(Comm_create, comm, (MPI_Comm comm, MPI_Group group), (comm, group))
MAKING(Cart_create, comm,
       (MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder),
       (comm, n, sizes, periods, reorder))
MAKING(Cart_sub, comm, (MPI_Comm comm, const int remain[]), (comm, remain))
MAKING(Graph_create, comm,
       (MPI_Comm comm, int n, const int index[], const int edges[], int reorder),
       (comm, n, index, edges, reorder))
MAKING(Dist_graph_create, comm,
       (MPI_Comm comm, int n, const int sources[], const int degrees[], const int targets[],
        const int weights[], MPI_Info info, int reorder),
       (comm, n, sources, degrees, targets, weights, info, reorder))
MAKING(Dist_graph_create_adjacent, comm,
       (MPI_Comm comm, int nin, const int sources[], const int win[], int nout,
        const int targets[], const int wout[], MPI_Info info, int reorder),
       (comm, nin, sources, win, nout, targets, wout, info, reorder))
MAKING(Intercomm_merge, comm, (MPI_Comm comm, int high), (comm, high))

// Only the group's ranks take part: a collective of them, which has no communicator before.
WRAP(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
     (comm, group, tag, made))
{
    kpx_call call = kpx_begin(ROUTINE_Comm_create_group);
    int result = REAL(Comm_create_group)(comm, group, tag, made);
    kpx_made_group_communicator(comm, tag, *made);
    return kpx_end(call, result);
}

WRAP(Intercomm_create,
     (MPI_Comm comm, int leader, MPI_Comm bridge, int other_leader, int tag, MPI_Comm *made),
     (comm, leader, bridge, other_leader, tag, made))
{
    kpx_call call = kpx_begin(ROUTINE_Intercomm_create);
    kpx_collective(call, comm, -1, 0);
    int result = REAL(Intercomm_create)(comm, leader, bridge, other_leader, tag, made);
    if (*made != MPI_COMM_NULL)
        kpx_made_intercommunicator(*made);
    return kpx_end(call, result);
}

WRAP(Comm_free, (MPI_Comm * comm), (comm))
{
    kpx_call call = kpx_begin(ROUTINE_Comm_free);
    uint32_t number = kpx_communicator(*comm);
    kpx_collective(call, *comm, -1, 0);
    int result = REAL(Comm_free)(comm);
    kpx_freed_communicator(number);
    return kpx_end(call, result);
}

// ---- Windows --------------------------------------------------------------------------------

#define MAKING_WINDOW(name, parameters, arguments)                                                 \
    WRAP(name, (LIST parameters, MPI_Win * window), (LIST arguments, window))                      \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_collective(call, comm, -1, 0);                                                         \
        int result = REAL(name)(LIST arguments, window);                                           \
        kpx_made_window(*window, comm);                                                            \
        return kpx_end(call, result);                                                              \
    }

MAKING_WINDOW(Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm),
              (base, size, unit, info, comm))
MAKING_WINDOW(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base),
              (size, unit, info, comm, base))
MAKING_WINDOW(Win_allocate_shared,
              (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base),
              (size, unit, info, comm, base))
MAKING_WINDOW(Win_create_dynamic, (MPI_Info info, MPI_Comm comm), (info, comm))

WRAP(Win_free, (MPI_Win * window), (window))
{
    kpx_call call = kpx_begin(ROUTINE_Win_free);
    kpx_collective_window(call, *window, true);
    return kpx_end(call, REAL(Win_free)(window));
}

WRAP(Win_fence, (int assertion, MPI_Win window), (assertion, window))
{
    kpx_call call = kpx_begin(ROUTINE_Win_fence);
    kpx_collective_window(call, window, false);
    return kpx_end(call, REAL(Win_fence)(assertion, window));
}

WRAP_CALL(Win_post, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
WRAP_CALL(Win_start, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
WRAP_CALL(Win_complete, (MPI_Win window), (window))
WRAP_CALL(Win_wait, (MPI_Win window), (window))
WRAP_CALL(Win_lock, (int type, int rank, int assertion, MPI_Win window),
          (type, rank, assertion, window))
WRAP_CALL(Win_unlock, (int rank, MPI_Win window), (rank, window))
WRAP_CALL(Win_lock_all, (int assertion, MPI_Win window), (assertion, window))
WRAP_CALL(Win_unlock_all, (MPI_Win window), (window))
WRAP_CALL(Win_flush, (int rank, MPI_Win window), (rank, window))
WRAP_CALL(Win_flush_all, (MPI_Win window), (window))
WRAP_CALL(Win_flush_local, (int rank, MPI_Win window), (rank, window))
WRAP_CALL(Win_flush_local_all, (MPI_Win window), (window))
WRAP_CALL(Win_sync, (MPI_Win window), (window))

WRAP(Win_test, (MPI_Win window, int *flag), (window, flag))
{
    kpx_call call = kpx_begin_poll(ROUTINE_Win_test);
    int result = REAL(Win_test)(window, flag);
    kpx_found(&call, *flag);
    return kpx_end(call, result);
}

// ---- One-sided communication ----------------------------------------------------------------

#define REMOTE int to, MPI_Aint at, int nto, MPI_Datatype tto

WRAP_CALL(Put, (const void *own, int n, MPI_Datatype type, REMOTE, MPI_Win window),
          (own, n, type, to, at, nto, tto, window))
WRAP_CALL(Get, (void *own, int n, MPI_Datatype type, REMOTE, MPI_Win window),
          (own, n, type, to, at, nto, tto, window))
WRAP_CALL(Accumulate,
          (const void *own, int n, MPI_Datatype type, REMOTE, MPI_Op op, MPI_Win window),
          (own, n, type, to, at, nto, tto, op, window))
WRAP_CALL(Get_accumulate,
          (const void *own, int n, MPI_Datatype type, void *got, int ngot, MPI_Datatype tgot,
           REMOTE, MPI_Op op, MPI_Win window),
          (own, n, type, got, ngot, tgot, to, at, nto, tto, op, window))
WRAP_CALL(Fetch_and_op,
          (const void *own, void *got, MPI_Datatype type, int to, MPI_Aint at, MPI_Op op,
           MPI_Win window),
          (own, got, type, to, at, op, window))
WRAP_CALL(Compare_and_swap,
          (const void *own, const void *expected, void *got, MPI_Datatype type, int to,
           MPI_Aint at, MPI_Win window),
          (own, expected, got, type, to, at, window))
WRAP_CALL(Rput,
          (const void *own, int n, MPI_Datatype type, REMOTE, MPI_Win window,
           MPI_Request *request),
          (own, n, type, to, at, nto, tto, window, request))
WRAP_CALL(Rget,
          (void *own, int n, MPI_Datatype type, REMOTE, MPI_Win window, MPI_Request *request),
          (own, n, type, to, at, nto, tto, window, request))
WRAP_CALL(Raccumulate,
          (const void *own, int n, MPI_Datatype type, REMOTE, MPI_Op op, MPI_Win window,
           MPI_Request *request),
          (own, n, type, to, at, nto, tto, op, window, request))
WRAP_CALL(Rget_accumulate,
          (const void *own, int n, MPI_Datatype type, void *got, int ngot, MPI_Datatype tgot,
           REMOTE, MPI_Op op, MPI_Win window, MPI_Request *request),
          (own, n, type, got, ngot, tgot, to, at, nto, tto, op, window, request))
