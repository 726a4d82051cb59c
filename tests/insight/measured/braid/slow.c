/* Strands are braided block by block. Every task names one token, so they run in turn. */
#include <math.h>
#include <stdio.h>

#define STRANDS 24
#define LENGTH 60000

static double strand[STRANDS];

static void twist(int s)
{
    double x = s;
    for (int i = 0; i < LENGTH; i++)
        x = sin(x) + 1.5 * cos(x * 0.5);
    strand[s] += x;
}

int main(void)
{
    char token = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < STRANDS; s++) {
#pragma omp task depend(inout : token) firstprivate(s)
            twist(s);
        }
    double sum = token;
    for (int s = 0; s < STRANDS; s++)
        sum += strand[s];
    printf("%.6f\n", sum);
    return 0;
}
