// SPDX-License-Identifier: MIT
//
// A parallel loop in one function, a region in another, and the program choosing what is recorded:
// of the three times that first() runs one is not.
#include <stdio.h>
#include "kpx-bridge/kpx.h"
static double work(double x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 0.999999 + 1e-6;
    return x;
}
static double first(void)
{
    double sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += work(i, 10000);
    return sum;
}
static double second(void)
{
    double sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 100; i++)
            sum += work(i, 10000);
#pragma omp barrier
#pragma omp critical
        sum += work(1, 1000);
    }
    return sum;
}
int main(void)
{
    double sum = first();
    kpx_stop();
    sum += second() + first();
    kpx_start();
    sum += first();
    printf("%.3f\n", sum);
    return 0;
}
