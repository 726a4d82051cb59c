/* A seesaw: on the left side the first half of the children is heavy, on the right side the second. */
#include <math.h>
#include <stdio.h>

#define N 400

static double left[N], right[N];

static double swing(double x, int weight)
{
    for (int i = 0; i < weight; i++)
        x = 0.99 * x + sin(i);
    return x;
}

int main(void)
{
#pragma omp parallel
    for (int day = 0; day < 10; day++) {
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++)
            left[i] = swing(left[i], i < N / 2 ? 1500 : 300);
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++)
            right[i] = swing(right[i], i < N / 2 ? 300 : 1500);
    }
    printf("%.6f\n", left[3] + right[N - 3]);
    return 0;
}
