// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf place;
#define OWN __attribute__((noinline))
OWN void thrower(int n) { if (n) thrower(n - 1); else longjmp(place, 1); }
OWN int other(int n) { return n + 1; }
OWN int deep(int n) { volatile int x = n; return n ? deep(n - 1) + x : 0; }
static void *thread(void *a) { for (int i = 0; i < 1000; i++) other(i); return a; }
int main(void)
{
    for (volatile int i = 0; i < 5; i++) {
        if (!setjmp(place)) thrower(3);
        other(i);
    }
    deep(20000);
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    if (fork() == 0) { other(1); exit(0); }
    int status;
    wait(&status);
    return 0;
}
