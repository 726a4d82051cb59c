// SPDX-License-Identifier: MIT
//
// A program with OpenMP that a signal ends, as its first argument says; with a second one after a region.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double x[64];
static volatile int *volatile nowhere;

static void work(void)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++)
        x[i] += i;
}

static int descend(int n)
{
    volatile char room[4096];
    room[n % 4096] = (char)n; // deep
    return descend(n + 1) + room[0];
}

static void go_on(int number)
{
    signal(number, SIG_DFL);
    write(1, "seen\n", 5);
    _exit(7);
}

int main(int argc, char **words)
{
    const char *how = words[1];
    if (argc > 2)
        work();
    if (strcmp(how, "write") == 0)
        *nowhere = 1; // write
    if (strcmp(how, "copy") == 0)
        memcpy((void *)nowhere, x, 100 + (size_t)argc); // copy
    if (strcmp(how, "abort") == 0)
        abort(); // abort
    if (strcmp(how, "deep") == 0)
        return descend(argc);
    if (strcmp(how, "own") == 0) {
        signal(SIGSEGV, go_on);
        *nowhere = 1;
    }
    if (strcmp(how, "ask") == 0)
        raise(SIGTERM);
}
