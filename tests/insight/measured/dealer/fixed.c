// Cards are dealt in two halves.
#include <stdio.h>
#include <stdlib.h>

static int rank_of(int card, int seed)
{
    return (card * 1103515245 + seed) >> 16 & 51;
}

int main(void)
{
    const int cards = 20000;
    unsigned char *hand = malloc(cards);
    long sum = 0;
    for (int round = 0; round < 2; round++) {
#pragma omp parallel for schedule(static) num_threads(2)
        for (int c = 0; c < cards; c++)
            hand[c] = (unsigned char)rank_of(c, round);
    }
    for (int c = 0; c < cards; c++)
        sum += hand[c];
    printf("%ld\n", sum);
    free(hand);
    return 0;
}
