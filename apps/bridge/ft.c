// SPDX-License-Identifier: MIT
//
// Follows a field in three dimensions by its Fourier transform, as FT of the NAS benchmarks does: one region sets
// up, another one has all steps, with a barrier behind each direction of the transform, sums in a critical section,
// and single parts. Known answer: only one thread at a time adds to the sum, and it does so for each line.
#include <complex.h>
#include <math.h>
#include <stdio.h>

enum { SIDE = 32, LINES = SIDE * SIDE, STEPS = 6 };

static double complex start[SIDE][SIDE][SIDE], field[SIDE][SIDE][SIDE], turns[SIDE / 2];

static double complex *cell(int axis, int line, int i)
{
    int a = line / SIDE, b = line % SIDE;
    return axis == 0 ? &field[a][b][i] : axis == 1 ? &field[a][i][b] : &field[i][a][b];
}

static void transform_line(int axis, int line)
{
    double complex row[SIDE];
    for (int i = 0; i < SIDE; i++) {
        int to = 0;
        for (int bit = 1, up = SIDE / 2; bit < SIDE; bit *= 2, up /= 2)
            to |= i & bit ? up : 0;
        row[to] = *cell(axis, line, i);
    }
    for (int n = 2; n <= SIDE; n *= 2)
        for (int from = 0; from < SIDE; from += n)
            for (int k = 0; k < n / 2; k++) {
                double complex a = row[from + k], b = row[from + k + n / 2] * turns[k * (SIDE / n)];
                row[from + k] = a + b;
                row[from + k + n / 2] = a - b;
            }
    for (int i = 0; i < SIDE; i++)
        *cell(axis, line, i) = row[i];
}

static void begin_line(int line)
{
    for (int i = 0; i < SIDE; i++)
        start[line / SIDE][line % SIDE][i] = sin(line * 0.37 + i) + I * cos(line - i * 0.21);
}

static void decay_line(int line, int step)
{
    for (int i = 0; i < SIDE; i++) {
        int x = line / SIDE, y = line % SIDE;
        field[x][y][i] = start[x][y][i] * exp(-1e-4 * step * (x * x + y * y + i * i));
    }
}

int main(void)
{
    double complex sum = 0;
#pragma omp parallel num_threads(2) // set up
    {
#pragma omp for
        for (int k = 0; k < SIDE / 2; k++)
            turns[k] = cexp(-2 * M_PI * I * k / SIDE);
#pragma omp for
        for (int line = 0; line < LINES; line++)
            begin_line(line);
    }
#pragma omp parallel num_threads(2) // steps
    for (int step = 1; step <= STEPS; step++) {
#pragma omp for
        for (int line = 0; line < LINES; line++)
            decay_line(line, step);
        for (int axis = 0; axis < 3; axis++) {
#pragma omp for
            for (int line = 0; line < LINES; line++)
                transform_line(axis, line);
        }
#pragma omp single
        sum = 0;
#pragma omp for
        for (int line = 0; line < LINES; line++) {
#pragma omp critical // sum
            for (int i = 0; i < SIDE; i++)
                sum += *cell(0, line, i) / (SIDE * LINES) * sqrt(1 + i);
        }
#pragma omp single
        printf("%d %.6f %.6f\n", step, creal(sum), cimag(sum));
    }
}
