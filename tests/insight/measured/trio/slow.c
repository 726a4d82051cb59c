/* A trio plays: the first part is longer than the two others together. */
#include <math.h>
#include <stdio.h>

static double heard[6];

static void play(int from, int to)
{
    for (int part = from; part < to; part++)
        for (int note = 0; note < 60000; note++)
            heard[part] = 0.9 * heard[part] + sin(note * (part + 1));
}

int main(void)
{
    for (int piece = 0; piece < 6; piece++) {
#pragma omp parallel sections
        {
#pragma omp section
            play(0, 4);
#pragma omp section
            play(4, 5);
#pragma omp section
            play(5, 6);
        }
    }
    printf("%.6f\n", heard[0] + heard[5]);
    return 0;
}
