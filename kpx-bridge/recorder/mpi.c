// SPDX-License-Identifier: MIT
//
// The recorder for MPI, preloaded: it stands before the library's functions, under both of their
// names, because Fortran's go to PMPI_*. Which message belongs to which receive is found out afterwards
// (kpx-bridge/messages.c); here only what a call was given and what it got is written down.
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "kpx-bridge/recorder/recorder.h"

enum {
#define ROUTINE(name, kind) ROUTINE_##name,
#include "kpx-bridge/mpi_routines.def"
    ROUTINES
};

static __thread const void *call_site;
static __thread int depth; // of calls within calls: only the outermost is the program's

// ---- The library ----------------------------------------------------------------------------

static void *real_functions[ROUTINES];

static void *real(int routine, const char *name)
{
    void *function = __atomic_load_n(&real_functions[routine], __ATOMIC_RELAXED);
    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        if (!function) {
            fprintf(stderr, "kpx-bridge: %s is not in the MPI library\n", name);
            abort();
        }
        __atomic_store_n(&real_functions[routine], function, __ATOMIC_RELAXED);
    }
    return function;
}

#define REAL(name) ((__typeof__(&PMPI_##name))real(ROUTINE_##name, "PMPI_" #name))

// Defines MPI_name and PMPI_name; what follows is the body of both.
#define WRAP(name, parameters, arguments)                                                          \
    static int record_##name parameters;                                                           \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        if (depth == 0)                                                                            \
            call_site = __builtin_return_address(0);                                               \
        return record_##name arguments;                                                            \
    }                                                                                              \
    int PMPI_##name parameters                                                                     \
    {                                                                                              \
        if (depth == 0)                                                                            \
            call_site = __builtin_return_address(0);                                               \
        return record_##name arguments;                                                            \
    }                                                                                              \
    static int record_##name parameters

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
    size_t at = ((uintptr_t)call_site >> 2) % 64;
    if (outside[at] == call_site)
        return (uint64_t)(uintptr_t)call_site;
    bool inner = false;
    for (size_t i = 0; i < 8 && !inner; i++)
        inner = within[i] == call_site;
    if (!inner && !is_of_mpi(call_site)) {
        outside[at] = call_site;
        return (uint64_t)(uintptr_t)call_site;
    }
    within[((uintptr_t)call_site >> 2) % 8] = call_site;
    const void *found = call_site;
    _Unwind_Backtrace(look, &found);
    return (uint64_t)(uintptr_t)found;
}

// ---- Communicators --------------------------------------------------------------------------

typedef struct {
    MPI_Comm handle;
    uint64_t identity; // the same in all its ranks
    uint64_t collectives, made; // calls on it, communicators made from it
    bool freed;
} communicator;

static struct {
    pthread_mutex_t lock;
    communicator *list;
    uint32_t n, capacity;
} communicators = {.lock = PTHREAD_MUTEX_INITIALIZER};

// With the lock.
static uint32_t add_communicator(MPI_Comm handle, uint64_t identity)
{
    if (communicators.n == communicators.capacity) {
        communicators.capacity = communicators.capacity ? 2 * communicators.capacity : 16;
        communicators.list =
            realloc(communicators.list, communicators.capacity * sizeof *communicators.list);
        if (!communicators.list)
            abort();
    }
    int rank, size;
    PMPI_Comm_rank(handle, &rank);
    PMPI_Comm_size(handle, &size);
    uint32_t number = communicators.n++;
    communicators.list[number] = (communicator){.handle = handle, .identity = identity};
    kpx_put(KPX_MPI_COMM, 0, number, (uint64_t)rank << 32 | (uint32_t)size, identity);
    return number;
}

static uint32_t number_of(MPI_Comm handle)
{
    pthread_mutex_lock(&communicators.lock);
    uint32_t number = communicators.n;
    while (number > 0 && (communicators.list[number - 1].handle != handle ||
                          communicators.list[number - 1].freed))
        number--;
    // One that was made in a way that is not recorded has an identity of its own in each process.
    if (number == 0)
        number = 1 + add_communicator(handle, 1u << 31 | (uint64_t)getpid() << 32 |
                                                  communicators.n);
    pthread_mutex_unlock(&communicators.lock);
    return number - 1;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

// Made from `parent` by all its ranks; told apart by the first rank of the world that is in it.
static void made_communicator(MPI_Comm parent, MPI_Comm handle)
{
    uint32_t from = number_of(parent);
    pthread_mutex_lock(&communicators.lock);
    uint64_t identity = mix(communicators.list[from].identity, ++communicators.list[from].made);
    pthread_mutex_unlock(&communicators.lock);
    if (handle == MPI_COMM_NULL)
        return;
    MPI_Group world, group;
    int first = 0, in_world = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(handle, &group);
    PMPI_Group_translate_ranks(group, 1, &first, world, &in_world);
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    pthread_mutex_lock(&communicators.lock);
    add_communicator(handle, mix(identity, (uint64_t)in_world) >> 1);
    pthread_mutex_unlock(&communicators.lock);
}

// ---- Requests that are started again --------------------------------------------------------

typedef struct {
    MPI_Request handle; // MPI_REQUEST_NULL: free
    MPI_Comm communicator;
    int peer, tag;
    uint64_t bytes;
    bool sends;
} persistent;

static struct {
    pthread_mutex_t lock;
    persistent *list;
    uint32_t n, capacity;
} persistents = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void keep(persistent p)
{
    pthread_mutex_lock(&persistents.lock);
    uint32_t i = 0;
    while (i < persistents.n && persistents.list[i].handle != MPI_REQUEST_NULL)
        i++;
    if (i == persistents.capacity) {
        persistents.capacity = persistents.capacity ? 2 * persistents.capacity : 16;
        persistents.list = realloc(persistents.list, persistents.capacity * sizeof *persistents.list);
        if (!persistents.list)
            abort();
    }
    if (i == persistents.n)
        persistents.n++;
    persistents.list[i] = p;
    pthread_mutex_unlock(&persistents.lock);
}

static bool find_persistent(MPI_Request handle, bool forget, persistent *ret)
{
    bool found = false;
    pthread_mutex_lock(&persistents.lock);
    for (uint32_t i = 0; i < persistents.n && !found; i++)
        if (persistents.list[i].handle == handle) {
            found = true;
            *ret = persistents.list[i];
            if (forget)
                persistents.list[i].handle = MPI_REQUEST_NULL;
        }
    pthread_mutex_unlock(&persistents.lock);
    return found;
}

// ---- Events ---------------------------------------------------------------------------------

static uint64_t handle_bits(MPI_Request request)
{
    return (uint64_t)(uintptr_t)request;
}

static uint64_t bytes_of(int count, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    return (uint64_t)count * (uint64_t)size;
}

static uint64_t pair(int peer, int tag)
{
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

static bool begin(int routine)
{
    if (depth++ > 0)
        return false;
    kpx_put(KPX_MPI_BEGIN, (uint16_t)routine, 0, 0, program_site());
    return true;
}

static int end(bool begun, int routine, int result)
{
    depth--;
    if (begun)
        kpx_put(KPX_MPI_END, (uint16_t)routine, (uint32_t)result, 0, 0);
    return result;
}

static void sends(bool begun, MPI_Comm comm, int peer, int tag, uint64_t bytes)
{
    if (begun && peer != MPI_PROC_NULL)
        kpx_put(KPX_MPI_SEND, 0, number_of(comm), pair(peer, tag), bytes);
}

static void received(bool begun, MPI_Comm comm, const MPI_Status *status)
{
    int bytes = 0;
    if (!begun || status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    kpx_put(KPX_MPI_RECV, 0, number_of(comm), pair(status->MPI_SOURCE, status->MPI_TAG),
            (uint64_t)(bytes > 0 ? bytes : 0));
}

// A receive is posted now, at its place among the others.
static void posts(bool begun, MPI_Comm comm, int peer, int tag, MPI_Request request)
{
    if (begun && peer != MPI_PROC_NULL)
        kpx_put(KPX_MPI_POSTED, 0, number_of(comm), handle_bits(request), pair(peer, tag));
}

static void completed(bool begun, uint64_t request, const MPI_Status *status)
{
    int cancelled = 0;
    if (!begun || request == handle_bits(MPI_REQUEST_NULL))
        return;
    PMPI_Test_cancelled(status, &cancelled);
    kpx_put(KPX_MPI_COMPLETED, cancelled != 0, 0, request,
            pair(status->MPI_SOURCE, status->MPI_TAG));
}

static void collective(bool begun, int routine, MPI_Comm comm, uint64_t bytes)
{
    if (!begun)
        return;
    uint32_t number = number_of(comm);
    pthread_mutex_lock(&communicators.lock);
    uint64_t count = communicators.list[number].collectives++;
    pthread_mutex_unlock(&communicators.lock);
    kpx_put(KPX_MPI_COLLECTIVE, (uint16_t)routine, number, count, bytes);
}

// ---- Begin and end --------------------------------------------------------------------------

static void note_world(void)
{
    int rank, size;
    char text[32];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(text, sizeof text, "%d", rank);
    kpx_note("rank", text);
    snprintf(text, sizeof text, "%d", size);
    kpx_note("ranks", text);
    pthread_mutex_lock(&communicators.lock);
    add_communicator(MPI_COMM_WORLD, 1);
    add_communicator(MPI_COMM_SELF, 1u << 30 | (uint64_t)(unsigned)rank);
    pthread_mutex_unlock(&communicators.lock);
}

WRAP(Init, (int *argc, char ***argv), (argc, argv))
{
    bool b = begin(ROUTINE_Init);
    int result = REAL(Init)(argc, argv);
    note_world();
    return end(b, ROUTINE_Init, result);
}

WRAP(Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided))
{
    bool b = begin(ROUTINE_Init_thread);
    int result = REAL(Init_thread)(argc, argv, required, provided);
    note_world();
    return end(b, ROUTINE_Init_thread, result);
}

WRAP(Finalize, (void), ())
{
    bool b = begin(ROUTINE_Finalize);
    return end(b, ROUTINE_Finalize, REAL(Finalize)());
}

// ---- Messages -------------------------------------------------------------------------------

#define SENDING(name)                                                                              \
    WRAP(name, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm), \
         (buffer, count, type, to, tag, comm))                                                     \
    {                                                                                              \
        bool b = begin(ROUTINE_##name);                                                            \
        sends(b, comm, to, tag, bytes_of(count, type));                                            \
        return end(b, ROUTINE_##name, REAL(name)(buffer, count, type, to, tag, comm));             \
    }
SENDING(Send)
SENDING(Bsend)
SENDING(Ssend)
SENDING(Rsend)

#define STARTING(name)                                                                             \
    WRAP(name, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
                MPI_Request *request),                                                             \
         (buffer, count, type, to, tag, comm, request))                                            \
    {                                                                                              \
        bool b = begin(ROUTINE_##name);                                                            \
        sends(b, comm, to, tag, bytes_of(count, type));                                            \
        return end(b, ROUTINE_##name, REAL(name)(buffer, count, type, to, tag, comm, request));    \
    }
STARTING(Isend)
STARTING(Ibsend)
STARTING(Issend)
STARTING(Irsend)

WRAP(Recv,
     (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
      MPI_Status *status),
     (buffer, count, type, from, tag, comm, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    bool b = begin(ROUTINE_Recv);
    int result = REAL(Recv)(buffer, count, type, from, tag, comm, s);
    received(b, comm, s);
    return end(b, ROUTINE_Recv, result);
}

WRAP(Irecv,
     (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, type, from, tag, comm, request))
{
    bool b = begin(ROUTINE_Irecv);
    int result = REAL(Irecv)(buffer, count, type, from, tag, comm, request);
    posts(b, comm, from, tag, *request);
    return end(b, ROUTINE_Irecv, result);
}

WRAP(Sendrecv,
     (const void *out, int nout, MPI_Datatype tout, int to, int tag_out, void *in, int nin,
      MPI_Datatype tin, int from, int tag_in, MPI_Comm comm, MPI_Status *status),
     (out, nout, tout, to, tag_out, in, nin, tin, from, tag_in, comm, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    bool b = begin(ROUTINE_Sendrecv);
    sends(b, comm, to, tag_out, bytes_of(nout, tout));
    int result = REAL(Sendrecv)(out, nout, tout, to, tag_out, in, nin, tin, from, tag_in, comm, s);
    received(b, comm, s);
    return end(b, ROUTINE_Sendrecv, result);
}

WRAP(Sendrecv_replace,
     (void *buffer, int count, MPI_Datatype type, int to, int tag_out, int from, int tag_in,
      MPI_Comm comm, MPI_Status *status),
     (buffer, count, type, to, tag_out, from, tag_in, comm, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    bool b = begin(ROUTINE_Sendrecv_replace);
    sends(b, comm, to, tag_out, bytes_of(count, type));
    int result =
        REAL(Sendrecv_replace)(buffer, count, type, to, tag_out, from, tag_in, comm, s);
    received(b, comm, s);
    return end(b, ROUTINE_Sendrecv_replace, result);
}

WRAP(Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status), (from, tag, comm, status))
{
    bool b = begin(ROUTINE_Probe);
    return end(b, ROUTINE_Probe, REAL(Probe)(from, tag, comm, status));
}

WRAP(Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
     (from, tag, comm, flag, status))
{
    bool b = begin(ROUTINE_Iprobe);
    return end(b, ROUTINE_Iprobe, REAL(Iprobe)(from, tag, comm, flag, status));
}

// ---- Requests -------------------------------------------------------------------------------

WRAP(Wait, (MPI_Request * request, MPI_Status *status), (request, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    bool b = begin(ROUTINE_Wait);
    uint64_t handle = handle_bits(*request);
    int result = REAL(Wait)(request, s);
    completed(b, handle, s);
    return end(b, ROUTINE_Wait, result);
}

WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    bool b = begin(ROUTINE_Test);
    uint64_t handle = handle_bits(*request);
    int result = REAL(Test)(request, flag, s);
    if (*flag)
        completed(b, handle, s);
    return end(b, ROUTINE_Test, result);
}

// The handles, which the library clears, and statuses if the program wants none.
typedef struct {
    uint64_t *handles;
    MPI_Status *statuses, *own;
} several;

static several before_several(int n, const MPI_Request *requests, MPI_Status *statuses)
{
    several s = {.handles = malloc(((size_t)n + 1) * sizeof *s.handles), .statuses = statuses};
    if (statuses == MPI_STATUSES_IGNORE)
        s.statuses = s.own = malloc(((size_t)n + 1) * sizeof *s.own);
    if (!s.handles || !s.statuses)
        abort();
    for (int i = 0; i < n; i++)
        s.handles[i] = handle_bits(requests[i]);
    return s;
}

static void after_several(several *s)
{
    free(s->handles);
    free(s->own);
}

WRAP(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses))
{
    bool b = begin(ROUTINE_Waitall);
    several s = before_several(n, requests, statuses);
    int result = REAL(Waitall)(n, requests, s.statuses);
    for (int i = 0; i < n; i++)
        completed(b, s.handles[i], &s.statuses[i]);
    after_several(&s);
    return end(b, ROUTINE_Waitall, result);
}

WRAP(Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
     (n, requests, flag, statuses))
{
    bool b = begin(ROUTINE_Testall);
    several s = before_several(n, requests, statuses);
    int result = REAL(Testall)(n, requests, flag, s.statuses);
    for (int i = 0; i < n && *flag; i++)
        completed(b, s.handles[i], &s.statuses[i]);
    after_several(&s);
    return end(b, ROUTINE_Testall, result);
}

WRAP(Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status),
     (n, requests, index, status))
{
    MPI_Status own;
    MPI_Status *one = status == MPI_STATUS_IGNORE ? &own : status;
    bool b = begin(ROUTINE_Waitany);
    several s = before_several(n, requests, one);
    int result = REAL(Waitany)(n, requests, index, one);
    if (*index != MPI_UNDEFINED)
        completed(b, s.handles[*index], one);
    after_several(&s);
    return end(b, ROUTINE_Waitany, result);
}

WRAP(Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
     (n, requests, index, flag, status))
{
    MPI_Status own;
    MPI_Status *one = status == MPI_STATUS_IGNORE ? &own : status;
    bool b = begin(ROUTINE_Testany);
    several s = before_several(n, requests, one);
    int result = REAL(Testany)(n, requests, index, flag, one);
    if (*flag && *index != MPI_UNDEFINED)
        completed(b, s.handles[*index], one);
    after_several(&s);
    return end(b, ROUTINE_Testany, result);
}

#define SOME(name)                                                                                 \
    WRAP(name, (int n, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),   \
         (n, requests, done, indices, statuses))                                                   \
    {                                                                                              \
        bool b = begin(ROUTINE_##name);                                                            \
        several s = before_several(n, requests, statuses);                                         \
        int result = REAL(name)(n, requests, done, indices, s.statuses);                           \
        for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++)                                  \
            completed(b, s.handles[indices[i]], &s.statuses[i]);                                   \
        after_several(&s);                                                                         \
        return end(b, ROUTINE_##name, result);                                                     \
    }
SOME(Waitsome)
SOME(Testsome)

#define PREPARING(name)                                                                            \
    WRAP(name, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
                MPI_Request *request),                                                             \
         (buffer, count, type, to, tag, comm, request))                                            \
    {                                                                                              \
        bool b = begin(ROUTINE_##name);                                                            \
        int result = REAL(name)(buffer, count, type, to, tag, comm, request);                      \
        keep((persistent){*request, comm, to, tag, bytes_of(count, type), true});                  \
        return end(b, ROUTINE_##name, result);                                                     \
    }
PREPARING(Send_init)
PREPARING(Bsend_init)
PREPARING(Ssend_init)
PREPARING(Rsend_init)

WRAP(Recv_init,
     (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, type, from, tag, comm, request))
{
    bool b = begin(ROUTINE_Recv_init);
    int result = REAL(Recv_init)(buffer, count, type, from, tag, comm, request);
    keep((persistent){*request, comm, from, tag, bytes_of(count, type), false});
    return end(b, ROUTINE_Recv_init, result);
}

static void started(bool begun, MPI_Request request)
{
    persistent p;
    if (!find_persistent(request, false, &p))
        return;
    if (p.sends)
        sends(begun, p.communicator, p.peer, p.tag, p.bytes);
    else
        posts(begun, p.communicator, p.peer, p.tag, request);
}

WRAP(Start, (MPI_Request * request), (request))
{
    bool b = begin(ROUTINE_Start);
    started(b, *request);
    return end(b, ROUTINE_Start, REAL(Start)(request));
}

WRAP(Startall, (int n, MPI_Request requests[]), (n, requests))
{
    bool b = begin(ROUTINE_Startall);
    for (int i = 0; i < n; i++)
        started(b, requests[i]);
    return end(b, ROUTINE_Startall, REAL(Startall)(n, requests));
}

WRAP(Request_free, (MPI_Request * request), (request))
{
    persistent p;
    bool b = begin(ROUTINE_Request_free);
    find_persistent(*request, true, &p);
    return end(b, ROUTINE_Request_free, REAL(Request_free)(request));
}

WRAP(Cancel, (MPI_Request * request), (request))
{
    bool b = begin(ROUTINE_Cancel);
    return end(b, ROUTINE_Cancel, REAL(Cancel)(request));
}

// ---- Collectives ----------------------------------------------------------------------------

#define COLLECTIVE(name, parameters, arguments, bytes)                                             \
    WRAP(name, parameters, arguments)                                                              \
    {                                                                                              \
        bool b = begin(ROUTINE_##name);                                                            \
        collective(b, ROUTINE_##name, comm, bytes);                                                \
        return end(b, ROUTINE_##name, REAL(name) arguments);                                       \
    }

COLLECTIVE(Barrier, (MPI_Comm comm), (comm), 0)
COLLECTIVE(Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (buffer, count, type, root, comm), bytes_of(count, type))
COLLECTIVE(Gather,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin,
            int root, MPI_Comm comm),
           (out, nout, tout, in, nin, tin, root, comm), 0)
COLLECTIVE(Gatherv,
           (const void *out, int nout, MPI_Datatype tout, void *in, const int nin[],
            const int places[], MPI_Datatype tin, int root, MPI_Comm comm),
           (out, nout, tout, in, nin, places, tin, root, comm), 0)
COLLECTIVE(Scatter,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin,
            int root, MPI_Comm comm),
           (out, nout, tout, in, nin, tin, root, comm), 0)
COLLECTIVE(Scatterv,
           (const void *out, const int nout[], const int places[], MPI_Datatype tout, void *in,
            int nin, MPI_Datatype tin, int root, MPI_Comm comm),
           (out, nout, places, tout, in, nin, tin, root, comm), 0)
COLLECTIVE(Allgather,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin,
            MPI_Comm comm),
           (out, nout, tout, in, nin, tin, comm), 0)
COLLECTIVE(Allgatherv,
           (const void *out, int nout, MPI_Datatype tout, void *in, const int nin[],
            const int places[], MPI_Datatype tin, MPI_Comm comm),
           (out, nout, tout, in, nin, places, tin, comm), 0)
COLLECTIVE(Alltoall,
           (const void *out, int nout, MPI_Datatype tout, void *in, int nin, MPI_Datatype tin,
            MPI_Comm comm),
           (out, nout, tout, in, nin, tin, comm), 0)
COLLECTIVE(Alltoallv,
           (const void *out, const int nout[], const int from[], MPI_Datatype tout, void *in,
            const int nin[], const int to[], MPI_Datatype tin, MPI_Comm comm),
           (out, nout, from, tout, in, nin, to, tin, comm), 0)
COLLECTIVE(Reduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm),
           (out, in, count, type, op, root, comm), bytes_of(count, type))
COLLECTIVE(Allreduce,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (out, in, count, type, op, comm), bytes_of(count, type))
COLLECTIVE(Reduce_scatter,
           (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (out, in, counts, type, op, comm), 0)
COLLECTIVE(Scan,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (out, in, count, type, op, comm), bytes_of(count, type))
COLLECTIVE(Exscan,
           (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (out, in, count, type, op, comm), bytes_of(count, type))

WRAP(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
{
    bool b = begin(ROUTINE_Comm_dup);
    collective(b, ROUTINE_Comm_dup, comm, 0);
    int result = REAL(Comm_dup)(comm, made);
    made_communicator(comm, *made);
    return end(b, ROUTINE_Comm_dup, result);
}

WRAP(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *made), (comm, colour, key, made))
{
    bool b = begin(ROUTINE_Comm_split);
    collective(b, ROUTINE_Comm_split, comm, 0);
    int result = REAL(Comm_split)(comm, colour, key, made);
    made_communicator(comm, *made);
    return end(b, ROUTINE_Comm_split, result);
}

WRAP(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
{
    bool b = begin(ROUTINE_Comm_create);
    collective(b, ROUTINE_Comm_create, comm, 0);
    int result = REAL(Comm_create)(comm, group, made);
    made_communicator(comm, *made);
    return end(b, ROUTINE_Comm_create, result);
}

WRAP(Comm_free, (MPI_Comm * comm), (comm))
{
    bool b = begin(ROUTINE_Comm_free);
    uint32_t number = number_of(*comm);
    collective(b, ROUTINE_Comm_free, *comm, 0);
    int result = REAL(Comm_free)(comm);
    pthread_mutex_lock(&communicators.lock);
    communicators.list[number].freed = true;
    pthread_mutex_unlock(&communicators.lock);
    return end(b, ROUTINE_Comm_free, result);
}
