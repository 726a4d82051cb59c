/* Two teams of cells pulse in turn: the left half works hard in even steps, the right half in odd.
 * Cells look at no neighbour. */
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { CELLS = 40, STEPS = 8 };
static double cell[CELLS];

static void pulse(int c, int work)
{
    double x = cell[c];
    for (int k = 0; k < work; k++)
        x += sin(x + k);
    cell[c] = x;
}

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num(), from = me * CELLS / 2, to = from + CELLS / 2;
        for (int step = 0; step < STEPS; step++) {
            int work = step % 2 == me ? 9000 : 1000;
            for (int c = from; c < to; c++)
                pulse(c, work);
        }
    }
    double sum = 0;
    for (int c = 0; c < CELLS; c++)
        sum += cell[c];
    printf("%.6f\n", sum);
    return 0;
}
