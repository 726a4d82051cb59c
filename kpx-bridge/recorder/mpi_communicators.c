// SPDX-License-Identifier: MIT
//
// The recorder for MPI: communicators that are made and freed, and the calls of one-sided
// communication.
#include "kpx-bridge/recorder/mpi.h"

// ---- Communicators --------------------------------------------------------------------------

// All ranks of the first parameter make one or several new ones.
#define MAKING(name, parent, parameters, arguments)                                                \
    WRAP(name, (LIST parameters, MPI_Comm * made), (LIST arguments, made))                         \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_collective(call, parent, -1, 0);                                                       \
        int result = REAL(name)(LIST arguments, made);                                             \
        if (result == MPI_SUCCESS)                                                                 \
            kpx_made_communicator(parent, *made);                                                  \
        return kpx_end_collective(call, parent, result);                                           \
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

// Only the group's ranks take part: a collective of the communicator that they make.
WRAP(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
     (comm, group, tag, made))
{
    kpx_call call = kpx_begin(ROUTINE_Comm_create_group);
    uint32_t number = kpx_making_group_communicator(comm, group, tag);
    kpx_come_to(call, call.routine, number, -1, 0);
    int result = REAL(Comm_create_group)(comm, group, tag, made);
    if (number != KPX_NO_COMMUNICATOR && result == MPI_SUCCESS)
        kpx_is_made(number, *made);
    return kpx_end(call, result);
}

WRAP(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request))
{
    kpx_call call = kpx_begin(ROUTINE_Comm_idup);
    kpx_collective(call, comm, -1, 0);
    int result = REAL(Comm_idup)(comm, made, request);
    if (result == MPI_SUCCESS) {
        kpx_making_copy(comm, *made);
        kpx_completes_with(call, kpx_handle(*request));
    }
    return kpx_end_collective(call, comm, result);
}

WRAP(Intercomm_create,
     (MPI_Comm comm, int leader, MPI_Comm bridge, int other_leader, int tag, MPI_Comm *made),
     (comm, leader, bridge, other_leader, tag, made))
{
    kpx_call call = kpx_begin(ROUTINE_Intercomm_create);
    kpx_collective(call, comm, -1, 0);
    int result = REAL(Intercomm_create)(comm, leader, bridge, other_leader, tag, made);
    if (result == MPI_SUCCESS && *made != MPI_COMM_NULL)
        kpx_made_intercommunicator(*made);
    return kpx_end_collective(call, comm, result);
}

// Each rank does it for itself.
#define FREEING(name)                                                                              \
    WRAP(name, (MPI_Comm * comm), (comm))                                                          \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        uint32_t number = kpx_communicator(*comm);                                                 \
        int result = REAL(name)(comm);                                                             \
        if (result == MPI_SUCCESS)                                                                 \
            kpx_freed_communicator(number);                                                        \
        return kpx_end(call, result);                                                              \
    }
FREEING(Comm_free)
FREEING(Comm_disconnect)

// ---- Other worlds ---------------------------------------------------------------------------

// What is made so is known to this process only: its messages cannot be matched.
#define JOINING(name, parameters, arguments)                                                       \
    WRAP(name, (LIST parameters, MPI_Comm comm, MPI_Comm * made), (LIST arguments, comm, made))    \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_collective(call, comm, -1, 0);                                                         \
        return kpx_end_collective(call, comm, REAL(name)(LIST arguments, comm, made));             \
    }
JOINING(Comm_accept, (const char *port, MPI_Info info, int root), (port, info, root))
JOINING(Comm_connect, (const char *port, MPI_Info info, int root), (port, info, root))

WRAP(Comm_spawn,
     (const char *command, char *arguments[], int n, MPI_Info info, int root, MPI_Comm comm,
      MPI_Comm *made, int errors[]),
     (command, arguments, n, info, root, comm, made, errors))
{
    kpx_call call = kpx_begin(ROUTINE_Comm_spawn);
    kpx_collective(call, comm, -1, 0);
    int result = REAL(Comm_spawn)(command, arguments, n, info, root, comm, made, errors);
    return kpx_end_collective(call, comm, result);
}

WRAP(Comm_spawn_multiple,
     (int count, char *commands[], char **arguments[], const int n[], const MPI_Info infos[],
      int root, MPI_Comm comm, MPI_Comm *made, int errors[]),
     (count, commands, arguments, n, infos, root, comm, made, errors))
{
    kpx_call call = kpx_begin(ROUTINE_Comm_spawn_multiple);
    kpx_collective(call, comm, -1, 0);
    int result = REAL(Comm_spawn_multiple)(count, commands, arguments, n, infos, root, comm, made,
                                           errors);
    return kpx_end_collective(call, comm, result);
}

WRAP_CALL(Comm_join, (int socket, MPI_Comm *made), (socket, made))
WRAP_CALL(Open_port, (MPI_Info info, char *port), (info, port))
WRAP_CALL(Close_port, (const char *port), (port))
WRAP_CALL(Publish_name, (const char *service, MPI_Info info, const char *port),
          (service, info, port))
WRAP_CALL(Unpublish_name, (const char *service, MPI_Info info, const char *port),
          (service, info, port))
WRAP_CALL(Lookup_name, (const char *service, MPI_Info info, char *port), (service, info, port))

// ---- Windows --------------------------------------------------------------------------------

#define MAKING_WINDOW(name, parameters, arguments)                                                 \
    WRAP(name, (LIST parameters, MPI_Win * window), (LIST arguments, window))                      \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_collective(call, comm, -1, 0);                                                         \
        int result = REAL(name)(LIST arguments, window);                                           \
        if (result == MPI_SUCCESS)                                                                 \
            kpx_opened(*window, comm);                                                             \
        return kpx_end_collective(call, comm, result);                                             \
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
    kpx_collective_of(call, *window, true);
    return kpx_end(call, REAL(Win_free)(window));
}

WRAP(Win_fence, (int assertion, MPI_Win window), (assertion, window))
{
    kpx_call call = kpx_begin(ROUTINE_Win_fence);
    kpx_collective_of(call, window, false);
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
    kpx_found(&call, result != MPI_SUCCESS || *flag);
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
