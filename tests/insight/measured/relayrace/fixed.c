// Heat runs along a rod that is divided among the ranks: each rank needs the last column of the one before,
// and gets them block by block.
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 240, BLOCK = 20, WIDTH = 1500, PASSES = 30 };

static double plate[ROWS][WIDTH], edge[ROWS];

static void sweep_row(int r, double left)
{
    for (int i = 0; i < WIDTH; i++) {
        left = 0.5 * left + 0.4 * plate[r][i] + 0.1 * sin(left + i);
        plate[r][i] = left;
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < WIDTH; i++)
            plate[r][i] = (r * 31 + i * 7 + rank) % 100 / 100.0;
    for (int pass = 0; pass < PASSES; pass++) {
        for (int b = 0; b < ROWS; b += BLOCK) {
            if (rank > 0)
                MPI_Recv(edge + b, BLOCK, MPI_DOUBLE, rank - 1, pass, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int r = b; r < b + BLOCK; r++) {
                sweep_row(r, edge[r]);
                edge[r] = plate[r][WIDTH - 1];
            }
            if (rank < ranks - 1)
                MPI_Send(edge + b, BLOCK, MPI_DOUBLE, rank + 1, pass, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    double sum = 0, all;
    for (int r = 0; r < ROWS; r++)
        sum += plate[r][WIDTH / 2];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %.9f\n", all);
    MPI_Finalize();
    return 0;
}
