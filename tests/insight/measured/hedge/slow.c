// Measures a hedge: the area below a curve by halving the interval until both halves agree.
#include <math.h>
#include <stdio.h>

#define DEPTH 6
#define LEAVES 60000

static double height(double x)
{
    return sqrt(1 + x * x) + sin(30 * x) / (1 + x);
}

static double strip(double from, double to)
{
    double sum = 0, step = (to - from) / LEAVES;
    for (int i = 0; i < LEAVES; i++)
        sum += height(from + (i + 0.5) * step) * step;
    return sum;
}

static double area(double from, double to, int depth)
{
    if (depth == 0)
        return strip(from, to);
    double left, right, middle = (from + to) / 2;
#pragma omp task shared(left)
    left = area(from, middle, depth - 1);
#pragma omp taskwait
#pragma omp task shared(right)
    right = area(middle, to, depth - 1);
#pragma omp taskwait
    return left + right;
}

int main(void)
{
    double sum = 0;
#pragma omp parallel
#pragma omp master
    sum = area(0, 10, DEPTH);
    printf("%.9f\n", sum);
    return 0;
}
