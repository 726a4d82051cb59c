// Deposits into a vault: the interest is computed while the vault is locked.
#include <math.h>
#include <omp.h>
#include <stdio.h>

struct vault {
    omp_lock_t door;
    double gold;
    long deposits;
};

static double interest(int client, int year)
{
    double money = 100 + client % 17;
    for (int day = 0; day < 3650; day++)
        money *= 1 + 1e-5 * cos(day * 0.01 + year);
    return money;
}

static void deposit(struct vault *v, int client, int year)
{
    omp_set_lock(&v->door);
    v->gold += interest(client, year);
    v->deposits++;
    omp_unset_lock(&v->door);
}

int main(void)
{
    struct vault v = { .gold = 0, .deposits = 0 };
    omp_init_lock(&v.door);
    omp_set_num_threads(2);
    for (int year = 0; year < 2; year++) {
        #pragma omp parallel for schedule(dynamic, 8)
        for (int client = 0; client < 400; client++)
            deposit(&v, client, year);
    }
    omp_destroy_lock(&v.door);
    printf("%.2f in %ld\n", v.gold, v.deposits);
    return 0;
}
