// Spins on a lattice in layers of ranks, with a team of two threads in each; one of each rank sums
// the energy of its layer.
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { SIDE = 300, SWEEPS = 500 };

typedef struct {
    double spin[SIDE][SIDE], next[SIDE][SIDE];
} layer;

static layer here;

static void turn(layer *l)
{
#pragma omp parallel for num_threads(2)
    for (int i = 1; i < SIDE - 1; i++)
        for (int k = 1; k < SIDE - 1; k++)
            l->next[i][k] = tanh(0.2 * (l->spin[i - 1][k] + l->spin[i + 1][k] + l->spin[i][k - 1] +
                                        l->spin[i][k + 1] + 0.5 * l->spin[i][k]));
}

static double energy(const layer *l)
{
    double sum = 0;
    for (int i = 1; i < SIDE - 1; i++)
        for (int k = 1; k < SIDE - 1; k++)
            sum += log(1.5 + l->next[i][k] * l->spin[i][k - 1]);
    return sum;
}

static void keep(layer *l)
{
#pragma omp parallel for num_threads(2)
    for (int i = 1; i < SIDE - 1; i++)
        for (int k = 1; k < SIDE - 1; k++)
            l->spin[i][k] = l->next[i][k];
}

int main(int argc, char **argv)
{
    int rank;
    double all = 0, last = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            here.spin[i][k] = (i * 13 + k * 7 + rank) % 5 - 2;
    for (int s = 0; s < SWEEPS; s++) {
        turn(&here);
        last = energy(&here);
        keep(&here);
    }
    MPI_Reduce(&last, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("energy %.6f\n", all);
    MPI_Finalize();
    return 0;
}
