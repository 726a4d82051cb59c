/* A station master enters the trains of two lines in the order of the timetable, whoever comes first. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define TRAINS 12

static double drive(double x, int miles)
{
    struct timespec t = { 0, miles * 1000000L };
    nanosleep(&t, NULL);
    return x + miles;
}

static void line(int rank)
{
    for (int t = 0; t < TRAINS; t++) {
        int miles = rank > 1 ? 30 : t == 0 ? 400 : 1;
        double cargo[2] = { rank, drive(t, miles) };
        MPI_Send(cargo, 2, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
    }
}

static double enter(const double *cargo)
{
    return drive(cargo[1], 14) * cargo[0];
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        line(rank);
    } else {
        double book = 0;
        for (int t = 0; t < TRAINS; t++)
            for (int from = 1; from < size; from++) {
                double cargo[2];
                MPI_Recv(cargo, 2, MPI_DOUBLE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                book += enter(cargo);
            }
        printf("%.3f\n", book);
    }
    MPI_Finalize();
    return 0;
}
