// SPDX-License-Identifier: MIT
//
// The recorder for MPI: waiting for requests, testing them, and persistent requests.
#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "kpx-bridge/recorder/mpi.h"

// ---- One ------------------------------------------------------------------------------------

WRAP(Wait, (MPI_Request * request, MPI_Status *status), (request, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin(ROUTINE_Wait);
    uint64_t handle = kpx_handle(*request);
    int result = REAL(Wait)(request, s);
    if (!kpx_is_refused(result))
        kpx_completed(call, handle, s);
    return kpx_end(call, result);
}

WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
{
    MPI_Status own;
    MPI_Status *s = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin_poll(ROUTINE_Test);
    uint64_t handle = kpx_handle(*request);
    int result = REAL(Test)(request, flag, s);
    bool found = !kpx_is_refused(result) && *flag;
    kpx_found(&call, result != MPI_SUCCESS || found);
    if (found)
        kpx_completed(call, handle, s);
    return kpx_end(call, result);
}

// ---- Several --------------------------------------------------------------------------------

enum { FEW = 16 }; // requests that need no memory

// The handles, which the library clears, and statuses if the program wants none. Without memory for
// them `handles` is NULL: what the call completes is not recorded.
typedef struct {
    uint64_t few_handles[FEW], *handles;
    MPI_Status few_statuses[FEW], *statuses;
} several;

static void *room(size_t n, size_t size, void *few)
{
    if (n <= FEW)
        return few;
    return calloc(n, size);
}

static void before_several(several *s, int n, const MPI_Request *requests, MPI_Status *statuses)
{
    size_t size = n > 0 ? (size_t)n : 0;
    s->handles = room(size, sizeof *s->handles, s->few_handles);
    s->statuses = statuses == MPI_STATUSES_IGNORE
                      ? room(size, sizeof *s->statuses, s->few_statuses)
                      : statuses;
    if (!s->handles || !s->statuses) {
        kpx_no_memory();
        free(s->handles == s->few_handles ? NULL : s->handles);
        s->handles = NULL;
        s->statuses = s->statuses ? s->statuses : statuses;
    }
    for (size_t i = 0; s->handles && i < size; i++)
        s->handles[i] = kpx_handle(requests[i]);
}

static void after_several(several *s, const MPI_Status *statuses)
{
    if (s->handles != s->few_handles)
        free(s->handles);
    if (s->statuses != s->few_statuses && s->statuses != statuses)
        free(s->statuses);
}

static void completed_one(kpx_call call, const several *s, int i, const MPI_Status *status)
{
    if (s->handles)
        kpx_completed(call, s->handles[i], status);
}

// Of several that were waited for one may have failed, and others not be complete.
static void completed_all(kpx_call call, const several *s, int n, int result)
{
    if (!s->handles || kpx_is_refused(result))
        return;
    for (int i = 0; i < n; i++)
        if (result == MPI_SUCCESS || s->statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            kpx_completed(call, s->handles[i], &s->statuses[i]);
}

WRAP(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses))
{
    kpx_call call = kpx_begin(ROUTINE_Waitall);
    several s;
    before_several(&s, n, requests, statuses);
    int result = REAL(Waitall)(n, requests, s.statuses);
    completed_all(call, &s, n, result);
    after_several(&s, statuses);
    return kpx_end(call, result);
}

WRAP(Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
     (n, requests, flag, statuses))
{
    kpx_call call = kpx_begin_poll(ROUTINE_Testall);
    several s;
    before_several(&s, n, requests, statuses);
    int result = REAL(Testall)(n, requests, flag, s.statuses);
    bool found = !kpx_is_refused(result) && *flag;
    kpx_found(&call, result != MPI_SUCCESS || found);
    if (found)
        completed_all(call, &s, n, result);
    after_several(&s, statuses);
    return kpx_end(call, result);
}

WRAP(Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status),
     (n, requests, index, status))
{
    MPI_Status own;
    MPI_Status *one = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin(ROUTINE_Waitany);
    several s;
    before_several(&s, n, requests, one);
    int result = REAL(Waitany)(n, requests, index, one);
    if (!kpx_is_refused(result) && *index != MPI_UNDEFINED)
        completed_one(call, &s, *index, one);
    after_several(&s, one);
    return kpx_end(call, result);
}

WRAP(Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
     (n, requests, index, flag, status))
{
    MPI_Status own;
    MPI_Status *one = status == MPI_STATUS_IGNORE ? &own : status;
    kpx_call call = kpx_begin_poll(ROUTINE_Testany);
    several s;
    before_several(&s, n, requests, one);
    int result = REAL(Testany)(n, requests, index, flag, one);
    bool found = !kpx_is_refused(result) && *flag && *index != MPI_UNDEFINED;
    kpx_found(&call, result != MPI_SUCCESS || found);
    if (found)
        completed_one(call, &s, *index, one);
    after_several(&s, one);
    return kpx_end(call, result);
}

static void completed_some(kpx_call call, const several *s, int done, const int *indices,
                           int result)
{
    for (int i = 0; !kpx_is_refused(result) && done != MPI_UNDEFINED && i < done; i++)
        completed_one(call, s, indices[i], &s->statuses[i]);
}

WRAP(Waitsome, (int n, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
     (n, requests, done, indices, statuses))
{
    kpx_call call = kpx_begin(ROUTINE_Waitsome);
    several s;
    before_several(&s, n, requests, statuses);
    int result = REAL(Waitsome)(n, requests, done, indices, s.statuses);
    completed_some(call, &s, *done, indices, result);
    after_several(&s, statuses);
    return kpx_end(call, result);
}

WRAP(Testsome, (int n, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
     (n, requests, done, indices, statuses))
{
    kpx_call call = kpx_begin_poll(ROUTINE_Testsome);
    several s;
    before_several(&s, n, requests, statuses);
    int result = REAL(Testsome)(n, requests, done, indices, s.statuses);
    kpx_found(&call, result != MPI_SUCCESS || (*done != MPI_UNDEFINED && *done > 0));
    completed_some(call, &s, *done, indices, result);
    after_several(&s, statuses);
    return kpx_end(call, result);
}

// ---- Requests that are started again --------------------------------------------------------

typedef enum { SENDS, RECEIVES, MEETS } persistent_kind;

typedef struct {
    MPI_Request handle; // MPI_REQUEST_NULL: free
    persistent_kind kind;
    uint32_t communicator; // its number: it may have been freed
    int peer, tag; // of a collective: its root, or -1
    uint64_t bytes;
    kpx_mode mode;
    int routine; // a collective
} persistent;

static struct {
    pthread_mutex_t lock;
    ARRAY_OF(persistent) all;
} persistents = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Without memory, communication that the request starts later is not recorded.
static void keep(persistent p)
{
    pthread_mutex_lock(&persistents.lock);
    uint32_t i = 0;
    while (i < persistents.all.n && persistents.all.at[i].handle != MPI_REQUEST_NULL)
        i++;
    if (i < persistents.all.n || ARRAY_RESERVE(persistents.all, 1)) {
        persistents.all.n += i == persistents.all.n;
        persistents.all.at[i] = p;
    } else {
        kpx_no_memory();
    }
    pthread_mutex_unlock(&persistents.lock);
}

static bool find_persistent(MPI_Request handle, bool forget, persistent *ret)
{
    bool found = false;
    pthread_mutex_lock(&persistents.lock);
    for (uint32_t i = 0; i < persistents.all.n && !found; i++)
        if (persistents.all.at[i].handle == handle) {
            found = true;
            *ret = persistents.all.at[i];
            if (forget)
                persistents.all.at[i].handle = MPI_REQUEST_NULL;
        }
    pthread_mutex_unlock(&persistents.lock);
    return found;
}

#define PREPARING(name, mode)                                                                      \
    WRAP(name, (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
                MPI_Request *request),                                                             \
         (buffer, count, type, to, tag, comm, request))                                            \
    {                                                                                              \
        kpx_call call = kpx_begin(ROUTINE_##name);                                                 \
        int result = REAL(name)(buffer, count, type, to, tag, comm, request);                      \
        if (result == MPI_SUCCESS)                                                                 \
            keep((persistent){*request, SENDS, kpx_communicator(comm), to, tag,                    \
                              kpx_bytes(count, type), mode, 0});                                   \
        return kpx_end(call, result);                                                              \
    }
PREPARING(Send_init, KPX_STANDARD)
PREPARING(Bsend_init, KPX_BUFFERED)
PREPARING(Ssend_init, KPX_SYNCHRONOUS)
PREPARING(Rsend_init, KPX_STANDARD)

WRAP(Recv_init,
     (void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buffer, count, type, from, tag, comm, request))
{
    kpx_call call = kpx_begin(ROUTINE_Recv_init);
    int result = REAL(Recv_init)(buffer, count, type, from, tag, comm, request);
    if (result == MPI_SUCCESS)
        keep((persistent){*request, RECEIVES, kpx_communicator(comm), from, tag, 0, KPX_STANDARD,
                          0});
    return kpx_end(call, result);
}

void kpx_prepared_collective(kpx_call call, MPI_Request request, MPI_Comm comm, int root,
                             uint64_t bytes)
{
    if (call.outer)
        keep((persistent){request, MEETS, kpx_communicator(comm), root, 0, bytes, KPX_STANDARD,
                          call.routine});
}

static void started(kpx_call call, MPI_Request request)
{
    persistent p;
    if (!find_persistent(request, false, &p))
        return;
    switch (p.kind) {
    case SENDS:
        if (kpx_sends(call, p.communicator, p.peer, p.tag, p.bytes, p.mode))
            kpx_completes_with(call, kpx_handle(request));
        break;
    case RECEIVES:
        kpx_posts(call, p.communicator, p.peer, p.tag, kpx_handle(request));
        break;
    case MEETS:
        kpx_come_to(call, p.routine, p.communicator, p.peer, p.bytes);
        kpx_completes_with(call, kpx_handle(request));
        break;
    }
}

WRAP(Start, (MPI_Request * request), (request))
{
    kpx_call call = kpx_begin(ROUTINE_Start);
    started(call, *request);
    return kpx_end(call, REAL(Start)(request));
}

WRAP(Startall, (int n, MPI_Request requests[]), (n, requests))
{
    kpx_call call = kpx_begin(ROUTINE_Startall);
    for (int i = 0; i < n; i++)
        started(call, requests[i]);
    return kpx_end(call, REAL(Startall)(n, requests));
}

// A receive that is given up so gets its message all the same, unseen.
WRAP(Request_free, (MPI_Request * request), (request))
{
    persistent p;
    kpx_call call = kpx_begin(ROUTINE_Request_free);
    find_persistent(*request, true, &p);
    if (call.outer && kpx_handle(*request) != 0)
        kpx_put_always(KPX_MPI_COMPLETED, 2, 0, kpx_handle(*request), 0);
    return kpx_end(call, REAL(Request_free)(request));
}

WRAP_CALL(Cancel, (MPI_Request * request), (request))
