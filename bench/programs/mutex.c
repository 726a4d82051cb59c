// SPDX-License-Identifier: MIT
//
// As many locks of a free mutex as possible.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 20000000;
    volatile long sum = 0;
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        sum += i;
        pthread_mutex_unlock(&mutex);
    }
    printf("%ld\n", sum);
    return 0;
}
