// SPDX-License-Identifier: MIT
//
// The recorder for MPI: calls that are over at once and concern nobody else - the clock, sizes and
// ranks, operations, types. They are written down so that reports know where and how often; the
// recorder's own ones are made within others, where nothing is written down.
#include "kpx-bridge/recorder/mpi.h"

#define CLOCK(name)                                                                                \
    WRAP_TYPED(double, name, (void), ())                                                           \
    {                                                                                              \
        kpx_call call = kpx_begin_asking(ROUTINE_##name);                                          \
        double result = REAL(name)();                                                              \
        kpx_end(call, MPI_SUCCESS);                                                                \
        return result;                                                                             \
    }

#define ASKING(name, parameters, arguments)                                                        \
    WRAP(name, parameters, arguments)                                                              \
    {                                                                                              \
        kpx_call call = kpx_begin_asking(ROUTINE_##name);                                          \
        return kpx_end(call, REAL(name) arguments);                                                \
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
