// A post office: rank 0 hands out letters to the postmen, who stamp them and ask for more.
#include <mpi.h>
#include <stdio.h>

enum { LETTERS = 24000, BAG = 1, PRICE = 1, STAMP = 2 };

static double stamp(int letter)
{
    double ink = letter;
    for (int i = 0; i < 150; i++)
        ink = ink * 0.9999 + 1e-3;
    return ink;
}

static double office(int size)
{
    double letter[BAG], sum = 0;
    int next = 0, out = 0, none = -1;
    MPI_Status status;
    for (int to = 1; to < size; to++, out++, next += BAG)
        MPI_Send(&next, 1, MPI_INT, to, PRICE, MPI_COMM_WORLD);
    while (out > 0) {
        MPI_Recv(letter, BAG, MPI_DOUBLE, MPI_ANY_SOURCE, STAMP, MPI_COMM_WORLD, &status);
        for (int i = 0; i < BAG; i++)
            sum += letter[i];
        if (next >= LETTERS) {
            MPI_Send(&none, 1, MPI_INT, status.MPI_SOURCE, PRICE, MPI_COMM_WORLD);
            out--;
            continue;
        }
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, PRICE, MPI_COMM_WORLD);
        next += BAG;
    }
    return sum;
}

static void postman(void)
{
    double letter[BAG];
    for (;;) {
        int first;
        MPI_Recv(&first, 1, MPI_INT, 0, PRICE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (first < 0)
            return;
        for (int i = 0; i < BAG; i++)
            letter[i] = stamp(first + i);
        MPI_Send(letter, BAG, MPI_DOUBLE, 0, STAMP, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("%.3f\n", office(size));
    else
        postman();
    MPI_Finalize();
    return 0;
}
