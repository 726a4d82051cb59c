// SPDX-License-Identifier: MIT
//
// Three threads in each of two ranks exchange messages at the same time, requests of which get each
// other's names again and again.
#include <mpi.h>
#include <omp.h>

static void wait_for(MPI_Request *requests, int round)
{
    if (round % 2)
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0, index; i < 4 && round % 2 == 0; i++)
        MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, provided, bad = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(3) reduction(+ : bad)
    for (int i = 0; i < 200; i++) {
        int tag = omp_get_thread_num(), out = 1000 * tag + i, in[2] = {-1, -1};
        MPI_Request r[4];
        MPI_Irecv(&in[0], 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, 10 + tag, MPI_COMM_WORLD, &r[1]);
        MPI_Issend(&out, 1, MPI_INT, 1 - rank, 10 + tag, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &r[3]);
        wait_for(r, i);
        bad += in[0] != out || in[1] != out;
    }
    MPI_Finalize();
    return bad || provided != MPI_THREAD_MULTIPLE;
}
