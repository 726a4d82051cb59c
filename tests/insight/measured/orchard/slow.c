// SPDX-License-Identifier: MIT
// In each week trees are pruned, then watered. The first trees take long to prune, the last ones to water.
#include <stdio.h>
#include <unistd.h>

enum { TREES = 24, WEEKS = 8 };
static double shape[TREES], water[TREES];

int main(void)
{
    double all = 0;
    #pragma omp parallel num_threads(4)
    for (int week = 0; week < WEEKS; week++) {
        #pragma omp for schedule(static)
        for (int i = 0; i < TREES; i++) {
            usleep(i < 6 ? 2500 : 500);
            shape[i] += 1.0 / (i + 1 + week);
        }
        #pragma omp for schedule(static)
        for (int i = 0; i < TREES; i++) {
            usleep(i >= 18 ? 2500 : 500);
            water[i] = water[i] * 0.5 + i;
        }
    }
    for (int i = 0; i < TREES; i++)
        all += shape[i] + water[i];
    printf("%.4f\n", all);
    return 0;
}
