// Monte Carlo: how often do random walks come home? The walk is inside the critical section.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

typedef struct { uint64_t home, steps; } score;

static uint64_t next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

static int walk(uint64_t seed, int length)
{
    int at = 0, visits = 0;
    for (int i = 0; i < length; i++) {
        at += next(&seed) & 1 ? 1 : -1;
        visits += at == 0;
    }
    return visits;
}

static void play(score *s, int walks)
{
#pragma omp parallel for
    for (int i = 0; i < walks; i++) {
#pragma omp critical(board)
        {
            int visits = walk(0x9e3779b97f4a7c15u * (i + 1), 20000);
            s->home += visits;
            s->steps += 20000;
        }
    }
}

int main(void)
{
    score s = {0, 0};
    play(&s, 600);
    printf("%llu of %llu\n", (unsigned long long)s.home, (unsigned long long)s.steps);
    return 0;
}
