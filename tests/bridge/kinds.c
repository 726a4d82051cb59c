// SPDX-License-Identifier: MIT
//
// Constructs of OpenMP that programs seldom have: nested regions, teams, locks of both kinds, tasks with
// dependences and groups, loops whose iterations depend on each other, cancellation. Each is named by
// its line in the tests.
#include <omp.h>
#include <stdio.h>
static volatile double sink;

static double work(int n)
{
    double x = 1;
    for (int i = 0; i < n; i++)
        x = x * 0.999999 + 1e-6;
    sink = x;
    return x;
}


static void sections(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        work(20000);
#pragma omp section
        work(10000);
#pragma omp section
        work(10000);
    }
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
    {
        work(1000);
#pragma omp parallel num_threads(2)
        {
            work(10000);
#pragma omp barrier
            work(5000);
        }
    }
}

static void ordered(void)
{
#pragma omp parallel for ordered num_threads(2) schedule(static, 1)
    for (int i = 0; i < 8; i++) {
        work(1000);
#pragma omp ordered
        work(500);
    }
}

static void locks(void)
{
    omp_lock_t l;
    omp_nest_lock_t n;
    omp_init_lock(&l);
    omp_init_nest_lock(&n);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 3; i++) {
        omp_set_lock(&l);
        work(3000);
        omp_unset_lock(&l);
        omp_set_nest_lock(&n);
        omp_set_nest_lock(&n);
        work(2000);
        omp_unset_nest_lock(&n);
        omp_unset_nest_lock(&n);
        if (omp_test_lock(&l)) {
            work(100);
            omp_unset_lock(&l);
        }
#pragma omp critical(named)
        work(1000);
    }
    omp_destroy_lock(&l);
    omp_destroy_nest_lock(&n);
}

static int atomic(void)
{
    int x = 0;
    double d = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 3; i++) {
#pragma omp atomic
        x++;
#pragma omp atomic
        d += x;
    }
    return x;
}

static void tasks(void)
{
    int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task depend(out : a)
        {
            work(20000);
            a = 1;
        }
#pragma omp task depend(in : a) depend(out : b)
        {
            work(10000);
            b = a;
        }
#pragma omp task depend(in : a) depend(out : c)
        {
            work(10000);
            c = a;
        }
#pragma omp taskwait
#pragma omp taskgroup
        {
#pragma omp task
            {
                work(10000);
#pragma omp task
                work(10000);
            }
        }
#pragma omp taskloop grainsize(10)
        for (int i = 0; i < 40; i++)
        work(1000);
#pragma omp task if(0)
        work(1000);
    }
}

static void target(void)
{
    double x = 0;
#pragma omp target map(tofrom : x)
    {
#pragma omp parallel num_threads(2)
#pragma omp critical
        x += 1;
    }
    sink = x;
}

static void host_teams(void)
{
#pragma omp teams num_teams(2)
    {
        work(1000);
#pragma omp distribute parallel for num_threads(2)
    for (int i = 0; i < 16; i++)
        work(1000);
    }
}

static void cancel(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for schedule(static)
    for (int i = 0; i < 100; i++) {
        work(1000);
#pragma omp cancel for if (i == 20)
    }
}

static double schedules(void)
{
    double s = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 3) reduction(+ : s)
    for (int i = 0; i < 20; i++)
        s += work(500);
#pragma omp for schedule(guided, 2) nowait
    for (int i = 0; i < 50; i++)
        work(500);
#pragma omp for schedule(auto)
    for (int i = 0; i < 50; i++)
        work(500);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 50; i++)
        work(500);
#pragma omp for collapse(2) schedule(dynamic, 5)
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 6; k++)
            work(500);
#pragma omp for ordered(1)
    for (int i = 1; i < 9; i++) {
#pragma omp ordered depend(sink : i - 1)
        work(500);
#pragma omp ordered depend(source)
    }
#pragma omp single
      work(100);
#pragma omp masked filter(1)
      work(100);
    }
    return s;
}

int main(void)
{
    omp_set_max_active_levels(3);
    sections();
    nested();
    ordered();
    locks();
    atomic();
    tasks();
    host_teams();
    target();
    cancel();
    schedules();
    puts("done");
    return 0;
}
