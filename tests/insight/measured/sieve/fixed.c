/* Two ranks sieve a field. Who has the hard part of it changes; borders are exchanged meanwhile,
 * but the ranks wait for them at once. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

static double shake(double x, int grains)
{
    for (int i = 0; i < grains; i++)
        x = 0.99 * x + sin(i);
    return x;
}

int main(int argc, char **argv)
{
    int rank;
    double mine[32] = {0}, other[32] = {0}, x = 0;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 30; step++) {
        int hard = rank == step % 2;
        x = shake(x, hard ? 240000 : 80000);
        mine[step] = x;
        MPI_Irecv(other, 32, MPI_DOUBLE, 1 - rank, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(mine, 32, MPI_DOUBLE, 1 - rank, step, MPI_COMM_WORLD, &requests[1]);
        x = shake(x, hard ? 80000 : 240000);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        x += 1e-3 * other[step];
    }
    if (rank == 0)
        printf("%.6f\n", x);
    MPI_Finalize();
    return 0;
}
