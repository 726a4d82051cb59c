/* Tides on a coast: rank r has the coast from cut[r] to cut[r + 1], and the cuts are by length,
 * not by depth. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define POINTS 4000
#define STEPS 110

static double flow(int point, int step)
{
    double level = 0;
    int depth = point < POINTS / 2 ? 30 : 170;
    for (int layer = 1; layer <= depth; layer++)
        level += sin(0.01 * step * layer) / layer;
    return level;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = rank * POINTS / size, last = (rank + 1) * POINTS / size;
    double mean = 0;
    for (int step = 0; step < STEPS; step++) {
        double sum = 0, all;
        for (int p = first; p < last; p++)
            sum += flow(p, step);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        mean += all / POINTS;
    }
    if (rank == 0)
        printf("%.6f\n", mean);
    MPI_Finalize();
    return 0;
}
