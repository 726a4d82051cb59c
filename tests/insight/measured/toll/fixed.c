// SPDX-License-Identifier: MIT
// Ranks count the cars of the hours at their gates. The sums are made at the end.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { HOURS = 40 };
static long here[HOURS], total[HOURS];

static long count(int rank, int hour)
{
    usleep((hour + rank) % 3 == 0 ? 14000 : 2000);
    return (rank + 1) * 31 + hour * 7 % 13;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int h = 0; h < HOURS; h++)
        here[h] = count(rank, h);
    MPI_Allreduce(here, total, HOURS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    long busiest = 0;
    for (int h = 0; h < HOURS; h++)
        busiest = total[h] > busiest ? total[h] : busiest;
    if (rank == 0)
        printf("%ld\n", busiest);
    MPI_Finalize();
    return 0;
}
