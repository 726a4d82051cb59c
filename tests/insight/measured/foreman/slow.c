// A building site: every day the foreman plans, and then all build.
#include <math.h>
#include <stdio.h>

#define N 3000

static double order[N], wall[N];

static void plan(int day)
{
    for (int i = 0; i < N; i++) {
        double sum = day;
        for (int k = 0; k < 60; k++)
            sum = 0.5 * sum + cos(i + k);
        order[i] = sum;
    }
}

static void build(int i)
{
    for (int k = 0; k < 90; k++)
        wall[i] = 0.5 * wall[i] + sin(order[i] + k);
}

int main(void)
{
#pragma omp parallel
    for (int day = 0; day < 12; day++) {
#pragma omp master
        plan(day);
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < N; i++)
            build(i);
    }
    printf("%.6f\n", wall[7]);
    return 0;
}
