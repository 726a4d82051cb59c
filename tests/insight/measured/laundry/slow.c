// SPDX-License-Identifier: MIT
// Loads of washing are soaked, washed and hung up. All of them go through one basket.
#include <stdio.h>
#include <unistd.h>

enum { LOADS = 24, BASKETS = 8 };
static long basket[BASKETS], hung[LOADS];

static void soak(long *b, int load)
{
    usleep(2000);
    *b = load * 7 + 1;
}

static void wash(long *b)
{
    usleep(3000);
    *b = *b * *b % 1009;
}

static long hang_up(const long *b)
{
    usleep(1500);
    return *b + 3;
}

int main(void)
{
    long sum = 0;
    #pragma omp parallel num_threads(4)
    #pragma omp single
    for (int i = 0; i < LOADS; i++) {
        long *b = &basket[0];
        #pragma omp task depend(out: *b) firstprivate(b, i)
        soak(b, i);
        #pragma omp task depend(inout: *b) firstprivate(b)
        wash(b);
        #pragma omp task depend(in: *b) firstprivate(b, i)
        hung[i] = hang_up(b);
    }
    for (int i = 0; i < LOADS; i++)
        sum = sum * 3 % 100003 + hung[i];
    printf("%ld\n", sum);
    return 0;
}
