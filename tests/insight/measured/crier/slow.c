// The town crier tells everybody the same, one by one, and waits until each has understood.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS (1 << 20)

static void tell(double *news, int rank, int size)
{
    if (rank == 0)
        for (int to = 1; to < size; to++)
            MPI_Ssend(news, WORDS, MPI_DOUBLE, to, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(news, WORDS, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *news = calloc(WORDS, sizeof *news);
    for (int day = 0; day < 20; day++) {
        if (rank == 0)
            news[day] = day + 0.5;
        tell(news, rank, size);
        sum += news[day] * (rank + 1);
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.2f\n", all);
    free(news);
    MPI_Finalize();
    return 0;
}
