/* Rows of a small matrix: a parallel region is started for each of them. */
#include <math.h>
#include <stdio.h>

#define ROWS 3000
#define COLS 64

static double a[COLS];

static void update(int row)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int c = 0; c < COLS; c++)
        a[c] += 1e-3 * sin(row * 0.1 + c);
}

int main(void)
{
    double sum = 0;
    for (int row = 0; row < ROWS; row++)
        update(row);
    for (int c = 0; c < COLS; c++)
        sum += a[c];
    printf("%.9f\n", sum);
    return 0;
}
