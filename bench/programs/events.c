// SPDX-License-Identifier: MIT
//
// As many events as possible: what one thread does in a region is nothing but a critical section.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1000000, sum = 0;
#pragma omp parallel num_threads(1)
    for (long i = 0; i < rounds; i++) {
#pragma omp critical
        sum += i;
    }
    printf("%ld\n", sum);
    return 0;
}
