/* Rows of a small matrix: one parallel region for all of them. */
#include <math.h>
#include <stdio.h>

#define ROWS 3000
#define COLS 64

static double a[COLS];

static void update_all(void)
{
#pragma omp parallel for num_threads(2) schedule(static)
    for (int c = 0; c < COLS; c++)
        for (int row = 0; row < ROWS; row++)
            a[c] += 1e-3 * sin(row * 0.1 + c);
}

int main(void)
{
    double sum = 0;
    update_all();
    for (int c = 0; c < COLS; c++)
        sum += a[c];
    printf("%.9f\n", sum);
    return 0;
}
