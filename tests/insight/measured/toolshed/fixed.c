/* A shed with tools: jobs of different kinds wait in a ring; workers of a pool take one and do it. The
   ring is unlocked while a job is done. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define JOBS 400

typedef double (*tool)(int);

struct job {
    tool use;
    int argument;
};

static struct {
    struct job jobs[JOBS];
    int first, last, closed;
    double done;
    pthread_mutex_t mutex;
    pthread_cond_t more;
} shed = {.mutex = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static double saw(int n)
{
    double x = 1;
    for (int i = 0; i < 9000 + n; i++)
        x = 0.9 * x + sqrt(x + i);
    return x;
}

static double drill(int n)
{
    double x = n;
    for (int i = 1; i < 7000; i++)
        x += sin(x / i);
    return x;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&shed.mutex);
    for (;;) {
        while (shed.first == shed.last && !shed.closed)
            pthread_cond_wait(&shed.more, &shed.mutex);
        if (shed.first == shed.last)
            break;
        struct job job = shed.jobs[shed.first++];
        pthread_mutex_unlock(&shed.mutex);
        double done = job.use(job.argument);
        pthread_mutex_lock(&shed.mutex);
        shed.done += done;
    }
    pthread_mutex_unlock(&shed.mutex);
    return unused;
}

static void put(tool use, int argument)
{
    pthread_mutex_lock(&shed.mutex);
    shed.jobs[shed.last++] = (struct job){use, argument};
    pthread_cond_signal(&shed.more);
    pthread_mutex_unlock(&shed.mutex);
}

int main(void)
{
    pthread_t pool[2];
    for (int i = 0; i < JOBS; i++)
        put(i % 3 ? saw : drill, i);
    shed.closed = 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&pool[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(pool[i], NULL);
    printf("done %.3f\n", shed.done);
    return 0;
}
