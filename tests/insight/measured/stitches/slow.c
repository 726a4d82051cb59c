/* Two tailors sew at one cloth: after every pass the right one needs the column at the seam. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 800, COLUMNS = 4, PASSES = 20 };

static double cloth[ROWS][COLUMNS], seam[ROWS];

static void give_seam(void)
{
    for (int row = 0; row < ROWS; row++)
        MPI_Ssend(&cloth[row][0], 1, MPI_DOUBLE, 1, row, MPI_COMM_WORLD);
}

static void take_seam(void)
{
    for (int row = 0; row < ROWS; row++)
        MPI_Recv(&seam[row], 1, MPI_DOUBLE, 0, row, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sew(void)
{
    for (int row = 0; row < ROWS; row++)
        for (int c = 0; c < COLUMNS; c++)
            cloth[row][c] = 0.5 * cloth[row][c] + 0.5 * sin(seam[row] + c);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int pass = 0; pass < PASSES; pass++) {
        sew();
        if (rank == 0)
            give_seam();
        else
            take_seam();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1)
        printf("%.6f\n", cloth[ROWS / 2][1]);
    MPI_Finalize();
    return 0;
}
