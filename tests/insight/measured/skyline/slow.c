/* Heights of a skyline seen from every street: row i looks at i houses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STREETS 400
#define DAYS 4

static double seen_from(const double *height, int street)
{
    double best = 0;
    for (int house = 0; house < street; house++)
        for (int hour = 1; hour <= 8; hour++) {
            double angle = atan2(height[house] * hour, 1.0 + street - house);
            best = angle > best ? angle : best;
        }
    return best;
}

int main(void)
{
    double *height = malloc(STREETS * sizeof *height), *view = calloc(STREETS, sizeof *view);
    for (int i = 0; i < STREETS; i++)
        height[i] = 10 + i * 37 % 83;
    for (int day = 0; day < DAYS; day++) {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < STREETS; i++)
            view[i] += seen_from(height, i);
    }
    double sum = 0;
    for (int i = 0; i < STREETS; i++)
        sum += view[i];
    printf("%.3f\n", sum);
    free(height);
    free(view);
    return 0;
}
