// SPDX-License-Identifier: MIT
//
// Two threads that do all their work in one critical section. Known answer: no parallelism; a thread
// waits for the section half of the time.
#include <stdio.h>

int main(void)
{
    double sum = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 200; i++) {
#pragma omp critical
        for (int k = 0; k < 100000; k++)
            sum += 1.0 / (1 + k);
    }
    printf("%.3f\n", sum);
    return 0;
}
