/* Errands: somebody is sent for each of them, and the next one is sent when that one is back. */
#include <math.h>
#include <stdio.h>

enum { ERRANDS = 80 };

static double bought[ERRANDS];

static void run_errand(int i)
{
    double way = i;
    for (int step = 0; step < 15000 + 50 * (i % 7); step++)
        way = 0.99 * way + sin(step);
    bought[i] = way;
}

int main(void)
{
    double sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < ERRANDS; i++) {
#pragma omp task firstprivate(i)
        run_errand(i);
    }
    for (int i = 0; i < ERRANDS; i++)
        sum += bought[i];
    printf("%.6f\n", sum);
    return 0;
}
