// SPDX-License-Identifier: MIT
//
// What the parts of the recorder for MPI share: how a routine is stood before, and what its call is
// written down as (calls.c). mpi_*.c have the routines.
#ifndef KPX_RECORDER_MPI_H
#define KPX_RECORDER_MPI_H

#include <mpi.h>

#include "kpx-bridge/recorder/recorder.h"

#pragma GCC visibility push(hidden)

enum {
#define ROUTINE(name, kind, flow) ROUTINE_##name,
#include "kpx-bridge/log/mpi_routines.def"
    ROUTINES
};

extern __thread const void *kpx_call_site;
extern __thread int kpx_call_depth; // of calls within calls: only the outermost is the program's
extern MPI_Request kpx_no_request;  // one that is complete from the beginning

void *kpx_real(int routine, const char *name);

#define REAL(name) ((__typeof__(&PMPI_##name))kpx_real(ROUTINE_##name, "PMPI_" #name))

// Defines MPI_name and PMPI_name; what follows is the body of both.
#define WRAP(name, parameters, arguments) WRAP_TYPED(int, name, parameters, arguments)
#define WRAP_TYPED(result, name, parameters, arguments)                                            \
    static result record_##name parameters;                                                        \
    __attribute__((visibility("default"))) result MPI_##name parameters                            \
    {                                                                                              \
        if (kpx_call_depth == 0)                                                                   \
            kpx_call_site = __builtin_return_address(0);                                           \
        return record_##name arguments;                                                            \
    }                                                                                              \
    __attribute__((visibility("default"))) result PMPI_##name parameters                           \
    {                                                                                              \
        if (kpx_call_depth == 0)                                                                   \
            kpx_call_site = __builtin_return_address(0);                                           \
        return record_##name arguments;                                                            \
    }                                                                                              \
    static result record_##name parameters

// One that is written down as a call and nothing else.
#define WRAP_CALL(name, parameters, arguments)                                                     \
    WRAP(name, parameters, arguments)                                                              \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        return kpx_end(call, REAL(name) arguments);                                                \
    }

// Parts of parameter lists: LIST (a, b) is a, b.
#define LIST(...) __VA_ARGS__

// A call that is being made. `outer`: it is the program's own and not one that the library makes;
// only then are messages written down, and always: which belongs to which rests on all of them.
typedef struct {
    uint64_t time; // of one that polls
    uint16_t routine;
    bool outer, written;
} kpx_call;

kpx_call kpx_begin(int routine);
// One that asks: it is not written down where polls are not wanted, either.
kpx_call kpx_begin_asking(int routine);
int kpx_end_asking(kpx_call call, int result);
// One that polls: it is written down by kpx_end_poll(), if it found nothing only if polls are
// wanted.
kpx_call kpx_begin_poll(int routine);
int kpx_end(kpx_call call, int result);
// The library did not take the arguments: nothing was sent, posted, made or waited for.
bool kpx_is_refused(int result);
// Before anything that a poll found is written down.
void kpx_found(kpx_call *call, bool found);

// Something could not be remembered, so that later events lack it. Complains once.
void kpx_no_memory(void);

// ---- Messages -------------------------------------------------------------------------------

uint64_t kpx_bytes(int count, MPI_Datatype type);

// 0: there is none, or one that is complete from the beginning, of which the library has only one.
static inline uint64_t kpx_handle(MPI_Request request)
{
    return request == MPI_REQUEST_NULL || request == kpx_no_request ? 0 : (uint64_t)(uintptr_t)request;
}

// How a message is sent. One that is synchronous ends when its receive has been posted.
typedef enum { KPX_STANDARD, KPX_BUFFERED, KPX_SYNCHRONOUS } kpx_mode;

// Returns whether the send may wait for its receive: then it is to be known what completes it.
bool kpx_sends(kpx_call call, uint32_t communicator, int peer, int tag, uint64_t bytes,
               kpx_mode mode);
void kpx_received(kpx_call call, MPI_Comm comm, const MPI_Status *status, int result);
// A receive is posted now, at its place among the others.
void kpx_posts(kpx_call call, uint32_t communicator, int peer, int tag, uint64_t request);
void kpx_completed(kpx_call call, uint64_t request, const MPI_Status *status);
// What was sent last, or the collective come to last, completes with that request.
void kpx_completes_with(kpx_call call, uint64_t request);
// Which messages a send keeps its caller waiting for.
void kpx_note_limits(void);

// ---- Communicators --------------------------------------------------------------------------

void kpx_note_world(void);
// Its number in the log, KPX_NO_COMMUNICATOR for MPI_COMM_NULL.
uint32_t kpx_communicator(MPI_Comm handle);
#define KPX_NO_COMMUNICATOR UINT32_MAX
// Made from `parent` by all its ranks; handle may be MPI_COMM_NULL.
void kpx_made_communicator(MPI_Comm parent, MPI_Comm handle);
// The same, of one that is not there before a request completes.
void kpx_making_copy(MPI_Comm parent, MPI_Comm handle);
// By the ranks of `group`: known before it is there. kpx_is_made() follows.
uint32_t kpx_making_group_communicator(MPI_Comm parent, MPI_Group group, int tag);
void kpx_is_made(uint32_t number, MPI_Comm handle);
void kpx_made_intercommunicator(MPI_Comm handle);
void kpx_freed_communicator(uint32_t number);

// This rank comes to a collective. root: in the communicator, or -1.
void kpx_collective(kpx_call call, MPI_Comm comm, int root, uint64_t bytes);
// The end of its call: one that was refused does not count.
int kpx_end_collective(kpx_call call, MPI_Comm comm, int result);
// routine: the collective, where the call starts one that was prepared.
void kpx_come_to(kpx_call call, int routine, uint32_t communicator, int root, uint64_t bytes);
// Whom this rank receives from in a topology; only once.
void kpx_tell_neighbours(MPI_Comm comm);
// The call has prepared one that is started later.
void kpx_prepared_collective(kpx_call call, MPI_Request request, MPI_Comm comm, int root,
                             uint64_t bytes);

// Windows and files: what several ranks have opened together, with collectives of its own.
void kpx_opened(const void *handle, MPI_Comm comm);
// This rank comes to one of its collectives.
void kpx_collective_of(kpx_call call, const void *handle, bool closes);

#pragma GCC visibility pop

#endif
