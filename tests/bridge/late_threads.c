// SPDX-License-Identifier: MIT
//
// Threads that are created first begin last.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    void *(*body)(void *);
    void *argument;
    int late;
} start;

static void *begin(void *data)
{
    start s = *(start *)data;
    usleep((unsigned)s.late * 30000);
    return s.body(s.argument);
}

int pthread_create(pthread_t *t, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    static int made;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    made++;
    start *s = malloc(sizeof *s);
    *s = (start){body, argument, made < 3 ? 4 - made : 0};
    return create(t, attributes, begin, s);
}

// All inner teams are there at once; else the runtime may give the thread of one that has ended to another.
static void meet(int n)
{
    static int here;
    __atomic_fetch_add(&here, 1, __ATOMIC_ACQ_REL);
    for (int i = 0; i < 30000 && __atomic_load_n(&here, __ATOMIC_ACQUIRE) < n; i++)
        usleep(1000);
}

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static, 1) reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            sum += i != omp_get_thread_num();
#pragma omp parallel num_threads(2)
        {
            meet(8);
#pragma omp critical
            sum += 0;
        }
    }
    printf("%d\n", sum);
    return 0;
}
