// A census: households are counted into the table of their district, then districts are compared.
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { HOUSES = 1200, DISTRICTS = 240 };

static double income[DISTRICTS];
static double unlike[DISTRICTS];

static double ask(int house)
{
    double x = house;
    for (int i = 0; i < 2500; i++)
        x += sin(x) * 0.5;
    return fabs(x);
}

static void count(void)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (int h = 0; h < HOUSES; h++) {
        double x = ask(h);
#pragma omp critical(table)
        income[h % DISTRICTS] += x;
    }
}

static double difference(int a, int b)
{
    double d = income[a] - income[b];
    for (int i = 0; i < 60; i++)
        d = d * 0.99 + cos(d) * 0.01;
    return d * d;
}

static void compare(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int a = 0; a < DISTRICTS; a++) {
        unlike[a] = 0;
        for (int b = 0; b < a; b++)
            unlike[a] += difference(a, b);
    }
}

int main(void)
{
    double sum = 0;
    count();
    compare();
    for (int d = 0; d < DISTRICTS; d++)
        sum += unlike[d];
    printf("%.3f\n", sum);
    return 0;
}
