/* A kiosk prints tickets; short queues are not worth a team, it was once found. */
#include <stdio.h>
#include <time.h>

enum { LONG_QUEUE = 5000, TICKETS = 40, DAYS = 5 };

static double printed[TICKETS];

static void rest(long microseconds)
{
    struct timespec t = { 0, microseconds * 1000 };
    nanosleep(&t, NULL);
}

static double print_one(int day, int ticket)
{
    rest(1500); // the printer's
    return day * 0.5 + ticket % 7;
}

static void serve(int day, int queue)
{
#pragma omp parallel for if (queue > LONG_QUEUE)
    for (int t = 0; t < queue; t++)
        printed[t] = print_one(day, t);
}

int main(void)
{
    double ink = 0;
    for (int day = 0; day < DAYS; day++) {
        serve(day, TICKETS - day);
        for (int t = 0; t < TICKETS; t++)
            ink += printed[t];
    }
    printf("%.6f\n", ink);
    return 0;
}
