// SPDX-License-Identifier: MIT
//
// Functions that end with a call of MPI, which the compiler makes a jump of.
#include <mpi.h>
#include <stdio.h>
static int rank, x;
__attribute__((noinline)) static void sync_all(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}
__attribute__((noinline)) int shift(int to, int from)
{
    if (rank == 0)
        return MPI_Send(&x, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    return MPI_Recv(&x, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int n, char **v)
{
    MPI_Init(&n, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sync_all();
    for (int i = 0; i < 3; i++)
        shift(1, 0);
    sync_all();
    MPI_Finalize();
    return 0;
}
