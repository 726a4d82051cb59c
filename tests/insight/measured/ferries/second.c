/* Two shores: ferries are loaded by rank 0 for both, and the tolls are told only after the books are done. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#define FERRIES 600

static double load(int ferry)
{
    double x = ferry;
    for (int k = 0; k < 14000; k++)
        x = 0.99 * x + cos(x + k);
    return x;
}

static void fill(double *ferries, int rank, int size)
{
    if (rank == 0)
        for (int f = 0; f < FERRIES; f++)
            ferries[f] = load(f);
    MPI_Bcast(ferries, FERRIES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static double book(const double *ferries, int rank)
{
    double sum = rank;
    for (int f = 0; f < FERRIES; f++)
        for (int k = 0; k < 9000; k++)
            sum = 0.999 * sum + sin(ferries[f] + k);
    return sum;
}

static double settle(const double *ferries, int rank, int size)
{
    double toll = ferries[rank], other = 0, sum;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    if (rank == 0) {
        MPI_Send(&toll, 1, MPI_DOUBLE, right, 5, MPI_COMM_WORLD);
        sum = book(ferries, rank);
    } else {
        MPI_Recv(&other, 1, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = book(ferries, rank) + other;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static double ferries[FERRIES];
    int rank, size;
    double sum, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fill(ferries, rank, size);
    sum = settle(ferries, rank, size);
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6f\n", total);
    MPI_Finalize();
    return 0;
}
