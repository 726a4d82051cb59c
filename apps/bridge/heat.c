// SPDX-License-Identifier: MIT
//
// Heat in a bar whose ends are kept at 1 and 0: Jacobi steps until the bar no longer changes. Prints
// how warm the middle is. Known answer: one loop does all the work, and both threads the same of it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 100001, STEPS = 2000 };

int main(void)
{
    double *now = calloc(CELLS, sizeof *now), *next = calloc(CELLS, sizeof *next);
    if (!now || !next)
        return 1;
    for (int i = 0; i < CELLS; i++)
        now[i] = next[i] = 1 - (double)i / (CELLS - 1) * (double)i / (CELLS - 1);
#pragma omp parallel num_threads(2)
    for (int step = 0; step < STEPS; step++) {
#pragma omp for schedule(static)
        for (int i = 1; i < CELLS - 1; i++)
            next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
#pragma omp single
        {
            double *old = now;
            now = next;
            next = old;
        }
    }
    printf("%.3f\n", now[CELLS / 2]);
    free(now);
    free(next);
    return 0;
}
