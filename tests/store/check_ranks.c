// SPDX-License-Identifier: MIT
//
// The rank test against its definition: all ways to choose which trials are those of group a, one by one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/comparison.h"

enum { MOST = 12, ROUNDS = 3000 };

static int failed;

static double rank_sum(const double *all, int n, unsigned chosen)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        int below = 0, same = 0;
        if (!(chosen >> i & 1))
            continue;
        for (int j = 0; j < n; j++) {
            below += all[j] < all[i];
            same += all[j] == all[i];
        }
        sum += below + (same + 1) / 2.0;
    }
    return sum;
}

static double by_definition(const double *all, int n, int na)
{
    double mean = na * (n + 1) / 2.0, far = fabs(rank_sum(all, n, (1u << na) - 1) - mean);
    int choices = 0, extreme = 0;
    for (unsigned chosen = 0; chosen < 1u << n; chosen++) {
        if (__builtin_popcount(chosen) != na)
            continue;
        choices++;
        extreme += fabs(rank_sum(all, n, chosen) - mean) >= far - 1e-9;
    }
    return (double)extreme / choices;
}

static void check(const char *what, bool good, double got, double wanted)
{
    if (good)
        return;
    failed++;
    printf("%s: got %.15g, wanted %.15g\n", what, got, wanted);
}

int main(void)
{
    srandom(7);
    for (int round = 0; round < ROUNDS; round++) {
        double all[MOST];
        int na = 1 + (int)(random() % 5), nb = 1 + (int)(random() % 5), kinds = 2 + (int)(random() % 20);
        if (na + nb < 3)
            continue;
        for (int i = 0; i < na + nb; i++)
            all[i] = (double)(random() % kinds);
        store_test t = store_rank_test(all, (size_t)na, all + na, (size_t)nb);
        double wanted = by_definition(all, na + nb, na);
        check("p", fabs(t.p - wanted) < 1e-12, t.p, wanted);
        check("verdict", (t.verdict == STORE_DIFFERENT) == (wanted < 0.05), t.verdict, wanted);
    }
    double a[5] = {1, 2, 3, 4, 5}, b[5] = {11, 12, 13, 14, 15}, many[60], more[60];
    check("apart", fabs(store_rank_test(a, 5, b, 5).p - 2 / 252.0) < 1e-12, store_rank_test(a, 5, b, 5).p,
          2 / 252.0);
    check("three of each", store_rank_test(a, 3, b, 3).more == 3, store_rank_test(a, 3, b, 3).more, 3);
    check("one of each", store_rank_test(a, 1, b, 1).verdict == STORE_NO_TEST, 0, 0);
    check("one of each, more", store_rank_test(a, 1, b, 1).more > 0, 0, 3);
    check("alike", store_rank_test(a, 5, a, 5).more == 0, store_rank_test(a, 5, a, 5).more, 0);
    check("nothing", store_rank_test(a, 0, b, 5).verdict == STORE_NO_TEST, 0, 0);
    a[2] = NAN;
    check("not observed", store_rank_test(a, 5, b, 5).verdict == STORE_NO_TEST, 0, 0);
    check("not observed there", store_rank_test(b, 5, a, 5).verdict == STORE_NO_TEST, 0, 0);
    for (int i = 0; i < 60; i++) {
        many[i] = (double)(random() % 1000);
        more[i] = (double)(random() % 1000) + 300;
    }
    check("many", store_rank_test(many, 60, more, 60).verdict == STORE_DIFFERENT, 0, 0);
    printf("%d failed\n", failed);
    return failed != 0;
}
