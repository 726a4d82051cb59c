// SPDX-License-Identifier: MIT
//
// Three ranks make calls that the library refuses, that fail, are given up or concern nobody, and groups
// of ranks that make communicators again and again, with messages among them that must be matched.
// What each receive got is written down as in matching.c.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, sent;
static FILE *truth;
static MPI_Comm world;

static void send_to(int to, int tag, int ints, MPI_Comm comm)
{
    int data[64] = {sent++};
    MPI_Send(data, ints, MPI_INT, to, tag, comm);
}

static void tell(int from, int number, int tag, int bytes)
{
    fprintf(truth, "%d %d %d %d\n", from, number, tag, bytes);
}

static void receive_from(int world_rank, int from, int tag, int ints, MPI_Comm comm)
{
    int data[64];
    MPI_Recv(data, 64, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
    tell(world_rank, data[0], tag, 4 * ints);
}

static void expect_error(int result, const char *what)
{
    if (result == MPI_SUCCESS)
        printf("%s was not refused\n", what);
}

// Nothing of what is refused is sent, posted or waited for.
static void refused(void)
{
    int data[4] = {0}, index, flag;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm made;
    expect_error(MPI_Send(data, -1, MPI_INT, 1, 1, world), "a count below 0");
    expect_error(MPI_Send(data, 1, MPI_INT, 77, 1, world), "a rank that is not there");
    expect_error(MPI_Isend(data, 1, MPI_DATATYPE_NULL, 1, 1, world, &request), "no type");
    expect_error(MPI_Issend(data, 1, MPI_INT, 1, -9, world, &request), "a tag below 0");
    expect_error(MPI_Irecv(data, -1, MPI_INT, 1, 1, world, &request), "a receive");
    expect_error(MPI_Recv(data, 1, MPI_INT, 1, 1, MPI_COMM_NULL, MPI_STATUS_IGNORE), "no one");
    expect_error(MPI_Comm_dup(MPI_COMM_NULL, &made), "a copy of nothing");
    expect_error(MPI_Bcast(data, 1, MPI_INT, 99, world), "a root that is not there");
    expect_error(MPI_Reduce(data, data + 1, 1, MPI_INT, MPI_OP_NULL, 0, world), "no operation");
    request = MPI_REQUEST_NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
    MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 1, world);
    MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, 1, world, MPI_STATUS_IGNORE);
    MPI_Irecv(data, 1, MPI_INT, MPI_PROC_NULL, 1, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void after_refusals(void)
{
    int data[4] = {0};
    if (rank == 0) {
        refused();
        send_to(1, 1, 1, world);
    } else if (rank == 1) {
        receive_from(0, 0, 1, 1, world);
    }
    MPI_Bcast(data, 1, MPI_INT, 0, world);
    MPI_Allreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM, world);
}

// A message that is too long is received all the same.
static void cut(void)
{
    int data[64];
    if (rank == 0) {
        send_to(1, 2, 50, world);
        send_to(1, 2, 1, world);
    } else if (rank == 1) {
        expect_error(MPI_Recv(data, 2, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE), "a long message");
        tell(0, -1, 2, 200);
        receive_from(0, 0, 2, 1, world);
    }
}

// A receive that is given up takes its message.
static void given_up(void)
{
    static int lost[4], data[4];
    MPI_Request request;
    if (rank == 1) {
        MPI_Irecv(lost, 1, MPI_INT, 0, 3, world, &request);
        MPI_Request_free(&request);
        MPI_Irecv(data, 1, MPI_INT, 0, 3, world, &request);
    }
    MPI_Barrier(world);
    if (rank == 0) {
        send_to(1, 3, 1, world);
        send_to(1, 3, 1, world);
    } else if (rank == 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        tell(0, data[0], 3, 4);
    }
}

// Rank 0 makes communicators with each of the others, by turns.
static void groups(void)
{
    MPI_Group all, group;
    MPI_Comm made;
    MPI_Comm_group(world, &all);
    for (int i = 0; i < 4; i++) {
        int members[] = {0, 1 + i % 2 * (i < 3)};
        MPI_Group_incl(all, 2, members, &group);
        if (rank == members[0] || rank == members[1]) {
            MPI_Comm_create_group(world, group, 8, &made);
            if (rank == 0)
                send_to(1, 4, 1 + i, made);
            else
                receive_from(0, 0, 4, 1 + i, made);
            MPI_Comm_free(&made);
        }
        MPI_Group_free(&group);
    }
    MPI_Group_free(&all);
}

// The counts are those of the own group; behind them nothing can be read.
static void spread(MPI_Comm wide)
{
    int in[2] = {1, 2}, out[2], own = rank == 2 ? 1 : 2;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int *counts = (int *)(pages + page) - own;
    for (int i = 0; i < own; i++)
        counts[i] = 2 / own;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, wide);
    munmap(pages, 2 * page);
}

// Between {0} and {2}, then between {0, 1} and {2}: rank 1 knows of the second only.
static void two_groups(void)
{
    MPI_Comm pair, half, narrow, wide;
    int data = 0;
    MPI_Comm_split(world, rank == 2, rank, &half);
    MPI_Comm_split(world, rank, rank, &pair);
    for (int i = 0; i < 2; i++) {
        if (rank != 1) {
            MPI_Intercomm_create(pair, 0, world, 2 - rank, 5, &narrow);
            if (rank == 0)
                send_to(0, 6, 1, narrow);
            else
                receive_from(0, 0, 6, 1, narrow);
            MPI_Comm_free(&narrow);
        }
        MPI_Intercomm_create(half, 0, world, rank == 2 ? 0 : 2, 5, &wide);
        if (rank == 1)
            send_to(0, 6, 2, wide);
        else if (rank == 2)
            receive_from(1, 1, 6, 2, wide);
        MPI_Bcast(&data, 1, MPI_INT, rank == 2 ? MPI_ROOT : 0, wide);
        spread(wide);
        MPI_Comm_free(&wide);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&pair);
}

static void copies(void)
{
    MPI_Comm first, second;
    MPI_Request requests[2];
    MPI_Comm_idup(world, &first, &requests[0]);
    MPI_Comm_idup(world, &second, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
        send_to(2, 9, 1, second);
        send_to(2, 9, 2, first);
    } else if (rank == 2) {
        receive_from(0, 0, 9, 2, first);
        receive_from(0, 0, 9, 1, second);
    }
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

int main(int argc, char **argv)
{
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    snprintf(name, sizeof name, "truth.%d", rank);
    truth = fopen(name, "w");
    after_refusals();
    cut();
    given_up();
    groups();
    two_groups();
    copies();
    MPI_Barrier(world);
    fclose(truth);
    MPI_Finalize();
    return 0;
}
