// SPDX-License-Identifier: MIT
//
// The recorder for MPI: calls that return at once and concern no other rank: the clock, sizes and
// ranks, operations, types. They are recorded so that reports can say where and how often they are
// called. Calls that the recorder makes itself are nested in others, where nothing is recorded.
#include "kpx-bridge/recorder/mpi.h"

#define CLOCK(name)                                                                                \
    WRAP_TYPED(double, name, (void), ())                                                           \
    {                                                                                              \
        kpx_call call = kpx_begin_asking(ROUTINE_##name);                                          \
        double result = REAL(name)();                                                              \
        kpx_end_asking(call, MPI_SUCCESS);                                                         \
        return result;                                                                             \
    }

#define ASKING(name, parameters, arguments)                                                        \
    WRAP(name, parameters, arguments)                                                              \
    {                                                                                              \
        kpx_call call = kpx_begin_asking(ROUTINE_##name);                                          \
        return kpx_end_asking(call, REAL(name) arguments);                                         \
    }

CLOCK(Wtime)
CLOCK(Wtick)

ASKING(Comm_size, (MPI_Comm comm, int *size), (comm, size))
ASKING(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
ASKING(Get_processor_name, (char *name, int *length), (name, length))
ASKING(Op_create, (MPI_User_function * function, int commutes, MPI_Op *made),
       (function, commutes, made))
ASKING(Op_free, (MPI_Op * op), (op))
ASKING(Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype *made), (count, type, made))
ASKING(Type_vector, (int count, int length, int stride, MPI_Datatype type, MPI_Datatype *made),
       (count, length, stride, type, made))
ASKING(Type_create_struct,
       (int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype types[],
           MPI_Datatype *made),
       (count, lengths, places, types, made))
ASKING(Type_commit, (MPI_Datatype * type), (type))
ASKING(Type_free, (MPI_Datatype * type), (type))
ASKING(Type_size, (MPI_Datatype type, int *size), (type, size))
ASKING(Type_dup, (MPI_Datatype type, MPI_Datatype *made), (type, made))
ASKING(Type_indexed,
       (int count, const int lengths[], const int places[], MPI_Datatype type, MPI_Datatype *made),
       (count, lengths, places, type, made))
ASKING(Type_create_indexed_block,
       (int count, int length, const int places[], MPI_Datatype type, MPI_Datatype *made),
       (count, length, places, type, made))
ASKING(Type_create_hindexed,
       (int count, const int lengths[], const MPI_Aint places[], MPI_Datatype type,
        MPI_Datatype *made),
       (count, lengths, places, type, made))
ASKING(Type_create_hvector,
       (int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *made),
       (count, length, stride, type, made))
ASKING(Type_create_subarray,
       (int n, const int sizes[], const int parts[], const int starts[], int order,
        MPI_Datatype type, MPI_Datatype *made),
       (n, sizes, parts, starts, order, type, made))
ASKING(Type_create_resized,
       (MPI_Datatype type, MPI_Aint low, MPI_Aint extent, MPI_Datatype *made),
       (type, low, extent, made))
ASKING(Type_get_extent, (MPI_Datatype type, MPI_Aint *low, MPI_Aint *extent), (type, low, extent))
ASKING(Get_address, (const void *place, MPI_Aint *address), (place, address))
ASKING(Get_count, (const MPI_Status *status, MPI_Datatype type, int *count), (status, type, count))
ASKING(Get_elements, (const MPI_Status *status, MPI_Datatype type, int *count),
       (status, type, count))
ASKING(Test_cancelled, (const MPI_Status *status, int *flag), (status, flag))
ASKING(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
       (request, flag, status))

ASKING(Initialized, (int *flag), (flag))
ASKING(Finalized, (int *flag), (flag))
ASKING(Query_thread, (int *level), (level))
ASKING(Is_thread_main, (int *flag), (flag))

ASKING(Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group))
ASKING(Comm_compare, (MPI_Comm comm, MPI_Comm other, int *result), (comm, other, result))
ASKING(Comm_get_parent, (MPI_Comm * parent), (parent))
ASKING(Comm_remote_size, (MPI_Comm comm, int *size), (comm, size))
ASKING(Comm_set_name, (MPI_Comm comm, const char *name), (comm, name))
ASKING(Comm_get_name, (MPI_Comm comm, char *name, int *length), (comm, name, length))
ASKING(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
ASKING(Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *made),
       (group, n, ranks, made))
ASKING(Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *made),
       (group, n, ranks, made))
ASKING(Group_rank, (MPI_Group group, int *rank), (group, rank))
ASKING(Group_size, (MPI_Group group, int *size), (group, size))
ASKING(Group_translate_ranks,
       (MPI_Group group, int n, const int ranks[], MPI_Group other, int others[]),
       (group, n, ranks, other, others))
ASKING(Group_free, (MPI_Group * group), (group))

ASKING(Dims_create, (int nodes, int n, int sizes[]), (nodes, n, sizes))
ASKING(Cart_coords, (MPI_Comm comm, int rank, int most, int places[]), (comm, rank, most, places))
ASKING(Cart_rank, (MPI_Comm comm, const int places[], int *rank), (comm, places, rank))
ASKING(Cart_shift, (MPI_Comm comm, int direction, int distance, int *from, int *to),
       (comm, direction, distance, from, to))
ASKING(Cart_get, (MPI_Comm comm, int most, int sizes[], int periods[], int places[]),
       (comm, most, sizes, periods, places))

ASKING(Buffer_attach, (void *buffer, int size), (buffer, size))
ASKING(Alloc_mem, (MPI_Aint size, MPI_Info info, void *base), (size, info, base))
ASKING(Free_mem, (void *base), (base))
ASKING(Pack_size, (int count, MPI_Datatype type, MPI_Comm comm, int *size),
       (count, type, comm, size))
ASKING(Error_class, (int code, int *class), (code, class))
ASKING(Error_string, (int code, char *text, int *length), (code, text, length))
ASKING(Info_create, (MPI_Info * info), (info))
ASKING(Info_set, (MPI_Info info, const char *key, const char *value), (info, key, value))
ASKING(Info_free, (MPI_Info * info), (info))

// ---- The program's own work, done by the library ----------------------------------------------

WRAP_CALL(Pack,
          (const void *from, int count, MPI_Datatype type, void *to, int size, int *at,
           MPI_Comm comm),
          (from, count, type, to, size, at, comm))
WRAP_CALL(Unpack,
          (const void *from, int size, int *at, void *to, int count, MPI_Datatype type,
           MPI_Comm comm),
          (from, size, at, to, count, type, comm))
WRAP_CALL(Reduce_local, (const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op),
          (in, inout, count, type, op))
WRAP_CALL(Buffer_detach, (void *buffer, int *size), (buffer, size))
