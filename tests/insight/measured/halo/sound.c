/* Nothing to remove: two ranks with equal parts exchange their boundaries in every step. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { N = 3000, STEPS = 40 };

int main(int argc, char **argv)
{
    static double a[N + 2], b[N + 2];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < N + 2; i++)
        a[i] = sin(rank + i * 0.01);
    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(&a[1], 1, MPI_DOUBLE, left, 0, &a[N + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&a[N], 1, MPI_DOUBLE, right, 1, &a[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 1; i <= N; i++) {
            b[i] = 0;
            for (int k = 0; k < 60; k++)
                b[i] += cos(a[i - 1] + a[i + 1] * k) / (k + 1);
        }
        for (int i = 1; i <= N; i++)
            a[i] = b[i];
    }
    double sum = a[N / 2], all;
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6f\n", all);
    MPI_Finalize();
    return 0;
}
