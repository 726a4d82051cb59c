// SPDX-License-Identifier: MIT
//
// A pipeline of ranks: the first makes pieces, each works on a piece and passes it on, the last adds
// up. Known answer: the second rank takes three times as long for a piece as the others, so the ranks
// behind it wait for it.
#include <mpi.h>
#include <stdio.h>

enum { PIECES = 40 };

static double work(double x, int rank)
{
    for (int i = 0; i < (rank == 1 ? 900000 : 300000); i++)
        x = x * 0.999999 + 1e-6;
    return x;
}

int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0, piece = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < PIECES; i++) {
        if (rank > 0)
            MPI_Recv(&piece, 1, MPI_DOUBLE, rank - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        piece = work(piece, rank);
        if (rank + 1 < size)
            MPI_Send(&piece, 1, MPI_DOUBLE, rank + 1, i, MPI_COMM_WORLD);
        sum += piece;
    }
    double all = 0;
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f\n", all);
    MPI_Finalize();
    return 0;
}
