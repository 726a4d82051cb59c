// A quarry: stones are sorted by weight, and then carried to the road by gangs.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define STONES 4000
#define GANGS 300

static double weight[STONES];
static long carried[GANGS];

static double weigh(int stone)
{
    double w = stone % 97 + 1;
    for (int i = 0; i < 1500; i++)
        w = w * 1.0000001 + 0.25 / w;
    return w;
}

static int grade(double w)
{
    int g = 0;
    for (int i = 0; i < 9000; i++)
        g += (int)(w * i) & 3;
    return g;
}

static void sort_out(void)
{
#pragma omp parallel for
    for (int s = 0; s < STONES; s++)
        weight[s] = weigh(s);
}

static void carry(void)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int g = 0; g < GANGS; g++) {
        long sum = 0;
        for (int k = 0; k < g / 8; k++)
            sum += grade(weight[(g * 7 + k) % STONES]);
        carried[g] = sum;
    }
}

int main(void)
{
    long total = 0;
#pragma omp parallel for
    for (int s = 0; s < STONES; s++)
        weight[s] = 0;
    sort_out();
    carry();
    for (int g = 0; g < GANGS; g++)
        total += carried[g];
    printf("%ld\n", total);
    return 0;
}
