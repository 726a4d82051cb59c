// SPDX-License-Identifier: MIT
//
// Two ranks wait for messages that nobody sends, until a child of one of them ends the launcher.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && fork() == 0) {
        sleep(3);
        kill(getppid(), SIGKILL); // mpirun ends the other rank
        _exit(0);
    }
    if (rank == 0)
        MPI_Recv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
