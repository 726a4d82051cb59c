// Nothing to remove: equal rows, a reduction, two threads.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const int n = 1000;
    double *a = malloc(n * sizeof *a), sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = i * 0.01;
    for (int step = 0; step < 20; step++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
        for (int i = 0; i < n; i++) {
            double x = a[i];
            for (int k = 0; k < 200; k++)
                x = 0.5 * x + cos(x);
            a[i] = x;
            sum += x;
        }
    }
    printf("%.6f\n", sum);
    free(a);
    return 0;
}
