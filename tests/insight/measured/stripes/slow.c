/* Stripes are painted on a wall. For each of them a team is called. */
#include <math.h>
#include <stdio.h>

enum { STRIPES = 3000, WIDTH = 200 };

static double wall[STRIPES][WIDTH];

static void paint(int s)
{
#pragma omp parallel for
    for (int x = 0; x < WIDTH; x++)
        wall[s][x] = sqrt(x * (double)s) + 1.0 / (1 + x);
}

int main(void)
{
    double sum = 0;
    for (int s = 0; s < STRIPES; s++)
        paint(s);
    for (int s = 0; s < STRIPES; s += 50)
        sum += wall[s][s % WIDTH];
    printf("%.6f\n", sum);
    return 0;
}
