/* A driver asks a signal box for the way ahead, and drives on with its answer. */
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static sem_t asked, told;
static double where, way;
static int over;
static double plan(double x) { for (int i = 0; i < 8000; i++) x = 0.3 * x + cos(x + i); return x; }
static void *box(void *n)
{
    for (;;) {
        sem_wait(&asked);
        if (over)
            return n;
        way = plan(where);
        sem_post(&told);
    }
}
int main(void)
{
    pthread_t t;
    double x = 1;
    sem_init(&asked, 0, 0);
    sem_init(&told, 0, 0);
    pthread_create(&t, NULL, box, NULL);
    for (int i = 0; i < 600; i++) {
        where = x;
        sem_post(&asked);
        sem_wait(&told);
        x = plan(x + way);
    }
    over = 1;
    sem_post(&asked);
    pthread_join(t, NULL);
    printf("%f\n", x);
    return 0;
}
