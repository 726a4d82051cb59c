/* Coupon collector: a histogram of sums. Threads add to the total one item at a time. */
#include <stdio.h>
#include <stdlib.h>

static unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20000;
    unsigned long total = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++) {
        unsigned value = 0;
        for (int k = 0; k < 40; k++)
            value += hash(i * 40u + k) & 15;
#pragma omp critical
        total += value;
    }
    printf("%lu\n", total);
    return 0;
}
