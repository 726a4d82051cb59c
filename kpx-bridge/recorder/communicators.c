// SPDX-License-Identifier: MIT
//
// Communicators and windows: their numbers in the log, and identities that are equal in all their
// ranks.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "kpx-bridge/recorder/mpi.h"

typedef struct {
    MPI_Comm handle;
    uint64_t identity; // the same in all its ranks
    int rank;          // own
    uint64_t collectives, made; // calls on it, communicators made from it
    uint16_t side; // of its two groups this rank's, or 0
    bool freed, tells_neighbours;
} communicator;

static struct {
    pthread_mutex_t lock;
    ARRAY_OF(communicator) all;
    uint32_t changes; // a thread that has looked one up knows by this whether it still holds
} communicators = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

// ---- The list -------------------------------------------------------------------------------

// With the lock. side: 1 or 2 of an intercommunicator, else 0. handle: MPI_COMM_NULL if it is not
// made yet, or is never looked up. Without memory the log knows nothing of the communicator:
// KPX_NO_COMMUNICATOR.
static uint32_t add_ranks(int rank, int size, MPI_Comm handle, uint64_t identity, uint16_t side)
{
    if (!ARRAY_RESERVE(communicators.all, 1)) {
        kpx_no_memory();
        return KPX_NO_COMMUNICATOR;
    }
    uint32_t number = (uint32_t)communicators.all.n++;
    communicators.all.at[number] =
        (communicator){.handle = handle, .identity = identity, .rank = rank, .side = side};
    __atomic_fetch_add(&communicators.changes, 1, __ATOMIC_RELEASE);
    kpx_put_always(KPX_MPI_COMM, side, number, (uint64_t)rank << 32 | (uint32_t)size, identity);
    return number;
}

// Ranks and size are those of `like`.
static uint32_t add_like(MPI_Comm like, MPI_Comm handle, uint64_t identity, uint16_t side)
{
    int rank, size;
    PMPI_Comm_rank(like, &rank);
    PMPI_Comm_size(like, &size);
    return add_ranks(rank, size, handle, identity, side);
}

static uint32_t add(MPI_Comm handle, uint64_t identity, uint16_t side)
{
    return add_like(handle, handle, identity, side);
}

// Adds the number of equal communicators that the same ranks made before; all ranks count alike.
// The lowest bits are left for the direction of messages between two groups.
static uint64_t number_alike(uint64_t identity)
{
    uint64_t alike = 0;
    for (uint32_t i = 0; i < communicators.all.n; i++)
        alike += communicators.all.at[i].identity >> 18 == identity >> 18;
    return (identity >> 18 << 18) | (alike & 0xffff) << 2;
}

static uint32_t look_up(MPI_Comm handle)
{
    pthread_mutex_lock(&communicators.lock);
    uint32_t number = (uint32_t)communicators.all.n;
    while (number > 0 && (communicators.all.at[number - 1].handle != handle ||
                          communicators.all.at[number - 1].freed))
        number--;
    // One that was made in a way that is not recorded has an identity of its own in each process.
    uint32_t found = number > 0
                         ? number - 1
                         : add(handle,
                               mix(mix((uint64_t)getpid(), kpx_now()), communicators.all.n), 0);
    pthread_mutex_unlock(&communicators.lock);
    return found;
}

uint32_t kpx_communicator(MPI_Comm handle)
{
    if (handle == MPI_COMM_NULL)
        return KPX_NO_COMMUNICATOR;
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

// The world rank of a group's first member: it distinguishes the communicators made by one call.
static int first_in_world(MPI_Group group)
{
    MPI_Group world;
    int first = 0, rank = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &first, world, &rank);
    PMPI_Group_free(&world);
    return rank;
}

// A hash of all members of a group.
static uint64_t members(MPI_Group group)
{
    MPI_Group world;
    int n = 0;
    uint64_t h = 0x6d;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(group, &n);
    for (int i = 0; i < n; i++) {
        int rank = 0;
        PMPI_Group_translate_ranks(group, 1, &i, world, &rank);
        h = mix(h, (uint64_t)rank);
    }
    PMPI_Group_free(&world);
    return h;
}

static MPI_Group group_of(MPI_Comm handle, bool remote)
{
    MPI_Group group;
    if (remote)
        PMPI_Comm_remote_group(handle, &group);
    else
        PMPI_Comm_group(handle, &group);
    return group;
}

static int first_of(MPI_Comm handle)
{
    MPI_Group group = group_of(handle, false);
    int rank = first_in_world(group);
    PMPI_Group_free(&group);
    return rank;
}

static void add_new(MPI_Comm handle, uint64_t identity, uint16_t side)
{
    pthread_mutex_lock(&communicators.lock);
    add(handle, identity, side);
    pthread_mutex_unlock(&communicators.lock);
}

// The identity of the next communicator that all ranks of `from` make from it.
static uint64_t next_identity(uint32_t from, uint16_t *ret_side)
{
    *ret_side = 0;
    if (from == KPX_NO_COMMUNICATOR)
        return 0;
    pthread_mutex_lock(&communicators.lock);
    communicator *c = &communicators.all.at[from];
    uint64_t identity = mix(c->identity, ++c->made);
    *ret_side = c->side;
    pthread_mutex_unlock(&communicators.lock);
    return identity;
}

void kpx_made_communicator(MPI_Comm parent, MPI_Comm handle)
{
    uint16_t side;
    int inter = 0;
    uint64_t identity = next_identity(kpx_communicator(parent), &side);
    if (handle == MPI_COMM_NULL)
        return;
    PMPI_Comm_test_inter(handle, &inter);
    if (!inter) {
        add_new(handle, mix(identity, (uint64_t)first_of(handle)) >> 1, 0);
        return;
    }
    MPI_Group own = group_of(handle, false), other = group_of(handle, true);
    int first = first_in_world(side == 1 ? own : other);
    int second = first_in_world(side == 1 ? other : own);
    PMPI_Group_free(&own);
    PMPI_Group_free(&other);
    add_new(handle, mix(mix(identity, (uint64_t)first), (uint64_t)second) >> 2, side);
}

void kpx_making_copy(MPI_Comm parent, MPI_Comm handle)
{
    uint16_t side;
    uint64_t identity = next_identity(kpx_communicator(parent), &side);
    pthread_mutex_lock(&communicators.lock);
    add_like(parent, handle, mix(identity, 0xc0) >> 2, side);
    pthread_mutex_unlock(&communicators.lock);
}

uint32_t kpx_making_group_communicator(MPI_Comm parent, MPI_Group group, int tag)
{
    int rank = MPI_UNDEFINED, size = 0;
    uint32_t from = kpx_communicator(parent);
    PMPI_Group_rank(group, &rank);
    PMPI_Group_size(group, &size);
    if (rank == MPI_UNDEFINED || from == KPX_NO_COMMUNICATOR)
        return KPX_NO_COMMUNICATOR;
    uint64_t who = members(group);
    pthread_mutex_lock(&communicators.lock);
    uint64_t identity =
        mix(mix(communicators.all.at[from].identity ^ 0x67, (uint64_t)tag), who) >> 2;
    uint32_t number = add_ranks(rank, size, MPI_COMM_NULL, number_alike(identity), 0);
    pthread_mutex_unlock(&communicators.lock);
    return number;
}

void kpx_is_made(uint32_t number, MPI_Comm handle)
{
    if (number == KPX_NO_COMMUNICATOR)
        return;
    pthread_mutex_lock(&communicators.lock);
    communicators.all.at[number].handle = handle;
    __atomic_fetch_add(&communicators.changes, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&communicators.lock);
}

void kpx_made_intercommunicator(MPI_Comm handle)
{
    MPI_Group groups[] = {group_of(handle, false), group_of(handle, true)};
    uint64_t own = members(groups[0]), other = members(groups[1]);
    bool is_first = first_in_world(groups[0]) < first_in_world(groups[1]);
    PMPI_Group_free(&groups[0]);
    PMPI_Group_free(&groups[1]);
    pthread_mutex_lock(&communicators.lock);
    uint64_t identity = mix(mix(0x1c, is_first ? own : other), is_first ? other : own) >> 2;
    add(handle, number_alike(identity), is_first ? 1 : 2);
    pthread_mutex_unlock(&communicators.lock);
}

void kpx_freed_communicator(uint32_t number)
{
    if (number == KPX_NO_COMMUNICATOR)
        return;
    pthread_mutex_lock(&communicators.lock);
    communicators.all.at[number].freed = true;
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
    kpx_note("polls", kpx_is_without("polls") ? "0" : "1");
    uint64_t identity = identity_of_world();
    add_new(MPI_COMM_WORLD, identity, 0);
    add_new(MPI_COMM_SELF, mix(identity, (uint64_t)rank) >> 1, 0);
    PMPI_Irecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &kpx_no_request);
    MPI_Request request = kpx_no_request;
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    kpx_note_limits();
}

// ---- Collectives ----------------------------------------------------------------------------

static uint32_t root_of(const communicator *c, int root)
{
    if (c->side != 0 && root == MPI_ROOT)
        return (uint32_t)c->rank + 1;
    if (c->side != 0 && root == MPI_PROC_NULL)
        return KPX_ABSENT;
    return root < 0 ? 0 : (uint32_t)root + 1 + (c->side != 0 ? KPX_OTHER_GROUP : 0);
}

void kpx_come_to(kpx_call call, int routine, uint32_t number, int root, uint64_t bytes)
{
    if (!call.outer || number == KPX_NO_COMMUNICATOR)
        return;
    pthread_mutex_lock(&communicators.lock);
    uint64_t count = communicators.all.at[number].collectives++;
    uint64_t who = root_of(&communicators.all.at[number], root);
    pthread_mutex_unlock(&communicators.lock);
    kpx_put(KPX_MPI_COLLECTIVE, (uint16_t)routine, number, who << 32 | (uint32_t)count, bytes);
}

void kpx_collective(kpx_call call, MPI_Comm comm, int root, uint64_t bytes)
{
    kpx_come_to(call, call.routine, kpx_communicator(comm), root, bytes);
}

int kpx_end_collective(kpx_call call, MPI_Comm comm, int result)
{
    uint32_t number =
        call.outer && kpx_is_refused(result) ? kpx_communicator(comm) : KPX_NO_COMMUNICATOR;
    if (number != KPX_NO_COMMUNICATOR) {
        pthread_mutex_lock(&communicators.lock);
        communicators.all.at[number].collectives--;
        pthread_mutex_unlock(&communicators.lock);
    }
    return kpx_end(call, result);
}

static void tell_neighbour(uint32_t number, int rank)
{
    if (rank >= 0)
        kpx_put_always(KPX_MPI_NEIGHBOUR, 0, number, (uint64_t)rank, 0);
}

static void tell_cartesian(MPI_Comm comm, uint32_t number)
{
    int n = 0, from, to;
    PMPI_Cartdim_get(comm, &n);
    for (int i = 0; i < n; i++) {
        PMPI_Cart_shift(comm, i, 1, &from, &to);
        tell_neighbour(number, from);
        tell_neighbour(number, to);
    }
}

static void tell_graph(MPI_Comm comm, uint32_t number, bool distributed)
{
    int n = 0, out = 0, weighted = 0, rank;
    PMPI_Comm_rank(comm, &rank);
    if (distributed)
        PMPI_Dist_graph_neighbors_count(comm, &n, &out, &weighted);
    else
        PMPI_Graph_neighbors_count(comm, rank, &n);
    int *ranks = calloc(2 * ((size_t)n + (size_t)out) + 1, sizeof *ranks);
    if (!ranks) {
        kpx_no_memory();
        return;
    }
    int *weights = ranks + n, *targets = weights + n;
    if (distributed)
        PMPI_Dist_graph_neighbors(comm, n, ranks, weights, out, targets, targets + out);
    else
        PMPI_Graph_neighbors(comm, rank, n, ranks);
    for (int i = 0; i < n; i++)
        tell_neighbour(number, ranks[i]);
    free(ranks);
}

void kpx_tell_neighbours(MPI_Comm comm)
{
    uint32_t number = kpx_communicator(comm);
    if (number == KPX_NO_COMMUNICATOR)
        return;
    pthread_mutex_lock(&communicators.lock);
    bool told = communicators.all.at[number].tells_neighbours;
    communicators.all.at[number].tells_neighbours = true;
    pthread_mutex_unlock(&communicators.lock);
    int kind = MPI_UNDEFINED;
    if (told || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS)
        return;
    if (kind == MPI_CART)
        tell_cartesian(comm, number);
    else if (kind == MPI_GRAPH || kind == MPI_DIST_GRAPH)
        tell_graph(comm, number, kind == MPI_DIST_GRAPH);
}

// ---- Windows and files ----------------------------------------------------------------------

typedef struct {
    const void *handle; // NULL: free
    uint32_t communicator;
} opened_thing;

static struct {
    pthread_mutex_t lock;
    ARRAY_OF(opened_thing) all;
} opened = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Its collectives are counted by themselves: other threads may be at others of the communicator.
void kpx_opened(const void *handle, MPI_Comm comm)
{
    uint16_t side;
    uint64_t identity = next_identity(kpx_communicator(comm), &side);
    pthread_mutex_lock(&communicators.lock);
    uint32_t number = add_like(comm, MPI_COMM_NULL, mix(identity, 0x0f) >> 2, side), i = 0;
    pthread_mutex_unlock(&communicators.lock);
    pthread_mutex_lock(&opened.lock);
    while (i < opened.all.n && opened.all.at[i].handle)
        i++;
    bool has_room = i < opened.all.n || ARRAY_RESERVE(opened.all, 1);
    if (has_room) {
        opened.all.n += i == opened.all.n;
        opened.all.at[i].handle = handle;
        opened.all.at[i].communicator = number;
    }
    pthread_mutex_unlock(&opened.lock);
    if (!has_room)
        kpx_no_memory();
}

void kpx_collective_of(kpx_call call, const void *handle, bool closes)
{
    uint32_t number = KPX_NO_COMMUNICATOR;
    pthread_mutex_lock(&opened.lock);
    for (uint32_t i = 0; i < opened.all.n && number == KPX_NO_COMMUNICATOR; i++)
        if (opened.all.at[i].handle == handle) {
            number = opened.all.at[i].communicator;
            if (closes)
                opened.all.at[i].handle = NULL;
        }
    pthread_mutex_unlock(&opened.lock);
    kpx_come_to(call, call.routine, number, -1, 0);
}
