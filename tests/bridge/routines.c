// SPDX-License-Identifier: MIT
//
// Routines of MPI between four ranks that are seldom used: messages that are probed and kept, requests
// that are waited for one by one, collectives that are only started, communicators of many kinds,
// one-sided communication, several threads. Each message and collective is checked by its value.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 5 };

static int rank, ranks;

static void expect(int value, int wanted, const char *what)
{
    if (value == wanted)
        return;
    printf("%s: %d instead of %d\n", what, value, wanted);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// Each message has a tag of its own: Open MPI 4.1 may mix up those of one tag if some are probed.
static void probed(MPI_Comm comm)
{
    int value, flag = 0;
    MPI_Message message, other;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        for (int to = 1; to < ranks; to++)
            for (value = 10; value < 14; value++)
                MPI_Send(&value, 1, MPI_INT, to, value - 10, comm);
        return;
    }
    MPI_Mprobe(MPI_ANY_SOURCE, 0, comm, &message, &status);
    MPI_Mprobe(0, 1, comm, &other, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
    expect(value, 12, "the third message");
    MPI_Imrecv(&value, 1, MPI_INT, &other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(value, 11, "the second message");
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    expect(value, 10, "the first message");
    while (!flag)
        MPI_Improbe(0, 3, comm, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    expect(value, 13, "the message with a tag of its own");
}

static void one_by_one(MPI_Comm comm)
{
    int in[ROUNDS] = {0}, out[ROUNDS], index, done, indices[ROUNDS], left;
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Request receives[ROUNDS], sends[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        out[i] = 100 * rank + i;
        MPI_Irecv(&in[i], 1, MPI_INT, before, MPI_ANY_TAG, comm, &receives[i]);
    }
    for (int i = 0; i < ROUNDS; i++)
        MPI_Issend(&out[i], 1, MPI_INT, next, 20 + i, comm, &sends[i]);
    MPI_Waitany(ROUNDS, receives, &index, MPI_STATUS_IGNORE);
    for (left = ROUNDS - 1; left > 0; left -= done == MPI_UNDEFINED ? 0 : done)
        MPI_Waitsome(ROUNDS, receives, &done, indices, MPI_STATUSES_IGNORE);
    for (done = 0; !done;)
        MPI_Testall(ROUNDS, sends, &done, MPI_STATUSES_IGNORE);
    for (int i = 0; i < ROUNDS; i++)
        expect(in[i], 100 * before + i, "a message of the ring");
}

static void started(MPI_Comm comm)
{
    int value = rank == 1 ? 7 : 0, sum = 0, all[8] = {0}, counts[8], places[8];
    MPI_Request requests[3];
    MPI_Ibcast(&value, 1, MPI_INT, 1, comm, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Ibarrier(comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    expect(value, 7, "broadcast");
    expect(sum, ranks * (ranks - 1) / 2, "sum");
    for (int i = 0; i < ranks; i++)
        counts[i] = 1, places[i] = i;
    MPI_Gatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, 2, comm);
    expect(all[3], rank == 2 ? 3 : 0, "gather");
    MPI_Alltoallv(all, counts, places, MPI_INT, all + 4, counts, places, MPI_INT, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm);
    MPI_Reduce_scatter_block(all, &value, 1, MPI_INT, MPI_MAX, comm);
}

static void communicators(void)
{
    int sizes[2] = {2, 2}, periods[2] = {1, 1}, remain[2] = {1, 0}, got = 0;
    MPI_Comm grid, column, half, between, all, group_comm;
    MPI_Group world, group;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Cart_sub(grid, remain, &column);
    int own, in[4];
    MPI_Comm_rank(column, &own);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - own, 5, &got, 1, MPI_INT, 1 - own, 5, column,
                 MPI_STATUS_IGNORE);
    expect(got, (rank + 2) % 4, "a column of the grid");
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, grid);

    // Both groups send from their rank r to the other's rank r: the same numbers both ways.
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &between);
    MPI_Comm_rank(half, &own);
    MPI_Request request;
    MPI_Isend(&rank, 1, MPI_INT, own, 6, between, &request);
    MPI_Recv(&got, 1, MPI_INT, own, 6, between, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(got, (rank + 2) % 4, "between two groups");
    MPI_Intercomm_merge(between, rank >= 2, &all);
    MPI_Barrier(all);

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int members[] = {1, 3};
    MPI_Group_incl(world, 2, members, &group);
    if (rank % 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 4, &group_comm);
        MPI_Comm_rank(group_comm, &own);
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - own, 7, &got, 1, MPI_INT, 1 - own, 7, group_comm,
                     MPI_STATUS_IGNORE);
        expect(got, 4 - rank, "a group of its own");
        MPI_Comm_free(&group_comm);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm *made[] = {&grid, &column, &half, &between, &all};
    for (int i = 0; i < 5; i++)
        MPI_Comm_free(made[i]);
}

static void one_sided(void)
{
    int *memory, value = rank;
    MPI_Win window;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    expect(*memory, (rank + ranks - 1) % ranks, "what was put");
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}

// Two threads of each rank have a tag of their own.
static void *exchange(void *tag)
{
    for (int i = 0; i < ROUNDS; i++) {
        int out = 1000 * rank + i, in = 0, other = rank ^ 1;
        MPI_Sendrecv(&out, 1, MPI_INT, other, *(int *)tag, &in, 1, MPI_INT, other, *(int *)tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(in, 1000 * other + i, "a thread's message");
    }
    return NULL;
}

static void threads(void)
{
    int tags[] = {31, 32};
    pthread_t thread;
    pthread_create(&thread, NULL, exchange, &tags[0]);
    exchange(&tags[1]);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    expect(ranks, 4, "ranks");
    probed(MPI_COMM_WORLD);
    one_by_one(MPI_COMM_WORLD);
    started(MPI_COMM_WORLD);
    communicators();
    one_sided();
    if (provided == MPI_THREAD_MULTIPLE)
        threads();
    MPI_Finalize();
    if (rank == 0)
        puts("done");
    return 0;
}
