// Packers fill parcels, one takes longer than the other; the clerk registers what comes first.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 5
#define SIZE 20000

static double parcel[SIZE];

static void pack(int rank, int round)
{
    usleep(rank == 1 ? 15000 : 45000);
    for (int i = 0; i < SIZE; i++)
        parcel[i] = rank + round * 0.5 + i;
}

static double enter_into_register(void)
{
    double sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += parcel[i];
    usleep(20000);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Bcast(&round, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank > 0) {
            pack(rank, round);
            MPI_Send(parcel, SIZE, MPI_DOUBLE, 0, round, MPI_COMM_WORLD);
            continue;
        }
        for (int k = 1; k < size; k++) {
            MPI_Recv(parcel, SIZE, MPI_DOUBLE, MPI_ANY_SOURCE, round, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            sum += enter_into_register();
        }
    }
    if (rank == 0)
        printf("%.6e\n", sum);
    MPI_Finalize();
    return 0;
}
