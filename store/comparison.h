// SPDX-License-Identifier: MIT
//
// Conditions compared, function by function: means over trials, what differs, in which order to look at it,
// and whether the trials tell a difference from noise.
#ifndef STORE_COMPARISON_H
#define STORE_COMPARISON_H

#include "store/store.h"

// Of the trials of one condition. A trial in which a function was not called counts as 0.
typedef struct {
    size_t ntrials;
    const double *trials;
    double mean, deviation; // standard deviation of one trial; NaN for a single one
} store_figure;

// Of trials that stay the caller's.
store_figure store_figure_of(const double *trials, size_t n);

typedef struct {
    char *application, *name;
    int64_t id;
    size_t ntrials, nabnormal;       // nabnormal: did not end as the program does
    store_figure elapsed, span, cpu; // cpu: user and system time; no trials: not observed
    double total;                    // what shares are of: elapsed time of all places, or work
    char *unit;                      // "ns" or "steps"
} store_condition;

typedef enum {
    STORE_NO_TEST,   // a condition has a single trial, or none
    STORE_NOISE,     // no difference beyond noise
    STORE_DIFFERENT, // a rank test says so, at 5 %
} store_verdict;

// Of two groups of trials.
typedef struct {
    store_verdict verdict;
    double p;      // of the rank test of Mann and Whitney, two-sided, exact up to 40 trials; NaN: no test
    uint32_t more; // trials that each condition would need beside those it has, for a difference as large
                   // as this one to show; 0: none, or none that helps
} store_test;

typedef struct {
    int64_t id;
    char *kind, *name, *signature;
    int64_t ordinal;
    const store_figure *figures;   // by condition
    bool only_slower, only_faster; // it is in one of the two conditions only
    double difference, ratio;      // slower - faster, slower / faster; ratio may be infinite
    double share;                  // of the slower condition's total; NaN: the figures are no times
    double order; // m = t_a log(t_a / t_b), a the slower condition; what only one has: its time
    store_test test;
} store_compared;

typedef struct store_comparison {
    const store_condition *conditions;
    size_t nconditions;
    size_t slower, faster; // by mean elapsed time, else span; of two that are alike the first is `slower`
    bool alike;
    const char *unit; // of the figures
    store_test test;  // of the whole run
    const store_compared *functions;
    size_t nfunctions;
    // The function with the largest share of both conditions, and which differs most. Index or SIZE_MAX.
    size_t most_slower, most_faster, most_different;
} store_comparison;

// conditions: "KEY=VALUE,..." with all keys that are needed to name one, or "" for the one without keys.
// application: NULL if there is one only. kind: functions of a kind only; NULL: all but modules of which
// there are predicates. metric: NULL (exclusive time; of runs on the ideal
// machine "critical"), "exclusive", "inclusive", "calls" or the name of a metric.
// NULL and store_error() if conditions are not to be compared, or are not there.
store_comparison *store_compare(store *s, const char *application, const char *const *conditions, size_t n,
                                const char *kind, const char *metric);
void store_comparison_free(store_comparison *c); // may be NULL

// The two-sided probability of ranks as different as those of a and b, if both were alike, and the number
// of trials of each that would show such a difference (Noether, "Sample size determination for some common
// nonparametric tests", 1987: at 5 %, in four of five cases).
store_test store_rank_test(const double *a, size_t na, const double *b, size_t nb);

#endif
