/* Drummers: one of two plays a solo in every bar, and all meet after each bar for nothing. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

static double play(double tone, int beats)
{
    for (int b = 0; b < beats; b++)
        for (int k = 0; k < 500; k++)
            tone = sin(tone + k * 0.1);
    return tone;
}

int main(int argc, char **argv)
{
    int rank, size;
    double tone = 0.1, sound = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int bar = 0; bar < 24; bar++) {
        int solo = bar % size == rank;
        tone = play(tone, solo ? 1800 : 200);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&tone, &sound, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6f\n", sound);
    MPI_Finalize();
    return 0;
}
