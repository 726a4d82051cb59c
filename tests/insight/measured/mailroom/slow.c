/* A mail room: rank 0 opens a parcel from every other rank. It asks for them in order of ranks,
 * and rank 1, which is the slowest, comes first. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 12, SIZE = 128 };

static void spin(double *parcel, int times)
{
    for (int t = 0; t < times; t++)
        for (int i = 0; i < SIZE; i++)
            parcel[i] = sin(parcel[i] + t);
}

static double open_parcel(double *parcel)
{
    double sum = 0;
    spin(parcel, 4000);
    for (int i = 0; i < SIZE; i++)
        sum += parcel[i];
    return sum;
}

static double mail_room(int size)
{
    double parcel[SIZE], sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int from = 1; from < size; from++) {
            MPI_Recv(parcel, SIZE, MPI_DOUBLE, from, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += open_parcel(parcel);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return sum;
}

static void sender(int rank)
{
    double parcel[SIZE];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SIZE; i++)
            parcel[i] = rank * 0.1 + i + round;
        spin(parcel, rank == 1 ? 8000 : 600);
        MPI_Send(parcel, SIZE, MPI_DOUBLE, 0, round, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("%.4f\n", mail_room(size));
    else
        sender(rank);
    MPI_Finalize();
    return 0;
}
