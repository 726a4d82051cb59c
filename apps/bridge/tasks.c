// SPDX-License-Identifier: MIT
//
// Fibonacci by a tree of tasks, one task a call down to a depth. Known answer: the tasks do all the
// work, and the whole is as long as the longest chain of them.
#include <stdio.h>

static long plain(int n)
{
    return n < 2 ? n : plain(n - 1) + plain(n - 2);
}

static long tree(int n, int depth)
{
    if (depth == 0)
        return plain(n);
    long a, b;
#pragma omp task shared(a)
    a = tree(n - 1, depth - 1);
#pragma omp task shared(b)
    b = tree(n - 2, depth - 1);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    long answer = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    answer = tree(38, 5);
    printf("%ld\n", answer);
    return 0;
}
