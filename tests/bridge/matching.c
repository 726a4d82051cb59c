// SPDX-License-Identifier: MIT
//
// Exchanges random messages, received in every way there is, and writes down what each receive got, in
// the order of completion, to truth.RANK: a line `FROM NUMBER TAG BYTES` each. NUMBER is that of the
// message among all its sender has sent, which the message itself tells; -1 if it has no bytes.
//
// usage: matching SEED PHASES
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, COMMS = 3, LARGEST = 30000, WAYS = 11 };

typedef struct {
    int from, to; // in the world
    int tag, comm, ints, mode;
} message;

static int rank, ranks, sent;
static MPI_Comm comms[COMMS];
static FILE *truth;

// ---- Chance -----------------------------------------------------------------------------------

typedef uint64_t chance;

static int pick(chance *c, int n)
{
    *c = *c * 6364136223846793005u + 1442695040888963407u;
    return (int)((*c >> 33) % (uint64_t)n);
}

static void shuffle(chance *c, int *at, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = pick(c, i + 1), other = at[k];
        at[k] = at[i];
        at[i] = other;
    }
}

// The second communicator is a copy; in the third the ranks stand in the other order.
static int rank_in(int comm, int world)
{
    return comm == 2 ? ranks - 1 - world : world;
}

static void tell(int comm, const MPI_Status *status, const int *data)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    fprintf(truth, "%d %d %d %d\n", rank_in(comm, status->MPI_SOURCE), bytes > 0 ? data[0] : -1,
            status->MPI_TAG, bytes);
}

// ---- Sending ----------------------------------------------------------------------------------

static void start_send(const message *m, int *data, MPI_Request *request)
{
    MPI_Comm comm = comms[m->comm];
    int to = rank_in(m->comm, m->to);
    data[0] = sent++;
    switch (m->mode) {
    case 0:
        MPI_Issend(data, m->ints, MPI_INT, to, m->tag, comm, request);
        break;
    case 1:
        MPI_Ibsend(data, m->ints, MPI_INT, to, m->tag, comm, request);
        break;
    case 2:
        MPI_Send_init(data, m->ints, MPI_INT, to, m->tag, comm, request);
        MPI_Start(request);
        break;
    case 3:
        MPI_Ssend_init(data, m->ints, MPI_INT, to, m->tag, comm, request);
        MPI_Startall(1, request);
        break;
    default:
        MPI_Isend(data, m->ints, MPI_INT, to, m->tag, comm, request);
        break;
    }
}

static void end_sends(MPI_Request *requests, int n)
{
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
}

// ---- Receiving --------------------------------------------------------------------------------

static int in[MOST][LARGEST];

static void receive_one(const message *m, int way)
{
    MPI_Comm comm = comms[m->comm];
    MPI_Status status;
    MPI_Message probed;
    int count, flag = 0;
    if (way == 0) {
        MPI_Recv(in[0], LARGEST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    } else if (way == 1) {
        MPI_Probe(MPI_ANY_SOURCE, m->tag, comm, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(in[0], count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
    } else {
        while (!flag)
            MPI_Improbe(rank_in(m->comm, m->from), m->tag, comm, &flag, &probed, &status);
        MPI_Mrecv(in[0], LARGEST, MPI_INT, &probed, &status);
    }
    tell(m->comm, &status, in[0]);
}

// specific: the receive names source and tag.
static void post(const message *m, int at, int specific, int persistent, MPI_Request *request)
{
    int from = specific ? rank_in(m->comm, m->from) : MPI_ANY_SOURCE;
    int tag = specific ? m->tag : MPI_ANY_TAG;
    if (persistent) {
        MPI_Recv_init(in[at], LARGEST, MPI_INT, from, tag, comms[m->comm], request);
        MPI_Start(request);
    } else {
        MPI_Irecv(in[at], LARGEST, MPI_INT, from, tag, comms[m->comm], request);
    }
}

static void complete(message **posted, MPI_Request *requests, int n, int way, chance *own)
{
    MPI_Status statuses[MOST];
    int done = 0, some = 0, indices[MOST], flag = 0, order[MOST];
    for (int i = 0; i < n; i++)
        order[i] = i;
    switch (way) {
    case 0:
        MPI_Waitall(n, requests, statuses);
        for (int i = 0; i < n; i++)
            tell(posted[i]->comm, &statuses[i], in[i]);
        break;
    case 1:
    case 2:
        while (done < n) {
            if (way == 1) {
                MPI_Waitany(n, requests, &indices[0], statuses);
                some = 1;
            } else {
                MPI_Testany(n, requests, &indices[0], &some, statuses);
            }
            if (some)
                tell(posted[indices[0]]->comm, &statuses[0], in[indices[0]]);
            done += some;
        }
        break;
    case 3:
    case 4:
        while (done < n) {
            if (way == 3)
                MPI_Waitsome(n, requests, &some, indices, statuses);
            else
                MPI_Testsome(n, requests, &some, indices, statuses);
            for (int i = 0; i < some; i++)
                tell(posted[indices[i]]->comm, &statuses[i], in[indices[i]]);
            done += some;
        }
        break;
    default:
        shuffle(own, order, n);
        for (int i = 0; i < n; i++) {
            for (flag = 0; way == 5 && !flag;)
                MPI_Test(&requests[order[i]], &flag, statuses);
            if (way > 5)
                MPI_Wait(&requests[order[i]], statuses);
            tell(posted[order[i]]->comm, &statuses[0], in[order[i]]);
        }
        break;
    }
}

// A receive that nothing is sent to.
static void cancel_one(void)
{
    MPI_Request request;
    MPI_Irecv(in[0], 1, MPI_INT, MPI_ANY_SOURCE, 99, comms[0], &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int are_alone(message *const *list, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (list[i]->from == list[k]->from && list[i]->tag == list[k]->tag &&
                list[i]->comm == list[k]->comm)
                return 0;
    return 1;
}

static void receive_all(message **list, int n, chance *own)
{
    MPI_Request requests[MOST];
    message *posted[MOST];
    int order[MOST], way = pick(own, WAYS), specific = pick(own, n + 1), persistent = way < 2;
    if (pick(own, 3) == 0)
        cancel_one();
    // Of probed messages those of one channel may overtake each other in Open MPI 4.1.
    if (way >= 8 && (way < 10 || are_alone(list, n))) {
        for (int i = 0; i < n; i++)
            receive_one(list[i], way - 8);
        return;
    }
    for (int i = 0; i < n; i++)
        order[i] = i;
    shuffle(own, order, n);
    for (int i = 0; i < n; i++) { // first those that name what they want: others may not take it away
        posted[i] = list[order[i]];
        post(posted[i], i, i < specific, persistent, &requests[i]);
    }
    complete(posted, requests, n, way % 7, own);
    for (int i = 0; i < n && persistent; i++)
        MPI_Request_free(&requests[i]);
}

// ---- Phases -----------------------------------------------------------------------------------

// Each rank sends to the next one and receives from the one before.
static void ring(chance *all)
{
    MPI_Status status;
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, value = sent++;
    in[0][0] = value;
    if (pick(all, 2))
        MPI_Sendrecv_replace(in[0], 1, MPI_INT, to, 7, from, 7, comms[1], &status);
    else
        MPI_Sendrecv(&value, 1, MPI_INT, to, 7, in[0], 1, MPI_INT, MPI_ANY_SOURCE, 7, comms[1],
                     &status);
    tell(1, &status, in[0]);
}

static void phase(chance *all, chance *own)
{
    static const int sizes[] = {0, 1, 1, 100, 900, 1100, LARGEST};
    static int out[MOST][LARGEST];
    message list[MOST], *mine[MOST];
    MPI_Request requests[MOST];
    int n = 1 + pick(all, MOST), received = 0, started = 0;
    for (int i = 0; i < n; i++) {
        list[i] = (message){pick(all, ranks), pick(all, ranks), pick(all, 3), pick(all, COMMS),
                            sizes[pick(all, 7)], pick(all, 7)};
        if (list[i].to == rank)
            mine[received++] = &list[i];
    }
    for (int i = 0; i < n; i++)
        if (list[i].from == rank) {
            start_send(&list[i], out[started], &requests[started]);
            started++;
        }
    if (received > 0)
        receive_all(mine, received, own);
    end_sends(requests, started);
    MPI_Barrier(MPI_COMM_WORLD); // receives of any tag are over everywhere
    ring(all);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    chance all = (chance)atoi(argv[1]) * 77 + 1, own = all + (chance)rank * 1000003;
    char name[32], *room = malloc(16u << 20);
    int phases = atoi(argv[2]), size;
    MPI_Buffer_attach(room, 16 << 20);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &comms[2]);
    snprintf(name, sizeof name, "truth.%d", rank);
    truth = fopen(name, "w");
    for (int i = 0; i < phases; i++)
        phase(&all, &own);
    MPI_Buffer_detach(&room, &size);
    free(room);
    fclose(truth);
    MPI_Finalize();
    return 0;
}
