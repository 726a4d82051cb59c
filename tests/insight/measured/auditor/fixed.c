// An auditor collects the figures of the branches, and writes letters, which need no figures.
#include <math.h>
#include <mpi.h>
#include <stdio.h>

static double count_up(int rank, int steps)
{
    double x = rank;
    for (int i = 0; i < steps; i++)
        x = 0.99 * x + cos(i + rank);
    return x;
}

static double write_letters(void)
{
    return count_up(100, 300000);
}

int main(int argc, char **argv)
{
    int rank;
    double sum = 0, total = 0, letters = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int month = 0; month < 20; month++) {
        if (rank > 0)
            sum += count_up(rank, 400000);
        if (rank == 0)
            letters += write_letters();
        MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%.6f\n", total + letters);
    MPI_Finalize();
    return 0;
}
