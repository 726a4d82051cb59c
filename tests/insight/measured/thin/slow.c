// A filter that runs in parallel only if the signal is long; the limit is in the wrong unit.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void filter(const double *in, double *out, int n)
{
#pragma omp parallel for if (n > 16000000) num_threads(2)
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = -16; k <= 16; k++)
            s += in[(i + k + n) % n] * cos(k * 0.1);
        out[i] = s;
    }
}

static void scale(double *x, int n)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        x[i] = tanh(x[i] * 0.05);
}

int main(void)
{
    int n = 40000;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = sin(i * 0.01);
    for (int pass = 0; pass < 3; pass++) {
        filter(a, b, n);
        scale(b, n);
        double *c = a;
        a = b;
        b = c;
    }
    for (int i = 0; i < n; i++)
        sum += a[i];
    printf("%.6f\n", sum);
    return 0;
}
