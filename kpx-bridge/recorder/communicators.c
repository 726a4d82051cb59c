// SPDX-License-Identifier: MIT
//
// Communicators and windows: their numbers in the log, and what is the same of them in all their ranks.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kpx-bridge/recorder/mpi.h"

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
    uint32_t changes; // a thread that has looked one up knows by this whether it still holds
} communicators = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

// ---- The list -------------------------------------------------------------------------------

// With the lock. side: 1 or 2 of an intercommunicator, else 0.
static uint32_t add(MPI_Comm handle, uint64_t identity, uint16_t side)
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
    __atomic_fetch_add(&communicators.changes, 1, __ATOMIC_RELEASE);
    kpx_put_always(KPX_MPI_COMM, side, number, (uint64_t)rank << 32 | (uint32_t)size, identity);
    return number;
}

// How many there are with identities that begin with this one (which leave the low byte free).
static uint64_t count_alike(uint64_t identity)
{
    uint64_t alike = 0;
    for (uint32_t i = 0; i < communicators.n; i++)
        alike += communicators.list[i].identity >> 8 == identity >> 8;
    return alike;
}

static uint32_t look_up(MPI_Comm handle)
{
    pthread_mutex_lock(&communicators.lock);
    uint32_t number = communicators.n;
    while (number > 0 && (communicators.list[number - 1].handle != handle ||
                          communicators.list[number - 1].freed))
        number--;
    // One that was made in a way that is not recorded has an identity of its own in each process.
    if (number == 0)
        number = 1 + add(handle, mix(mix((uint64_t)getpid(), kpx_now()), communicators.n), 0);
    pthread_mutex_unlock(&communicators.lock);
    return number - 1;
}

uint32_t kpx_communicator(MPI_Comm handle)
{
    static __thread struct {
        MPI_Comm handle;
        uint32_t changes, number;
    } last;
    uint32_t changes = __atomic_load_n(&communicators.changes, __ATOMIC_ACQUIRE);
    if (last.handle != handle || last.changes != changes) {
        last.number = look_up(handle);
        last.handle = handle;
        last.changes = changes;
    }
    return last.number;
}

// ---- New ones -------------------------------------------------------------------------------

static int in_world(MPI_Group group)
{
    MPI_Group world;
    int first = 0, rank = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &first, world, &rank);
    PMPI_Group_free(&world);
    return rank;
}

// The rank in the world of the first one of a communicator: it tells apart those made by one call.
static int first_of(MPI_Comm handle, bool remote)
{
    MPI_Group group;
    if (remote)
        PMPI_Comm_remote_group(handle, &group);
    else
        PMPI_Comm_group(handle, &group);
    int rank = in_world(group);
    PMPI_Group_free(&group);
    return rank;
}

static void add_new(MPI_Comm handle, uint64_t identity, uint16_t side)
{
    pthread_mutex_lock(&communicators.lock);
    add(handle, identity, side);
    pthread_mutex_unlock(&communicators.lock);
}

void kpx_made_communicator(MPI_Comm parent, MPI_Comm handle)
{
    uint32_t from = kpx_communicator(parent);
    pthread_mutex_lock(&communicators.lock);
    uint64_t identity = mix(communicators.list[from].identity, ++communicators.list[from].made);
    pthread_mutex_unlock(&communicators.lock);
    int inter = 0;
    if (handle == MPI_COMM_NULL)
        return;
    PMPI_Comm_test_inter(handle, &inter);
    if (inter)
        kpx_made_intercommunicator(handle);
    else
        add_new(handle, mix(identity, (uint64_t)first_of(handle, false)) >> 1, 0);
}

void kpx_made_group_communicator(MPI_Comm parent, int tag, MPI_Comm handle)
{
    if (handle == MPI_COMM_NULL)
        return;
    uint32_t from = kpx_communicator(parent);
    uint64_t first = (uint64_t)first_of(handle, false);
    pthread_mutex_lock(&communicators.lock);
    uint64_t identity =
        mix(mix(communicators.list[from].identity ^ 0x67, (uint64_t)tag), first) & ~(uint64_t)0xff;
    add(handle, identity | (count_alike(identity) & 0xff), 0);
    pthread_mutex_unlock(&communicators.lock);
}

void kpx_made_intercommunicator(MPI_Comm handle)
{
    uint64_t own = (uint64_t)first_of(handle, false), other = (uint64_t)first_of(handle, true);
    uint64_t low = own < other ? own : other, high = own < other ? other : own;
    pthread_mutex_lock(&communicators.lock);
    uint64_t identity = mix(mix(0x1c, low), high) & ~(uint64_t)0xff;
    add(handle, identity | (count_alike(identity) & 0xff), own < other ? 1 : 2);
    pthread_mutex_unlock(&communicators.lock);
}

void kpx_freed_communicator(uint32_t number)
{
    pthread_mutex_lock(&communicators.lock);
    communicators.list[number].freed = true;
    __atomic_fetch_add(&communicators.changes, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&communicators.lock);
}

// One command may run several worlds, one after another or side by side.
static uint64_t identity_of_world(void)
{
    uint64_t h = 1;
    const char *job = getenv("PMIX_NAMESPACE");
    for (; job && *job; job++)
        h = mix(h, (uint8_t)*job);
    return h >> 1;
}

void kpx_note_world(void)
{
    int rank, size;
    char text[32];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(text, sizeof text, "%d", rank);
    kpx_note("rank", text);
    snprintf(text, sizeof text, "%d", size);
    kpx_note("ranks", text);
    uint64_t identity = identity_of_world();
    add_new(MPI_COMM_WORLD, identity, 0);
    add_new(MPI_COMM_SELF, mix(identity, (uint64_t)rank) >> 1, 0);
}

// ---- Collectives ----------------------------------------------------------------------------

static void come_to(kpx_call call, uint32_t number, int root, uint64_t bytes)
{
    pthread_mutex_lock(&communicators.lock);
    uint64_t count = communicators.list[number].collectives++;
    pthread_mutex_unlock(&communicators.lock);
    kpx_put(KPX_MPI_COLLECTIVE, call.routine, number,
            (uint64_t)(root >= 0 ? root + 1 : 0) << 32 | (uint32_t)count, bytes);
}

void kpx_collective(kpx_call call, MPI_Comm comm, int root, uint64_t bytes)
{
    if (call.outer)
        come_to(call, kpx_communicator(comm), root, bytes);
}

void kpx_completes_with(kpx_call call, MPI_Request request)
{
    if (call.outer)
        kpx_put(KPX_MPI_REQUEST, 0, 0, kpx_handle(request), 0);
}

// ---- Windows --------------------------------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    struct {
        MPI_Win handle; // MPI_WIN_NULL: free
        uint32_t communicator;
    } *list;
    uint32_t n;
} windows = {.lock = PTHREAD_MUTEX_INITIALIZER};

void kpx_made_window(MPI_Win window, MPI_Comm comm)
{
    uint32_t number = kpx_communicator(comm), i = 0;
    pthread_mutex_lock(&windows.lock);
    while (i < windows.n && windows.list[i].handle != MPI_WIN_NULL)
        i++;
    if (i == windows.n) {
        windows.list = realloc(windows.list, ++windows.n * sizeof *windows.list);
        if (!windows.list)
            abort();
    }
    windows.list[i].handle = window;
    windows.list[i].communicator = number;
    pthread_mutex_unlock(&windows.lock);
}

void kpx_collective_window(kpx_call call, MPI_Win window, bool frees)
{
    uint32_t number = UINT32_MAX;
    pthread_mutex_lock(&windows.lock);
    for (uint32_t i = 0; i < windows.n && number == UINT32_MAX; i++)
        if (windows.list[i].handle == window) {
            number = windows.list[i].communicator;
            if (frees)
                windows.list[i].handle = MPI_WIN_NULL;
        }
    pthread_mutex_unlock(&windows.lock);
    if (call.outer && number != UINT32_MAX)
        come_to(call, number, -1, 0);
}
