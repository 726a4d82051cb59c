// SPDX-License-Identifier: MIT
//
// As many threads as possible: one after the other, or so many at once.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long sum;
static pthread_barrier_t all;

static void *one(void *nothing)
{
    __atomic_add_fetch(&sum, 1, __ATOMIC_RELAXED);
    return nothing;
}

static void *one_of_all(void *nothing)
{
    pthread_barrier_wait(&all);
    return one(nothing);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 100000, at_once = argc > 2 ? atol(argv[2]) : 1;
    pthread_t *threads = calloc((size_t)at_once, sizeof *threads);
    pthread_barrier_init(&all, NULL, (unsigned)at_once);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (long i = 0; i < rounds; i++) {
        for (long k = 0; k < at_once; k++)
            if (pthread_create(&threads[k], &small, at_once > 1 ? one_of_all : one, NULL) != 0)
                return 1;
        for (long k = 0; k < at_once; k++)
            pthread_join(threads[k], NULL);
    }
    printf("%ld\n", sum);
    free(threads);
    return 0;
}
