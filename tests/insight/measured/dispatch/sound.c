// SPDX-License-Identifier: MIT
// A clerk takes orders as they come and packs them; the others collect them. Everybody has other work.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ORDERS = 12 };

int main(int argc, char **argv)
{
    int rank, ranks, order, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; rank > 0 && i < ORDERS; i++) {
        usleep(5000);
        order = rank * 100 + i;
        MPI_Send(&order, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    for (int i = 0; rank == 0 && i < ORDERS * (ranks - 1); i++) {
        MPI_Recv(&order, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(4000);
        all += order % 17;
    }
    if (rank == 0)
        printf("%d\n", all);
    MPI_Finalize();
    return 0;
}
