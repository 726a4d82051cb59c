// SPDX-License-Identifier: MIT
//
// Mann and Whitney's test: do two groups of trials differ more than their spread explains?
//
// All trials are sorted, and get ranks; equal ones the mean of theirs. If both groups were alike every
// choice of na ranks would be as likely as group a's. The exact probability counts these choices by their
// sum; with many trials the sums are nearly normal.
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "store/comparison.h"

enum {
    MOST_EXACT = 40, // trials of both groups, of which all choices are counted
    LEAST = 4,       // trials of each group with which a test can say anything at 5 %
    MOST_TRIALS = 1000,
};
#define LEVEL   0.05
#define Z_LEVEL 1.959964 // quantiles of the normal distribution: 2.5 % above, 20 % above
#define Z_POWER 0.841621

typedef struct {
    double value;
    bool of_a;
} trial;

static int by_value(const void *x, const void *y)
{
    double a = ((const trial *)x)->value, b = ((const trial *)y)->value;
    return a < b ? -1 : a > b;
}

// Twice the rank of each trial, so that means of two ranks are whole. `ties` gets the sum of t^3 - t over
// groups of t equal trials.
static void rank(trial *trials, size_t n, int *twice, double *ties)
{
    *ties = 0;
    qsort(trials, n, sizeof *trials, by_value);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && trials[j].value == trials[i].value;)
            j++;
        for (size_t k = i; k < j; k++)
            twice[k] = (int)(i + 1 + j);
        double t = (double)(j - i);
        *ties += t * t * t - t;
    }
}

// The share of all choices of na of the n ranks whose sum is at least as far from the mean as `sum`.
static double exact(const int *twice, size_t n, size_t na, int sum)
{
    int total = 0;
    for (size_t i = 0; i < n; i++)
        total += twice[i];
    size_t width = (size_t)total + 1;
    double *ways = base_allocate((na + 1) * width, sizeof *ways); // by how many are chosen, by their sum
    ways[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1 < na ? i + 1 : na; k > 0; k--)
            for (size_t s = width - 1; s >= (size_t)twice[i]; s--)
                ways[k * width + s] += ways[(k - 1) * width + s - (size_t)twice[i]];
    double mean = (double)total * (double)na / (double)n, far = fabs(sum - mean), all = 0, extreme = 0;
    for (size_t s = 0; s < width; s++) {
        double here = ways[na * width + s];
        all += here;
        if (fabs((double)s - mean) >= far - 1e-9)
            extreme += here;
    }
    free(ways);
    return extreme / all;
}

static double nearly_normal(size_t n, size_t na, int64_t sum, double ties)
{
    double a = (double)na, b = (double)(n - na), all = (double)n;
    double u = (double)sum / 2 - a * (a + 1) / 2, variance = a * b / 12 * (all + 1 - ties / (all * (all - 1)));
    if (variance <= 0)
        return 1;
    double far = fabs(u - a * b / 2) - 0.5;
    return erfc((far > 0 ? far : 0) / sqrt(2 * variance));
}

// effect: how often a trial of a is above one of b.
static uint32_t trials_needed(double effect)
{
    double off = effect - 0.5;
    if (fabs(off) < 0.05)
        return 0; // there is hardly a difference to show
    // Noether: N = (z + z')^2 / (12 c (1 - c) off^2) of both groups, with c = 1/2.
    double each = (Z_LEVEL + Z_POWER) * (Z_LEVEL + Z_POWER) / (3 * off * off) / 2;
    each = ceil(each);
    return each < LEAST ? LEAST : each > MOST_TRIALS ? 0 : (uint32_t)each;
}

static bool are_known(const double *trials, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(trials[i]))
            return false;
    return true;
}

// What was not observed in one of the trials has no rank.
store_test store_rank_test(const double *a, size_t na, const double *b, size_t nb)
{
    size_t n = na + nb, most = na > nb ? na : nb;
    store_test result = {STORE_NO_TEST, NAN, 0};
    if (!na || !nb || !are_known(a, na) || !are_known(b, nb))
        return result;
    trial *trials = base_allocate(n, sizeof *trials);
    int *twice = base_allocate(n, sizeof *twice);
    int64_t sum = 0;
    double ties;
    for (size_t i = 0; i < n; i++)
        trials[i] = i < na ? (trial){a[i], true} : (trial){b[i - na], false};
    rank(trials, n, twice, &ties);
    for (size_t i = 0; i < n; i++)
        sum += trials[i].of_a ? twice[i] : 0;
    double effect = ((double)sum / 2 - (double)na * ((double)na + 1) / 2) / ((double)na * (double)nb);
    if (na > 1 || nb > 1) {
        result.p = n <= MOST_EXACT ? exact(twice, n, na, (int)sum) : nearly_normal(n, na, sum, ties);
        result.verdict = result.p < LEVEL ? STORE_DIFFERENT : STORE_NOISE;
    }
    if (result.verdict != STORE_DIFFERENT) {
        uint32_t needed = trials_needed(effect);
        result.more = needed > most ? needed - (uint32_t)most : 0;
    }
    free(trials);
    free(twice);
    return result;
}
