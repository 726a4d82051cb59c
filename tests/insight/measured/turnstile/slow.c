// Visitors pass a turnstile: one draws them, another lets them in; a semaphore says that one is in.
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { VISITORS = 700, SIZE = 5000 };

static double visitor[SIZE];
static sem_t there, inside;

static void draw(double *v, int number)
{
    for (int i = 0; i < SIZE; i++)
        v[i] = sin(0.001 * number * i) * cos(0.3 * i);
}

static double admit(const double *v)
{
    double sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += sqrt(fabs(v[i])) * exp(-v[i] * v[i]) * cos(v[i] + i) * pow(1.1 + v[i] * v[i], 0.3);
    return sum;
}

static void *gate(void *total)
{
    for (int n = 0; n < VISITORS; n++) {
        sem_wait(&there);
        *(double *)total += admit(visitor);
        sem_post(&inside);
    }
    return NULL;
}

int main(void)
{
    pthread_t keeper;
    double total = 0;
    sem_init(&there, 0, 0);
    sem_init(&inside, 0, 0);
    pthread_create(&keeper, NULL, gate, &total);
    for (int n = 0; n < VISITORS; n++) {
        draw(visitor, n);
        sem_post(&there);
        sem_wait(&inside);
    }
    pthread_join(keeper, NULL);
    printf("total %.6f\n", total);
    return 0;
}
