// SPDX-License-Identifier: MIT
//
// OpenMP as programs use it: regions in regions, teams of many sizes, tasks that interrupt waits,
// constructs in constructs, regions of several threads of the program at a time. It prints how often it
// executed what, counted by itself: ROW LINE COUNT, of the region that begins in the line.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

static void work(int n)
{
    double x = 1;
    for (int i = 0; i < n * 200; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static int criticals, masters, singles, ordereds;

static void count(int *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static void tell(int line, int user, int implied)
{
    printf("Critical %d %d\nMaster %d %d\nSingle %d %d\nOrdered %d %d\n", line, criticals, line, masters,
           line, singles, line, ordereds);
    printf("User_Barrier %d %d\nImplied_Barrier %d %d\n", line, user, line, implied);
    criticals = masters = singles = ordereds = 0;
}

// An orphaned construct: it belongs to the region that it is called from.
static void one_at_a_time(int n)
{
#pragma omp critical(shared)
    {
        count(&criticals);
        work(n);
    }
}

static void teams_of_many_sizes(void)
{
    int line = __LINE__ + 3, executions = 0;
    for (int n = 8; n >= 1; n /= 2) {
        executions++;
#pragma omp parallel num_threads(n)
        {
            work(omp_get_thread_num());
            one_at_a_time(1);
#pragma omp barrier
#pragma omp master
            {
                count(&masters);
                one_at_a_time(1);
            }
        }
    }
    tell(line, executions, executions - 1); // one thread alone has no barrier to wait at
}

static void regions_in_regions(void)
{
    int line = __LINE__ + 1, inner = line + 6;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            count(&singles);
            work(20);
#pragma omp parallel num_threads(3)
            {
                work(10 * omp_get_thread_num());
#pragma omp critical
                work(5);
            }
            work(20);
        }
    }
    tell(line, 0, 2);
    printf("Critical %d 3\nSingle %d 0\nImplied_Barrier %d 1\n", inner, inner, inner);
}

static void loops(void)
{
    int line = __LINE__ + 2;
    double sum = 0, last = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 30; i++)
            work(1);
#pragma omp for schedule(static, 2)
        for (int i = 0; i < 30; i++)
            work(i);
#pragma omp for schedule(dynamic, 3) reduction(+ : sum)
        for (int i = 0; i < 30; i++)
            sum += i;
#pragma omp for schedule(guided) lastprivate(last)
        for (int i = 0; i < 30; i++)
            last = i;
#pragma omp for schedule(runtime)
        for (int i = 0; i < 30; i++)
            work(1);
#pragma omp for schedule(auto) collapse(2)
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 5; k++)
                work(1);
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 10; i++) {
            work(2);
#pragma omp ordered
            {
                count(&ordereds);
                work(1);
            }
        }
    }
    tell(line, 0, 7);
    if (sum != 435 || last != 29)
        exit(1);
}

static void tasks(void)
{
    int line = __LINE__ + 2, a = 0, b = 0;
    double copied = 0;
#pragma omp parallel num_threads(4) private(copied)
    {
#pragma omp single copyprivate(copied)
        {
            count(&singles);
            copied = 1;
        }
#pragma omp single nowait
        {
            count(&singles);
            for (int i = 0; i < 20; i++)
#pragma omp task
            {
                work(3);
                one_at_a_time(1);
            }
#pragma omp taskgroup
            {
#pragma omp taskloop grainsize(5)
                for (int i = 0; i < 20; i++)
                    work(1);
            }
#pragma omp task depend(out : a)
            a = 1;
#pragma omp task depend(in : a) depend(inout : b)
            b = a + 1;
#pragma omp task depend(mutexinoutset : b)
            work(2);
#pragma omp task depend(mutexinoutset : b)
            work(2);
#pragma omp task if(0)
            work(1);
#pragma omp taskwait
        }
        work((int)copied);
    }
    tell(line, 0, 2);
    if (b != 2)
        exit(1);
}

static void left_and_locked(void)
{
    int line = __LINE__ + 4, found = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock), omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3) if (line > 0)
    {
        omp_set_lock(&lock);
        work(2);
        omp_unset_lock(&lock);
        if (omp_test_lock(&lock))
            omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp sections
        {
#pragma omp section
            work(3);
#pragma omp section
            one_at_a_time(2);
        }
#pragma omp for
        for (int i = 0; i < 30; i++) {
            if (i == 11) {
#pragma omp atomic write
                found = i;
            }
        }
    }
    tell(line, 0, 3);
    line = __LINE__ + 1;
#pragma omp parallel num_threads(3) if (line < 0)
    one_at_a_time(1);
    tell(line, 0, 0);
    omp_destroy_lock(&lock), omp_destroy_nest_lock(&nest);
}

#define BOTH                                                                                       \
    _Pragma("omp parallel num_threads(2)") one_at_a_time(1);                                       \
    _Pragma("omp parallel num_threads(3)") one_at_a_time(1);

static void two_in_a_line(void)
{
    int line = __LINE__ + 1;
    BOTH
    tell(line, 0, 2);
}

static void *of_its_own(void *nothing)
{
    for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2)
        work(20);
    }
    return nothing;
}

static void threads_with_regions(void)
{
    pthread_t threads[3];
    int line = __LINE__ - 9;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, of_its_own, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    tell(line, 0, 60);
}

static void many_threads(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(100)
    {
        one_at_a_time(1);
#pragma omp barrier
    }
    tell(line, 1, 1);
}

int main(void)
{
    omp_set_max_active_levels(3);
    omp_set_dynamic(0);
    teams_of_many_sizes();
    regions_in_regions();
    loops();
    tasks();
    left_and_locked();
    two_in_a_line();
    threads_with_regions();
    many_threads();
    return 0;
}
