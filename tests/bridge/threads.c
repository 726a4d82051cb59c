// SPDX-License-Identifier: MIT
//
// Two threads wait for each other in every way. test_threads.py says what each wait is.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "asleep.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static pthread_barrier_t b;
static int ready;
static int for_lock, for_signal, for_post, for_byte; // threads that are about to wait
static void *worker(void *p)
{
    long k = (long)p;
    pthread_barrier_wait(&b); // barrier
    if (k == 0) {
        pthread_mutex_lock(&m);
        pthread_barrier_wait(&b); // barrier
        until_asleep(&for_lock);
        pthread_mutex_unlock(&m);
        pthread_barrier_wait(&b); // barrier
        pthread_mutex_lock(&m);
        about_to_wait(&for_signal);
        while (!ready)
            pthread_cond_wait(&c, &m); // condition
        pthread_mutex_unlock(&m);
        about_to_wait(&for_post);
        sem_wait(&s); // semaphore
    } else {
        pthread_barrier_wait(&b); // barrier
        about_to_wait(&for_lock);
        pthread_mutex_lock(&m); // lock
        pthread_mutex_unlock(&m);
        pthread_barrier_wait(&b); // barrier
        until_asleep(&for_signal);
        pthread_mutex_lock(&m);
        ready = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
        until_asleep(&for_post);
        sem_post(&s);
    }
    return NULL;
}

static void *reader(void *p)
{
    char byte;
    about_to_wait(&for_byte);
    return read(*(int *)p, &byte, 1) == 1 ? p : NULL; // I/O wait
}

int main(void)
{
    pthread_t t[3];
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    sem_init(&s, 0, 0);
    pthread_barrier_init(&b, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    pthread_create(&t[2], NULL, reader, &ends[0]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL); // join
    until_asleep(&for_byte);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(t[2], NULL); // join
    for (int i = 0; i < 1000; i++) { // nobody waits: not recorded
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    puts("done");
    return 0;
}
