// SPDX-License-Identifier: MIT
//
// Every construct of OpenMP that has a row in the statistics, with counts that are known. Whoever holds
// something sleeps, so that its times are at least those of the sleeps.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, STEP = 2000 }; // microseconds

static void region_of_synchronisation(void)
{
    int shared = 0;
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp master
        usleep(STEP);
#pragma omp barrier
#pragma omp single
        {
            usleep(2 * STEP);
#pragma omp critical(inner)
            usleep(STEP);
        }
#pragma omp critical
        usleep(STEP);
#pragma omp barrier
#pragma omp atomic
        shared++;
    }
    printf("%d\n", shared);
}

static void region_of_loops(void)
{
    int sum = 0, last = 0;
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 18; i++)
            usleep(STEP / 10);
#pragma omp for schedule(static, 2)
        for (int i = 0; i < 20; i++)
            usleep(STEP / 10);
#pragma omp for schedule(dynamic, 3) reduction(+ : sum)
        for (int i = 0; i < 24; i++) {
            usleep(STEP / 10);
            sum += i;
        }
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < 40; i++)
            usleep(STEP / 20);
#pragma omp for ordered schedule(dynamic, 1) lastprivate(last)
        for (int i = 0; i < 8; i++) {
            usleep(STEP / 10);
#pragma omp ordered
            usleep(STEP / 4);
            last = i;
        }
#pragma omp sections
        {
#pragma omp section
            usleep(STEP);
#pragma omp section
            usleep(STEP);
        }
    }
    printf("%d %d\n", sum, last);
}

static void region_of_tasks(void)
{
    int a = 0, b = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        for (int i = 0; i < 6; i++)
#pragma omp task
            usleep(STEP / 2);
#pragma omp taskwait
#pragma omp task depend(out : a)
        a = 1;
#pragma omp task depend(in : a) depend(out : b)
        b = a + 1;
#pragma omp task depend(in : b)
        usleep(STEP);
    }
    printf("%d\n", b);
}

int main(void)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
    region_of_synchronisation();
    for (int i = 0; i < 2; i++)
        region_of_loops();
    region_of_tasks();
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&lock);
        usleep(STEP);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return 0;
}
