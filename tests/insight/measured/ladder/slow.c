/* Rungs of a ladder get longer; each is planed, and the planes are counted. */
#include <stdio.h>
#include <time.h>

#define RUNGS 40

static double length[RUNGS];

static void rest(long microseconds)
{
    struct timespec t = { 0, microseconds * 1000 };
    nanosleep(&t, NULL);
}

static double curl(int rung, int k) { return (rung * 29 + k * 13) % 31 / 31.0; }

static void plane(int rung)
{
    rest(400L * rung); // the plane is driven by a motor
    for (int j = 0; j <= rung; j++) {
        double s = 0;
        for (int k = 0; k < 20; k++)
            s += curl(rung, k) * curl(j, k);
        length[rung] += s;
    }
}

int main(void)
{
    double all = 0;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int i = 0; i < RUNGS; i++)
            plane(i);
#pragma omp for reduction(+ : all)
        for (int i = 0; i < RUNGS; i++)
            all += length[i];
    }
    printf("%.3f\n", all);
    return 0;
}
