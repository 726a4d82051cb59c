// SPDX-License-Identifier: MIT
//
// The recorder for MPI: collectives that wait, that are started, and that are prepared once and
// started repeatedly (an extension of Open MPI 4, part of MPI 4).
#include "kpx-bridge/recorder/mpi.h"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

// ---- What a rank gives ------------------------------------------------------------------------

static int peers_of(MPI_Comm comm)
{
    int size = 0, inter = 0;
    if (comm == MPI_COMM_NULL)
        return 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

static uint64_t sum_of(int n, const int *counts, MPI_Datatype type)
{
    int64_t all = 0;
    for (int i = 0; i < n; i++)
        all += counts[i];
    return all > 0 ? (uint64_t)all * kpx_bytes(1, type) : 0;
}

// Of results that are spread over the own group, even if there are two.
static uint64_t sum_of_own(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    int size = 0;
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_size(comm, &size);
    return sum_of(size, counts, type);
}

static uint64_t sum(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    return sum_of(peers_of(comm), counts, type);
}

static uint64_t sum_of_types(int n, const int *counts, const MPI_Datatype *types)
{
    uint64_t all = 0;
    for (int i = 0; i < n; i++)
        all += kpx_bytes(counts[i], types[i]);
    return all;
}

// What a rank gives; if that is where it gets it, what it gets.
static uint64_t given(const void *out, int nout, MPI_Datatype tout, int nin, MPI_Datatype tin)
{
    return out == MPI_IN_PLACE ? kpx_bytes(nin, tin) : kpx_bytes(nout, tout);
}

static uint64_t own_part(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return kpx_bytes(counts[rank], type);
}

static int targets_of(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, n = 0, unused, rank;
    if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS)
        return 0;
    switch (kind) {
    case MPI_CART:
        PMPI_Cartdim_get(comm, &n);
        return 2 * n;
    case MPI_GRAPH:
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &n);
        return n;
    case MPI_DIST_GRAPH:
        PMPI_Dist_graph_neighbors_count(comm, &unused, &n, &unused);
        return n;
    default:
        return 0;
    }
}

// ---- Blocking, started, prepared --------------------------------------------------------------

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PREPARED(name, parameters, arguments, root, bytes)                                         \
    static int prepare_##name(const void *site, LIST parameters, MPI_Comm comm, MPI_Info info,     \
                              MPI_Request *request)                                                \
    {                                                                                              \
        kpx_called(site, NULL);                                                                    \
        kpx_call call = kpx_begin(ROUTINE_##name##_init);                                          \
        __typeof__(&PMPIX_##name##_init) real =                                                    \
            kpx_real(ROUTINE_##name##_init, "PMPIX_" #name "_init");                               \
        int result = real(LIST arguments, comm, info, request);                                    \
        if (result == MPI_SUCCESS)                                                                 \
            kpx_prepared_collective(call, *request, comm, root, bytes);                            \
        return kpx_end(call, result);                                                              \
    }                                                                                              \
    __attribute__((visibility("default"))) int MPIX_##name##_init(                                 \
        LIST parameters, MPI_Comm comm, MPI_Info info, MPI_Request *request)                       \
    {                                                                                              \
        return prepare_##name(__builtin_return_address(0), LIST arguments, comm, info, request);   \
    }                                                                                              \
    __attribute__((visibility("default"))) int PMPIX_##name##_init(                                \
        LIST parameters, MPI_Comm comm, MPI_Info info, MPI_Request *request)                       \
    {                                                                                              \
        return prepare_##name(__builtin_return_address(0), LIST arguments, comm, info, request);   \
    }
#else
#define PREPARED(name, parameters, arguments, root, bytes)
#endif

#define COLLECTIVE(name, iname, parameters, arguments, root, bytes)                                \
    PREPARED(name, parameters, arguments, root, bytes)                                             \
    WRAP(name, (LIST parameters, MPI_Comm comm), (LIST arguments, comm))                           \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_collective(call, comm, root, bytes);                                                   \
        return kpx_end_collective(call, comm, REAL(name)(LIST arguments, comm));                   \
    }                                                                                              \
    WRAP(iname, (LIST parameters, MPI_Comm comm, MPI_Request * request),                           \
         (LIST arguments, comm, request))                                                          \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##iname);                                                \
        kpx_collective(call, comm, root, bytes);                                                   \
        int result = REAL(iname)(LIST arguments, comm, request);                                   \
        if (result == MPI_SUCCESS)                                                                 \
            kpx_completes_with(call, kpx_handle(*request));                                        \
        return kpx_end_collective(call, comm, result);                                             \
    }

WRAP(Barrier, (MPI_Comm comm), (comm))
{
    kpx_call call = kpx_begin(ROUTINE_Barrier);
    kpx_collective(call, comm, -1, 0);
    return kpx_end_collective(call, comm, REAL(Barrier)(comm));
}

WRAP(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
{
    kpx_call call = kpx_begin(ROUTINE_Ibarrier);
    kpx_collective(call, comm, -1, 0);
    int result = REAL(Ibarrier)(comm, request);
    if (result == MPI_SUCCESS)
        kpx_completes_with(call, kpx_handle(*request));
    return kpx_end_collective(call, comm, result);
}

COLLECTIVE(Bcast, Ibcast, (void *buffer, int count, MPI_Datatype type, int root),
           (buffer, count, type, root), root, kpx_bytes(count, type))
COLLECTIVE(Gather, Igather,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin,
            int root),
           (out, nout, tout, in, nin, tin, root), root,
           out == MPI_IN_PLACE ? 0 : kpx_bytes(nout, tout))
COLLECTIVE(Gatherv, Igatherv,
           (const void *out, int nout, MPI_Datatype tout, void *in, const int nin[],
            const int places[], MPI_Datatype tin, int root),
           (out, nout, tout, in, nin, places, tin, root), root,
           out == MPI_IN_PLACE ? 0 : kpx_bytes(nout, tout))
COLLECTIVE(Scatter, Iscatter,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin,
            int root),
           (out, nout, tout, in, nin, tin, root), root,
           in == MPI_IN_PLACE ? 0 : kpx_bytes(nin, tin))
COLLECTIVE(Scatterv, Iscatterv,
           (const void *out, const int nout[], const int places[], MPI_Datatype tout, void *in,
            int nin, MPI_Datatype tin, int root),
           (out, nout, places, tout, in, nin, tin, root), root,
           in == MPI_IN_PLACE ? 0 : kpx_bytes(nin, tin))
COLLECTIVE(Allgather, Iallgather,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin),
           (out, nout, tout, in, nin, tin), -1, given(out, nout, tout, nin, tin))
COLLECTIVE(Allgatherv, Iallgatherv,
           (const void *out, int nout, MPI_Datatype tout, void *in, const int nin[],
            const int places[], MPI_Datatype tin),
           (out, nout, tout, in, nin, places, tin), -1,
           out == MPI_IN_PLACE ? own_part(nin, tin, comm) : kpx_bytes(nout, tout))
COLLECTIVE(Alltoall, Ialltoall,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin),
           (out, nout, tout, in, nin, tin), -1, given(out, nout, tout, nin, tin))
COLLECTIVE(Alltoallv, Ialltoallv,
           (const void *out, const int nout[], const int from[], MPI_Datatype tout, void *in,
            const int nin[], const int to[], MPI_Datatype tin),
           (out, nout, from, tout, in, nin, to, tin), -1,
           out == MPI_IN_PLACE ? sum(nin, tin, comm) : sum(nout, tout, comm))
COLLECTIVE(Alltoallw, Ialltoallw,
           (const void *out, const int nout[], const int from[], const MPI_Datatype tout[],
            void *in, const int nin[], const int to[], const MPI_Datatype tin[]),
           (out, nout, from, tout, in, nin, to, tin), -1,
           out == MPI_IN_PLACE ? sum_of_types(peers_of(comm), nin, tin)
                               : sum_of_types(peers_of(comm), nout, tout))
COLLECTIVE(Reduce, Ireduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root),
           (out, in, count, type, op, root), root, kpx_bytes(count, type))
COLLECTIVE(Allreduce, Iallreduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op),
           (out, in, count, type, op), -1, kpx_bytes(count, type))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op),
           (out, in, counts, type, op), -1, sum_of_own(counts, type, comm))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op),
           (out, in, count, type, op), -1, kpx_bytes(count, type))
COLLECTIVE(Scan, Iscan, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op),
           (out, in, count, type, op), -1, kpx_bytes(count, type))
COLLECTIVE(Exscan, Iexscan, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op),
           (out, in, count, type, op), -1, kpx_bytes(count, type))

// ---- Among neighbours -----------------------------------------------------------------------

// They are told of before; what a rank gives comes last.
#define AMONG_NEIGHBOURS(name, iname, parameters, arguments, bytes)                                \
    COLLECTIVE(name, iname, parameters, arguments, (kpx_tell_neighbours(comm), -1), bytes)

AMONG_NEIGHBOURS(Neighbor_allgather, Ineighbor_allgather,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin),
           (out, nout, tout, in, nin, tin), kpx_bytes(nout, tout))
AMONG_NEIGHBOURS(Neighbor_allgatherv, Ineighbor_allgatherv,
           (const void *out, int nout, MPI_Datatype tout, void *in, const int nin[],
            const int places[], MPI_Datatype tin),
           (out, nout, tout, in, nin, places, tin), kpx_bytes(nout, tout))
AMONG_NEIGHBOURS(Neighbor_alltoall, Ineighbor_alltoall,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin),
           (out, nout, tout, in, nin, tin), (uint64_t)targets_of(comm) * kpx_bytes(nout, tout))
AMONG_NEIGHBOURS(Neighbor_alltoallv, Ineighbor_alltoallv,
           (const void *out, const int nout[], const int from[], MPI_Datatype tout, void *in,
            const int nin[], const int to[], MPI_Datatype tin),
           (out, nout, from, tout, in, nin, to, tin),
                 sum_of(targets_of(comm), nout, tout))
AMONG_NEIGHBOURS(Neighbor_alltoallw, Ineighbor_alltoallw,
           (const void *out, const int nout[], const MPI_Aint from[], const MPI_Datatype tout[],
            void *in, const int nin[], const MPI_Aint to[], const MPI_Datatype tin[]),
           (out, nout, from, tout, in, nin, to, tin),
                 sum_of_types(targets_of(comm), nout, tout))
