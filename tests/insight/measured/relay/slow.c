/* A relay: each rank receives the state of its left neighbour, computes, and passes on its own. The
 * boundary is needed on the other side, and it does not change in the step. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#define CELLS 600

struct part { double cell[CELLS], left, boundary; };

static void compute(struct part *p, int step)
{
    for (int c = 0; c < CELLS; c++) {
        double x = p->cell[c];
        for (int k = 0; k < 1200; k++)
            x = 0.99 * x + 0.01 * cos(x + k);
        p->cell[c] = x + 1e-9 * p->left * step;
    }
}

static void step(struct part *p, int number, int rank, int size)
{
    p->boundary = p->cell[CELLS - 1];
    if (rank > 0)
        MPI_Recv(&p->left, 1, MPI_DOUBLE, rank - 1, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(p, number);
    if (rank < size - 1)
        MPI_Send(&p->boundary, 1, MPI_DOUBLE, rank + 1, number, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct part p = { .left = 0 };
    int rank, size;
    double sum = 0, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int c = 0; c < CELLS; c++)
        p.cell[c] = rank + 1.0 / (c + 1);
    for (int number = 0; number < 12; number++) {
        step(&p, number, rank, size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int c = 0; c < CELLS; c++)
        sum += p.cell[c];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6f\n", total);
    MPI_Finalize();
    return 0;
}
