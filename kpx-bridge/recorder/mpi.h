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
#include "kpx-bridge/mpi_routines.def"
    ROUTINES
};

extern __thread const void *kpx_call_site;
extern __thread int kpx_call_depth; // of calls within calls: only the outermost is the program's

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
// One that polls: it is written down by kpx_end_poll(), if it found nothing only if polls are wanted.
kpx_call kpx_begin_poll(int routine);
int kpx_end(kpx_call call, int result);
// Before anything that a poll found is written down.
void kpx_found(kpx_call *call, bool found);

// ---- Messages -------------------------------------------------------------------------------

uint64_t kpx_bytes(int count, MPI_Datatype type);

static inline uint64_t kpx_handle(MPI_Request request)
{
    return (uint64_t)(uintptr_t)request;
}

void kpx_sends(kpx_call call, MPI_Comm comm, int peer, int tag, uint64_t bytes);
void kpx_received(kpx_call call, MPI_Comm comm, const MPI_Status *status);
// A receive is posted now, at its place among the others.
void kpx_posts(kpx_call call, MPI_Comm comm, int peer, int tag, uint64_t request);
void kpx_completed(kpx_call call, uint64_t request, const MPI_Status *status);

// ---- Communicators --------------------------------------------------------------------------

void kpx_note_world(void);
uint32_t kpx_communicator(MPI_Comm handle); // its number in the log
// Made from `parent` by all its ranks; handle may be MPI_COMM_NULL.
void kpx_made_communicator(MPI_Comm parent, MPI_Comm handle);
void kpx_made_group_communicator(MPI_Comm parent, int tag, MPI_Comm handle); // by its own ranks
void kpx_made_intercommunicator(MPI_Comm handle);
void kpx_freed_communicator(uint32_t number);

// This rank comes to a collective. root: in the communicator, or -1.
void kpx_collective(kpx_call call, MPI_Comm comm, int root, uint64_t bytes);
// The collective that the call has come to completes with that request.
void kpx_completes_with(kpx_call call, MPI_Request request);

// Windows of one-sided communication, which have a communicator.
void kpx_made_window(MPI_Win window, MPI_Comm comm);
void kpx_collective_window(kpx_call call, MPI_Win window, bool frees);

#pragma GCC visibility pop

#endif
