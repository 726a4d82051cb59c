#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A report in order, line by line. Each line takes a while to compute. */

struct line { int number; double value; };

static struct line compute(int number)
{
    double v = number;
    for (int i = 0; i < 40000; i++)
        v = sqrt(v * v + i) - 0.5 * sin(v);
    struct line l = { number, v };
    return l;
}

static void print(FILE *out, struct line l)
{
    fprintf(out, "%4d %.6f\n", l.number, l.value);
}

int main(void)
{
    FILE *out = fopen("/dev/null", "w");
    if (!out)
        return 1;
    #pragma omp parallel num_threads(2)
    {
        #pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 60; i++) {
            struct line l = compute(i);
            #pragma omp ordered
            print(out, l);
        }
    }
    fclose(out);
    puts("60 lines");
    return 0;
}
