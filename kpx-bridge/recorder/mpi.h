// SPDX-License-Identifier: MIT
//
// What the parts of the recorder for MPI share: wrappers of routines, and the events of a call
// (calls.c). mpi_*.c have the routines.
#ifndef KPX_RECORDER_MPI_H
#define KPX_RECORDER_MPI_H

#include <mpi.h>

#include "kpx-bridge/recorder/recorder.h"

#pragma GCC visibility push(hidden)

enum {
#define ROUTINE(name, ...) ROUTINE_##name,
#include "kpx-bridge/log/mpi_routines.def"
    ROUTINES
};

extern __thread const void *kpx_call_site;
extern __thread const char *kpx_call_frame; // of the wrapper that was called there, or NULL
extern __thread int kpx_call_depth; // nesting of calls: only the outermost is the program's
extern MPI_Request kpx_no_request;  // the request that is complete from the beginning

static inline void kpx_called(const void *site, const void *frame)
{
    if (kpx_call_depth > 0)
        return;
    kpx_call_site = site;
    kpx_call_frame = frame;
}

void *kpx_real(int routine, const char *name);

#define REAL(name) ((__typeof__(&PMPI_##name))kpx_real(ROUTINE_##name, "PMPI_" #name))

// Defines MPI_name and PMPI_name. The block after the macro is the body of both.
#define WRAP(name, parameters, arguments) WRAP_TYPED(int, name, parameters, arguments)
#define WRAP_TYPED(result, name, parameters, arguments)                                            \
    static result record_##name parameters;                                                        \
    __attribute__((visibility("default"))) result MPI_##name parameters                            \
    {                                                                                              \
        kpx_called(__builtin_return_address(0), __builtin_frame_address(0));                       \
        return record_##name arguments;                                                            \
    }                                                                                              \
    __attribute__((visibility("default"))) result PMPI_##name parameters                           \
    {                                                                                              \
        kpx_called(__builtin_return_address(0), __builtin_frame_address(0));                       \
        return record_##name arguments;                                                            \
    }                                                                                              \
    static result record_##name parameters

// A routine of which only the call is recorded.
#define WRAP_CALL(name, parameters, arguments)                                                     \
    WRAP(name, parameters, arguments)                                                              \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        return kpx_end(call, REAL(name) arguments);                                                \
    }

// Parts of parameter lists: LIST (a, b) is a, b.
#define LIST(...) __VA_ARGS__

// A call in progress. outer: called by the program, not from inside the MPI library. Messages of
// outer calls are always recorded, even while recording is paused, because matching needs all of
// them.
typedef struct {
    uint64_t time; // when a polling call began
    uint16_t routine;
    bool outer, written;
} kpx_call;

kpx_call kpx_begin(int routine);
// Of a call that waits for a message.
kpx_call kpx_begin_receive(int routine, int from, int tag);
// A call that only asks. It is recorded only if polls are.
kpx_call kpx_begin_asking(int routine);
int kpx_end_asking(kpx_call call, int result);
// A call that polls. kpx_found() records it; if it found nothing, only if polls are recorded.
kpx_call kpx_begin_poll(int routine);
int kpx_end(kpx_call call, int result);
// The library refused the arguments: nothing was sent, posted, made or waited for.
bool kpx_is_refused(int result);
// Comes before the events of what a poll found.
void kpx_found(kpx_call *call, bool found);

// Complains, once, that later events will be incomplete.
void kpx_no_memory(void);

// ---- Messages -------------------------------------------------------------------------------

uint64_t kpx_bytes(int count, MPI_Datatype type);

// 0 for no request, and for the one request that is complete from the beginning.
static inline uint64_t kpx_handle(MPI_Request request)
{
    return request == MPI_REQUEST_NULL || request == kpx_no_request ? 0 : (uint64_t)(uintptr_t)request;
}

// How a message is sent. A synchronous send ends when its receive has been posted.
typedef enum { KPX_STANDARD, KPX_BUFFERED, KPX_SYNCHRONOUS } kpx_mode;

// Returns whether the send may wait for its receive: then its completion must be recorded.
bool kpx_sends(kpx_call call, uint32_t communicator, int peer, int tag, uint64_t bytes,
               kpx_mode mode);
void kpx_received(kpx_call call, MPI_Comm comm, const MPI_Status *status, int result);
// A receive is posted now: receives get messages in the order of their posting.
void kpx_posts(kpx_call call, uint32_t communicator, int peer, int tag, uint64_t request);
void kpx_completed(kpx_call call, uint64_t request, const MPI_Status *status);
// The request completes the last send, or the last collective, of this call.
void kpx_completes_with(kpx_call call, uint64_t request);
// Records the sizes above which a send waits for its receive.
void kpx_note_limits(void);

// ---- Communicators --------------------------------------------------------------------------

void kpx_note_world(void);
// The number in the log. KPX_NO_COMMUNICATOR for MPI_COMM_NULL, and without memory.
uint32_t kpx_communicator(MPI_Comm handle);
#define KPX_NO_COMMUNICATOR UINT32_MAX
// All ranks of `parent` made a communicator; handle may be MPI_COMM_NULL.
void kpx_made_communicator(MPI_Comm parent, MPI_Comm handle);
// The same, before the communicator is usable: a request completes it.
void kpx_making_copy(MPI_Comm parent, MPI_Comm handle);
// The ranks of `group` make a communicator. It has a number before it exists; kpx_is_made()
// follows.
uint32_t kpx_making_group_communicator(MPI_Comm parent, MPI_Group group, int tag);
void kpx_is_made(uint32_t number, MPI_Comm handle);
void kpx_made_intercommunicator(MPI_Comm handle);
void kpx_freed_communicator(uint32_t number);

// This rank comes to a collective. root: its rank in the communicator, or -1.
void kpx_collective(kpx_call call, MPI_Comm comm, int root, uint64_t bytes);
// Ends the call of a collective. A refused call does not count.
int kpx_end_collective(kpx_call call, MPI_Comm comm, int result);
// The same for a collective that was prepared before: routine names the collective.
void kpx_come_to(kpx_call call, int routine, uint32_t communicator, int root, uint64_t bytes);
// Records the neighbours that this rank receives from, once per communicator.
void kpx_tell_neighbours(MPI_Comm comm);
// The call has prepared a collective that is started later.
void kpx_prepared_collective(kpx_call call, MPI_Request request, MPI_Comm comm, int root,
                             uint64_t bytes);

// Windows and files: several ranks open them together, and they have collectives of their own.
void kpx_opened(const void *handle, MPI_Comm comm);
// This rank comes to one of its collectives.
void kpx_collective_of(kpx_call call, const void *handle, bool closes);

#pragma GCC visibility pop

#endif
