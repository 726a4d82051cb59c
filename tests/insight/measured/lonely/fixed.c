// Rows of a table are normalised in one region.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1200
#define M 300

int main(void)
{
    double *w = malloc(N * sizeof *w), *row = calloc(N, sizeof *row), total = 0;
    for (int pass = 0; pass < 3; pass++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for
            for (int i = 0; i < N; i++) {
                double s = 0;
                for (int j = 1; j < M; j++)
                    s += exp(-(double)(i % 97) / j) * pow(j, -1.1);
                w[i] = s;
            }
#pragma omp for schedule(static)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < M; j++)
                    row[i] += w[i] * sin(i * 0.001 + j);
        }
    }
    for (int i = 0; i < N; i++)
        total += row[i];
    printf("%.6f\n", total);
    free(w);
    free(row);
    return 0;
}
