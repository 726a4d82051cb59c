/* Harvest of fields of different sizes, compiled by gcc; sections of unequal length. */
#include <math.h>
#include <stdio.h>

static double field(int acres, double weather)
{
    double corn = 0;
    for (int a = 0; a < acres; a++)
        for (int plant = 0; plant < 1000; plant++)
            corn += fabs(sin(a * weather + plant));
    return corn;
}

int main(void)
{
    double north = 0, south = 0;
    int acres[40];
    for (int i = 0; i < 40; i++)
        acres[i] = i < 20 ? 5 : 70;
    double total = 0;
    #pragma omp parallel for num_threads(2) reduction(+ : total)
    for (int i = 0; i < 40; i++)
        total += field(acres[i], 0.7 + i);
    #pragma omp parallel sections num_threads(2)
    {
        #pragma omp section
        north = field(300, 0.3);
        #pragma omp section
        south = field(280, 0.4);
    }
    printf("%.3f %.3f %.3f\n", total, north, south);
    return 0;
}
