// SPDX-License-Identifier: MIT
//
// How many points of a grid belong to the Mandelbrot set. Rows differ much in their work, those of
// one thread in the middle of the set more than those of the other. Known answer: with argument
// `bad` (schedule(static), the default) the loop is unbalanced, with `good` (schedule(dynamic)) not.
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 240, COLUMNS = 240, LIMIT = 4000 };

// Rows go from outside of the set to its middle.
static int members(int row)
{
    int count = 0;
    for (int column = 0; column < COLUMNS; column++) {
        double complex c = -2.0 + 2.5 * column / COLUMNS + I * (1.5 - 1.5 * row / ROWS), z = 0;
        int i = 0;
        while (i < LIMIT && creal(z) * creal(z) + cimag(z) * cimag(z) <= 4) {
            z = z * z + c;
            i++;
        }
        count += i == LIMIT;
    }
    return count;
}

// Not inlined: two regions that begin with the same call may become one place in the program.
__attribute__((noinline)) static int count_bad(void)
{
    int total = 0;
#pragma omp parallel for schedule(static) num_threads(2) reduction(+ : total)
    for (int row = 0; row < ROWS; row++)
        total += members(row);
    return total;
}

__attribute__((noinline)) static int count_good(void)
{
    int total = 0;
#pragma omp parallel for schedule(dynamic, 4) num_threads(2) reduction(+ : total)
    for (int row = 0; row < ROWS; row++)
        total += members(row);
    return total;
}

int main(int argc, char **argv)
{
    bool good = argc > 1 && strcmp(argv[1], "good") == 0;
    printf("%d\n", good ? count_good() : count_bad());
    return 0;
}
