// SPDX-License-Identifier: MIT
//
// Three ranks at collectives that are prepared, among neighbours, of those before, of no bytes, of one
// rank, and at those of a file.
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

static int rank, ranks;

static void prepared(void)
{
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
    MPI_Request requests[2];
    int sum = 0;
    MPIX_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPIX_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#endif
}

static void neighbours(void)
{
    int periods[] = {0}, in[2] = {0}, out[] = {rank, rank};
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, periods, 0, &line);
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line);
    MPI_Comm_free(&line);
}

static void before_others(void)
{
    int sum = 0;
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Bcast(&sum, 0, MPI_INT, 0, MPI_COMM_WORLD);
}

static void file(void)
{
    MPI_File f;
    int x[4] = {rank};
    MPI_File_open(MPI_COMM_WORLD, "meetings.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &f);
    MPI_File_write_at(f, rank * 16, x, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(f, rank * 16, x, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    prepared();
    neighbours();
    before_others();
    file();
    MPI_Finalize();
    return 0;
}
