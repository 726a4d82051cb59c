// SPDX-License-Identifier: MIT
//
// The recorder for MPI: collectives, those that wait and those that are only started.
#include "kpx-bridge/recorder/mpi.h"

static uint64_t sum(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    int size = 0, inter = 0;
    int64_t all = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        all += counts[i];
    return all > 0 && all <= INT32_MAX ? kpx_bytes((int)all, type) : 0;
}

// What a rank gives; if that is where it gets it, what it gets.
static uint64_t given(const void *out, int nout, MPI_Datatype tout, int nin, MPI_Datatype tin)
{
    return out == MPI_IN_PLACE ? kpx_bytes(nin, tin) : kpx_bytes(nout, tout);
}

#define COLLECTIVE(name, iname, parameters, arguments, root, bytes)                                \
    WRAP(name, (LIST parameters, MPI_Comm comm), (LIST arguments, comm))                           \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_collective(call, comm, root, bytes);                                                   \
        return kpx_end(call, REAL(name)(LIST arguments, comm));                                    \
    }                                                                                              \
    WRAP(iname, (LIST parameters, MPI_Comm comm, MPI_Request * request),                           \
         (LIST arguments, comm, request))                                                          \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##iname);                                                \
        kpx_collective(call, comm, root, bytes);                                                   \
        int result = REAL(iname)(LIST arguments, comm, request);                                   \
        kpx_completes_with(call, *request);                                                        \
        return kpx_end(call, result);                                                              \
    }

WRAP(Barrier, (MPI_Comm comm), (comm))
{
    kpx_call call = kpx_begin(ROUTINE_Barrier);
    kpx_collective(call, comm, -1, 0);
    return kpx_end(call, REAL(Barrier)(comm));
}

WRAP(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
{
    kpx_call call = kpx_begin(ROUTINE_Ibarrier);
    kpx_collective(call, comm, -1, 0);
    int result = REAL(Ibarrier)(comm, request);
    kpx_completes_with(call, *request);
    return kpx_end(call, result);
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
           out == MPI_IN_PLACE ? 0 : kpx_bytes(nout, tout))
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
           (out, nout, from, tout, in, nin, to, tin), -1, 0)
COLLECTIVE(Reduce, Ireduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root),
           (out, in, count, type, op, root), root, kpx_bytes(count, type))
COLLECTIVE(Allreduce, Iallreduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op),
           (out, in, count, type, op), -1, kpx_bytes(count, type))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op),
           (out, in, counts, type, op), -1, sum(counts, type, comm))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op),
           (out, in, count, type, op), -1, kpx_bytes(count, type))
COLLECTIVE(Scan, Iscan, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op),
           (out, in, count, type, op), -1, kpx_bytes(count, type))
COLLECTIVE(Exscan, Iexscan, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op),
           (out, in, count, type, op), -1, kpx_bytes(count, type))

// ---- Among neighbours -----------------------------------------------------------------------

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin),
           (out, nout, tout, in, nin, tin), -1, kpx_bytes(nout, tout))
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
           (const void *out, int nout, MPI_Datatype tout, void *in, const int nin[],
            const int places[], MPI_Datatype tin),
           (out, nout, tout, in, nin, places, tin), -1, kpx_bytes(nout, tout))
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin),
           (out, nout, tout, in, nin, tin), -1, kpx_bytes(nout, tout))
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
           (const void *out, const int nout[], const int from[], MPI_Datatype tout, void *in,
            const int nin[], const int to[], MPI_Datatype tin),
           (out, nout, from, tout, in, nin, to, tin), -1, 0)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           (const void *out, const int nout[], const MPI_Aint from[], const MPI_Datatype tout[],
            void *in, const int nin[], const MPI_Aint to[], const MPI_Datatype tin[]),
           (out, nout, from, tout, in, nin, to, tin), -1, 0)
