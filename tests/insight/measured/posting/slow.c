// A photograph is handed over: rank 1 develops its own film first; the sender waits.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define PIXELS 200000

static double develop(double light, int frames)
{
    for (int f = 0; f < frames; f++)
        for (int k = 0; k < 20000; k++)
            light = 0.5 * (light + sin(light + k));
    return light;
}

int main(int argc, char **argv)
{
    int rank;
    double *photo = calloc(PIXELS, sizeof *photo), light = 0.5, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int film = 0; film < 9; film++) {
        if (rank == 0) {
            photo[film] = film;
            MPI_Send(photo, PIXELS, MPI_DOUBLE, 1, film, MPI_COMM_WORLD);
            light = develop(light, 40);
        } else {
            light = develop(light, 40);
            MPI_Recv(photo, PIXELS, MPI_DOUBLE, 0, film, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&light, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6f\n", sum);
    MPI_Finalize();
    return 0;
}
