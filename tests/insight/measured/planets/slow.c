/* Planets: two threads with a barrier; thread 0 has few bodies. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define BODIES 360
#define STEPS 60

typedef struct { int id, from, to; } part;

static double x[BODIES], v[BODIES], f[BODIES];
static pthread_barrier_t meet;

static void forces(const part *p)
{
    for (int i = p->from; i < p->to; i++) {
        f[i] = 0;
        for (int k = 0; k < i; k++)
            f[i] += (x[k] - x[i]) / (0.1 + fabs(pow(x[k] - x[i], 3)));
    }
}

static void *orbit(void *argument)
{
    part *p = argument;
    for (int s = 0; s < STEPS; s++) {
        forces(p);
        pthread_barrier_wait(&meet);
        for (int i = p->from; i < p->to; i++) {
            v[i] += 1e-4 * f[i];
            x[i] += 1e-3 * v[i];
        }
        pthread_barrier_wait(&meet);
    }
    return NULL;
}

int main(void)
{
    part parts[2] = {{0, 0, BODIES / 2}, {1, BODIES / 2, BODIES}};
    pthread_t t[2];
    for (int i = 0; i < BODIES; i++)
        x[i] = sin(i) * i;
    pthread_barrier_init(&meet, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, orbit, &parts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%.9f\n", x[7]);
    return 0;
}
