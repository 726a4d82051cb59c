// SPDX-License-Identifier: MIT
//
// What calls of MPI are written down as.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "kpx-bridge/recorder/mpi.h"

__thread const void *kpx_call_site;
__thread int kpx_call_depth;

static bool polls; // are written down when they find nothing

__attribute__((constructor)) static void read_wishes(void)
{
    polls = !kpx_is_without("polls");
}

// ---- The library ----------------------------------------------------------------------------

void *kpx_real(int routine, const char *name)
{
    static void *functions[ROUTINES];
    void *function = __atomic_load_n(&functions[routine], __ATOMIC_RELAXED);
    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        if (!function) {
            fprintf(stderr, "kpx-bridge: %s is not in the MPI library\n", name);
            abort();
        }
        __atomic_store_n(&functions[routine], function, __ATOMIC_RELAXED);
    }
    return function;
}

// ---- Places in the program ------------------------------------------------------------------

static bool is_of_mpi(const void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return strncmp(slash ? slash + 1 : info.dli_fname, "libmpi", 6) == 0 ||
           strstr(info.dli_fname, "libkpx-") != NULL;
}

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data)
{
    const void *address = (const void *)_Unwind_GetIP(context);
    if (is_of_mpi(address))
        return _URC_NO_REASON;
    *(const void **)data = address;
    return _URC_END_OF_STACK;
}

// Where the program calls: a call in Fortran comes through functions of the library. Their
// addresses are remembered, so that others need no walk.
static uint64_t program_site(void)
{
    static __thread const void *within[8], *outside[64];
    size_t at = ((uintptr_t)kpx_call_site >> 2) % 64;
    if (outside[at] == kpx_call_site)
        return (uint64_t)(uintptr_t)kpx_call_site;
    bool inner = false;
    for (size_t i = 0; i < 8 && !inner; i++)
        inner = within[i] == kpx_call_site;
    if (!inner && !is_of_mpi(kpx_call_site)) {
        outside[at] = kpx_call_site;
        return (uint64_t)(uintptr_t)kpx_call_site;
    }
    within[((uintptr_t)kpx_call_site >> 2) % 8] = kpx_call_site;
    const void *found = kpx_call_site;
    _Unwind_Backtrace(look, &found);
    return (uint64_t)(uintptr_t)found;
}

// ---- Calls ----------------------------------------------------------------------------------

static bool is_active(void)
{
    return __atomic_load_n(&kpx_active, __ATOMIC_RELAXED);
}

kpx_call kpx_begin(int routine)
{
    kpx_call call = {.routine = (uint16_t)routine, .outer = kpx_call_depth++ == 0};
    call.written = call.outer && is_active();
    if (call.written)
        kpx_put_always(KPX_MPI_BEGIN, call.routine, 0, 0, program_site());
    return call;
}

kpx_call kpx_begin_asking(int routine)
{
    if (polls)
        return kpx_begin(routine);
    kpx_call_depth++;
    return (kpx_call){.routine = (uint16_t)routine};
}

kpx_call kpx_begin_poll(int routine)
{
    kpx_call call = {.routine = (uint16_t)routine, .outer = kpx_call_depth++ == 0};
    if (call.outer)
        call.time = kpx_now();
    return call;
}

void kpx_found(kpx_call *call, bool found)
{
    call->written = call->outer && is_active() && (found || polls);
    if (call->written)
        kpx_put_at(call->time, KPX_MPI_BEGIN, call->routine, 0, 0, program_site());
}

int kpx_end(kpx_call call, int result)
{
    kpx_call_depth--;
    if (call.written)
        kpx_put_always(KPX_MPI_END, call.routine, (uint32_t)result, 0, 0);
    return result;
}

// ---- Messages -------------------------------------------------------------------------------

uint64_t kpx_bytes(int count, MPI_Datatype type)
{
    int size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    PMPI_Type_size(type, &size);
    return (uint64_t)count * (uint64_t)(size > 0 ? size : 0);
}

static uint64_t pair(int peer, int tag)
{
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

void kpx_sends(kpx_call call, MPI_Comm comm, int peer, int tag, uint64_t bytes)
{
    if (call.outer && peer != MPI_PROC_NULL)
        kpx_put_always(KPX_MPI_SEND, 0, kpx_communicator(comm), pair(peer, tag), bytes);
}

static uint64_t bytes_received(const MPI_Status *status)
{
    int bytes = 0;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    return (uint64_t)(bytes > 0 ? bytes : 0);
}

void kpx_received(kpx_call call, MPI_Comm comm, const MPI_Status *status)
{
    if (call.outer && status->MPI_SOURCE != MPI_PROC_NULL)
        kpx_put_always(KPX_MPI_RECV, 0, kpx_communicator(comm),
                       pair(status->MPI_SOURCE, status->MPI_TAG), bytes_received(status));
}

void kpx_posts(kpx_call call, MPI_Comm comm, int peer, int tag, uint64_t request)
{
    if (call.outer && peer != MPI_PROC_NULL)
        kpx_put_always(KPX_MPI_POSTED, 0, kpx_communicator(comm), request, pair(peer, tag));
}

void kpx_completed(kpx_call call, uint64_t request, const MPI_Status *status)
{
    int cancelled = 0;
    if (!call.outer || request == kpx_handle(MPI_REQUEST_NULL))
        return;
    PMPI_Test_cancelled(status, &cancelled);
    kpx_put_always(KPX_MPI_COMPLETED, cancelled != 0, 0, request,
                   pair(status->MPI_SOURCE, status->MPI_TAG));
}
