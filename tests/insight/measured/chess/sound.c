// Two players: each thinks about the position that the other one leaves. Nothing can be done meanwhile.
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { MOVES = 400 };

struct board {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    double position;
    int turn;
};

static struct board board = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0.5, 0};

static double think(double position, int player)
{
    for (int i = 0; i < 12000; i++)
        position = 0.5 * position + sin(position + 0.001 * i + player);
    return position;
}

static double await(int player)
{
    while (board.turn != player)
        pthread_cond_wait(&board.moved, &board.mutex);
    return board.position;
}

static void *play(void *argument)
{
    int player = *(int *)argument;
    for (int move = 0; move < MOVES; move++) {
        pthread_mutex_lock(&board.mutex);
        double position = await(player);
        pthread_mutex_unlock(&board.mutex);
        position = think(position, player);
        pthread_mutex_lock(&board.mutex);
        board.position = position;
        board.turn = 1 - player;
        pthread_cond_signal(&board.moved);
        pthread_mutex_unlock(&board.mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int players[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, play, &players[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%.9f\n", board.position);
    return 0;
}
