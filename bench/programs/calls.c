// SPDX-License-Identifier: MIT
//
// As many calls of MPI as possible: a rank sends to itself.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 300000, sum = 0;
    MPI_Init(&argc, &argv);
    for (long i = 0; i < rounds; i++) {
        int out = (int)i, in;
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        sum += in;
    }
    printf("%ld\n", sum);
    MPI_Finalize();
    return 0;
}
