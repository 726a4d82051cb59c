// SPDX-License-Identifier: MIT
//
// The recorder for MPI is preloaded. It interposes the library's functions under both of their
// names, since Fortran's functions call PMPI_*. It records only the arguments and results of calls;
// log/messages.c finds out later which message belongs to which receive.
//
// This part: initialisation and end, messages, probes.
#include "kpx-bridge/recorder/faults.h"
#include "kpx-bridge/recorder/mpi.h"

// ---- Begin and end --------------------------------------------------------------------------

WRAP(Init, (int *argc, char ***argv), (argc, argv))
{
    kpx_call call = kpx_begin(ROUTINE_Init);
    kpx_ignore_faults(); // the library sees to those that nobody sees to
    int result = REAL(Init)(argc, argv);
    kpx_watch_faults();
    if (result == MPI_SUCCESS)
        kpx_note_world();
    return kpx_end(call, result);
}

WRAP(Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided))
{
    kpx_call call = kpx_begin(ROUTINE_Init_thread);
    kpx_ignore_faults();
    int result = REAL(Init_thread)(argc, argv, required, provided);
    kpx_watch_faults();
    if (result == MPI_SUCCESS)
        kpx_note_world();
    return kpx_end(call, result);
}

WRAP_CALL(Finalize, (void), ())
WRAP_CALL(Abort, (MPI_Comm comm, int status), (comm, status))

// ---- Sending --------------------------------------------------------------------------------

#define SENDING(name, mode)                                                                        \
    WRAP(name, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
         (buffer, count, type, to, tag, comm))                                                     \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        kpx_sends(call, kpx_communicator(comm), to, tag, kpx_bytes(count, type), mode);            \
        return kpx_end(call, REAL(name)(buffer, count, type, to, tag, comm));                      \
    }
SENDING(Send, KPX_STANDARD)
SENDING(Bsend, KPX_BUFFERED)
SENDING(Ssend, KPX_SYNCHRONOUS)
SENDING(Rsend, KPX_STANDARD)

#define STARTING(name, mode)                                                                       \
    WRAP(name, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
                MPI_Request *request),                                                             \
         (buffer, count, type, to, tag, comm, request))                                            \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        uint64_t bytes = kpx_bytes(count, type);                                                   \
        bool waits = kpx_sends(call, kpx_communicator(comm), to, tag, bytes, mode);                \
        int result = REAL(name)(buffer, count, type, to, tag, comm, request);                      \
        if (waits && result == MPI_SUCCESS)                                                        \
            kpx_completes_with(call, kpx_handle(*request));                                        \
        return kpx_end(call, result);                                                              \
    }
STARTING(Isend, KPX_STANDARD)
STARTING(Ibsend, KPX_BUFFERED)
STARTING(Issend, KPX_SYNCHRONOUS)
STARTING(Irsend, KPX_STANDARD)

// ---- Receiving ------------------------------------------------------------------------------

WRAP(Recv,
     (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
      MPI_Status *status),
     (buffer, count, type, from, tag, comm, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin_receive(ROUTINE_Recv, from, tag);
    int result = REAL(Recv)(buffer, count, type, from, tag, comm, s);
    kpx_received(call, comm, s, result);
    return kpx_end(call, result);
}

WRAP(Irecv,
     (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, type, from, tag, comm, request))
{
    kpx_call call = kpx_begin(ROUTINE_Irecv);
    int result = REAL(Irecv)(buffer, count, type, from, tag, comm, request);
    if (result == MPI_SUCCESS)
        kpx_posts(call, kpx_communicator(comm), from, tag, kpx_handle(*request));
    return kpx_end(call, result);
}

WRAP(Sendrecv,
     (const void *out, int nout, MPI_Datatype tout, int to, int tag_out, void *in, int nin,
      MPI_Datatype tin, int from, int tag_in, MPI_Comm comm, MPI_Status *status),
     (out, nout, tout, to, tag_out, in, nin, tin, from, tag_in, comm, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin(ROUTINE_Sendrecv);
    kpx_sends(call, kpx_communicator(comm), to, tag_out, kpx_bytes(nout, tout), KPX_STANDARD);
    int result = REAL(Sendrecv)(out, nout, tout, to, tag_out, in, nin, tin, from, tag_in, comm, s);
    kpx_received(call, comm, s, result);
    return kpx_end(call, result);
}

WRAP(Sendrecv_replace,
     (void *buffer, int count, MPI_Datatype type, int to, int tag_out, int from, int tag_in,
      MPI_Comm comm, MPI_Status *status),
     (buffer, count, type, to, tag_out, from, tag_in, comm, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin(ROUTINE_Sendrecv_replace);
    kpx_sends(call, kpx_communicator(comm), to, tag_out, kpx_bytes(count, type), KPX_STANDARD);
    int result =
        REAL(Sendrecv_replace)(buffer, count, type, to, tag_out, from, tag_in, comm, s);
    kpx_received(call, comm, s, result);
    return kpx_end(call, result);
}

// ---- Probing --------------------------------------------------------------------------------

WRAP(Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status), (from, tag, comm, status))
{
    kpx_call call = kpx_begin_receive(ROUTINE_Probe, from, tag);
    return kpx_end(call, REAL(Probe)(from, tag, comm, status));
}


WRAP(Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
     (from, tag, comm, flag, status))
{
    kpx_call call = kpx_begin_poll(ROUTINE_Iprobe);
    int result = REAL(Iprobe)(from, tag, comm, flag, status);
    kpx_found(&call, result != MPI_SUCCESS || *flag);
    return kpx_end(call, result);
}

// A message that was probed so is received by nothing else: it counts as posted from then on.
static uint64_t message_handle(MPI_Message message)
{
    return (uint64_t)(uintptr_t)message;
}

static void probed(kpx_call call, MPI_Comm comm, MPI_Message message, const MPI_Status *status)
{
    if (message != MPI_MESSAGE_NO_PROC)
        kpx_posts(call, kpx_communicator(comm), status->MPI_SOURCE, status->MPI_TAG,
                  message_handle(message));
}

WRAP(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
     (from, tag, comm, message, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin(ROUTINE_Mprobe);
    int result = REAL(Mprobe)(from, tag, comm, message, s);
    if (result == MPI_SUCCESS)
        probed(call, comm, *message, s);
    return kpx_end(call, result);
}

WRAP(Improbe,
     (int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
     (from, tag, comm, flag, message, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin_poll(ROUTINE_Improbe);
    int result = REAL(Improbe)(from, tag, comm, flag, message, s);
    bool found = result == MPI_SUCCESS && *flag;
    kpx_found(&call, result != MPI_SUCCESS || found);
    if (found)
        probed(call, comm, *message, s);
    return kpx_end(call, result);
}

WRAP(Mrecv,
     (void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
     (buffer, count, type, message, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin(ROUTINE_Mrecv);
    uint64_t handle = message_handle(*message);
    bool real = *message != MPI_MESSAGE_NO_PROC;
    if (call.outer && real) // it is received from now on
        kpx_put_always(KPX_MPI_RENAMED, 0, 0, handle, handle);
    int result = REAL(Mrecv)(buffer, count, type, message, s);
    if (real && !kpx_is_refused(result))
        kpx_completed(call, handle, s);
    return kpx_end(call, result);
}

WRAP(Imrecv,
     (void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
     (buffer, count, type, message, request))
{
    kpx_call call = kpx_begin(ROUTINE_Imrecv);
    uint64_t handle = message_handle(*message);
    bool real = *message != MPI_MESSAGE_NO_PROC;
    int result = REAL(Imrecv)(buffer, count, type, message, request);
    if (call.outer && real && result == MPI_SUCCESS)
        kpx_put_always(KPX_MPI_RENAMED, 0, 0, handle, kpx_handle(*request));
    return kpx_end(call, result);
}
