// SPDX-License-Identifier: MIT
//
// Ranks whose threads share a loop, and add up what they have after each step. Known answer: rank 1 has
// three times as much to do as the others, so they wait for it in MPI_Allreduce; its threads do their
// loop in equal parts.
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 10, ITEMS = 64 };

static double work(double x, int times)
{
    for (int i = 0; i < times; i++)
        x = x * 0.999999 + 1e-6;
    return x;
}

int main(int argc, char **argv)
{
    int rank, size, provided;
    double all = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        double sum = 0, total = 0;
#pragma omp parallel for num_threads(2) schedule(static) reduction(+ : sum)
        for (int i = 0; i < ITEMS; i++)
            sum += work(1, rank == 1 ? 300000 : 100000);
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        all += total / size;
    }
    if (rank == 0)
        printf("%.3f\n", all);
    MPI_Finalize();
    return 0;
}
