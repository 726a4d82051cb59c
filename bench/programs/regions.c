// SPDX-License-Identifier: MIT
//
// As many threads as possible that each begin a parallel region of their own.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long sum;

static void *one(void *nothing)
{
#pragma omp parallel num_threads(1)
    __atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED);
    return nothing;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 20000;
    for (long i = 0; i < rounds; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, one, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    printf("%ld\n", sum);
    return 0;
}
