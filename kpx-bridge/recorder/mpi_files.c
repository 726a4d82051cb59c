// SPDX-License-Identifier: MIT
//
// The recorder for MPI: files. A call that all ranks of a file make together is a collective of
// that file.
#include "kpx-bridge/recorder/mpi.h"

WRAP(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
     (comm, name, mode, info, file))
{
    kpx_call call = kpx_begin(ROUTINE_File_open);
    kpx_collective(call, comm, -1, 0);
    int result = REAL(File_open)(comm, name, mode, info, file);
    if (result == MPI_SUCCESS && *file != MPI_FILE_NULL)
        kpx_opened(*file, comm);
    return kpx_end_collective(call, comm, result);
}

WRAP(File_close, (MPI_File * file), (file))
{
    kpx_call call = kpx_begin(ROUTINE_File_close);
    kpx_collective_of(call, *file, true);
    return kpx_end(call, REAL(File_close)(file));
}

WRAP_CALL(File_delete, (const char *name, MPI_Info info), (name, info))

#define TOGETHER(name, parameters, arguments)                                                      \
    WRAP(name, (MPI_File file, LIST parameters), (file, LIST arguments))                           \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_collective_of(call, file, false);                                                      \
        return kpx_end(call, REAL(name)(file, LIST arguments));                                    \
    }

TOGETHER(File_set_size, (MPI_Offset size), (size))
TOGETHER(File_preallocate, (MPI_Offset size), (size))
TOGETHER(File_set_view,
         (MPI_Offset from, MPI_Datatype unit, MPI_Datatype type, const char *form, MPI_Info info),
         (from, unit, type, form, info))
TOGETHER(File_set_atomicity, (int flag), (flag))
TOGETHER(File_seek_shared, (MPI_Offset offset, int whence), (offset, whence))

WRAP(File_sync, (MPI_File file), (file))
{
    kpx_call call = kpx_begin(ROUTINE_File_sync);
    kpx_collective_of(call, file, false);
    return kpx_end(call, REAL(File_sync)(file));
}

#define IN void *buffer, int count, MPI_Datatype type
#define OUT const void *buffer, int count, MPI_Datatype type
#define DATA buffer, count, type

TOGETHER(File_read_all, (IN, MPI_Status *status), (DATA, status))
TOGETHER(File_write_all, (OUT, MPI_Status *status), (DATA, status))
TOGETHER(File_read_at_all, (MPI_Offset at, IN, MPI_Status *status), (at, DATA, status))
TOGETHER(File_write_at_all, (MPI_Offset at, OUT, MPI_Status *status), (at, DATA, status))
TOGETHER(File_read_ordered, (IN, MPI_Status *status), (DATA, status))
TOGETHER(File_write_ordered, (OUT, MPI_Status *status), (DATA, status))

#define ALONE(name, parameters, arguments)                                                         \
    WRAP_CALL(name, (MPI_File file, LIST parameters), (file, LIST arguments))

ALONE(File_seek, (MPI_Offset offset, int whence), (offset, whence))
ALONE(File_get_size, (MPI_Offset * size), (size))
ALONE(File_get_position, (MPI_Offset * at), (at))
ALONE(File_read, (IN, MPI_Status *status), (DATA, status))
ALONE(File_write, (OUT, MPI_Status *status), (DATA, status))
ALONE(File_read_at, (MPI_Offset at, IN, MPI_Status *status), (at, DATA, status))
ALONE(File_write_at, (MPI_Offset at, OUT, MPI_Status *status), (at, DATA, status))
ALONE(File_read_shared, (IN, MPI_Status *status), (DATA, status))
ALONE(File_write_shared, (OUT, MPI_Status *status), (DATA, status))

// ---- Begun and ended ------------------------------------------------------------------------

ALONE(File_iread, (IN, MPI_Request *request), (DATA, request))
ALONE(File_iwrite, (OUT, MPI_Request *request), (DATA, request))
ALONE(File_iread_at, (MPI_Offset at, IN, MPI_Request *request), (at, DATA, request))
ALONE(File_iwrite_at, (MPI_Offset at, OUT, MPI_Request *request), (at, DATA, request))
ALONE(File_iread_all, (IN, MPI_Request *request), (DATA, request))
ALONE(File_iwrite_all, (OUT, MPI_Request *request), (DATA, request))
ALONE(File_iread_at_all, (MPI_Offset at, IN, MPI_Request *request), (at, DATA, request))
ALONE(File_iwrite_at_all, (MPI_Offset at, OUT, MPI_Request *request), (at, DATA, request))
ALONE(File_iread_shared, (IN, MPI_Request *request), (DATA, request))
ALONE(File_iwrite_shared, (OUT, MPI_Request *request), (DATA, request))

ALONE(File_read_all_begin, (IN), (DATA))
ALONE(File_write_all_begin, (OUT), (DATA))
ALONE(File_read_at_all_begin, (MPI_Offset at, IN), (at, DATA))
ALONE(File_write_at_all_begin, (MPI_Offset at, OUT), (at, DATA))
ALONE(File_read_ordered_begin, (IN), (DATA))
ALONE(File_write_ordered_begin, (OUT), (DATA))
ALONE(File_read_all_end, (void *buffer, MPI_Status *status), (buffer, status))
ALONE(File_write_all_end, (const void *buffer, MPI_Status *status), (buffer, status))
ALONE(File_read_at_all_end, (void *buffer, MPI_Status *status), (buffer, status))
ALONE(File_write_at_all_end, (const void *buffer, MPI_Status *status), (buffer, status))
ALONE(File_read_ordered_end, (void *buffer, MPI_Status *status), (buffer, status))
ALONE(File_write_ordered_end, (const void *buffer, MPI_Status *status), (buffer, status))
