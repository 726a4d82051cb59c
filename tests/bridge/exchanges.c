// SPDX-License-Identifier: MIT
//
// Messages of every kind that is recorded, between two ranks: blocking, not blocking, with wildcards,
// persistent, probed, cancelled; in the world, in a copy of it and in a half of it.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static void blocking(MPI_Comm comm, int rank)
{
    int value = rank;
    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 7, comm);
        else
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    }
}

static void crossing(MPI_Comm comm, int rank)
{
    int out = rank, in[2] = {0};
    MPI_Request requests[4];
    MPI_Irecv(&in[0], 1, MPI_INT, 1 - rank, 1, comm, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[1]);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, 2, comm, &requests[2]);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, 1, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 3, &in[0], 1, MPI_INT, 1 - rank, 3, comm,
                 MPI_STATUS_IGNORE);
}

static void persistent(MPI_Comm comm, int rank)
{
    int value = 0;
    MPI_Request request;
    if (rank == 0)
        MPI_Send_init(&value, 1, MPI_INT, 1, 9, comm, &request);
    else
        MPI_Recv_init(&value, 1, MPI_INT, 0, 9, comm, &request);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

static void probed_and_cancelled(MPI_Comm comm, int rank)
{
    int value = 0, flag = 0;
    MPI_Request request;
    if (rank == 0) {
        usleep(20000);
        MPI_Send(&value, 1, MPI_INT, 1, 11, comm);
        return;
    }
    MPI_Irecv(&value, 1, MPI_INT, 0, 99, comm, &request); // nothing comes
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Probe(0, 11, comm, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, 0, 11, comm, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm copy, half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &half);
    blocking(MPI_COMM_WORLD, rank);
    crossing(copy, rank);
    persistent(half, rank);
    probed_and_cancelled(copy, rank);
    if (rank == 1)
        usleep(50000);
    MPI_Barrier(half);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    MPI_Finalize();
    if (rank == 0)
        puts("done");
    return 0;
}
