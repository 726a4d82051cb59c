// SPDX-License-Identifier: MIT
//
// The run again as operations (iotree/prices.h) make it: not only its span, but how much ran when and, on
// processors, what ran where. What a view draws of an answer.
#ifndef IOTREE_RERUN_H
#define IOTREE_RERUN_H

#include "iotree/prices.h"
#include "iotree/simulate.h"

// How much ran in each stretch of time, as sums: stretch i is [i * width, (i + 1) * width), and what
// ran before it sums up to sums[i]. What ends at step t runs in the step [t, t + 1), as in
// iot_profile().
typedef struct {
    int64_t width; // a power of two; 1 unless the run is very long
    uint32_t n;    // stretches
    double *sums;  // n + 1
} run_curve;

// The mean over [from, to), whatever stretches these are.
double iot_curve_mean(const run_curve *c, double from, double to);

// To make one: begin with the span, add intervals (from, to], end.
run_curve iot_curve_begin(double span);
void iot_curve_add(run_curve *c, double from, double to);
void iot_curve_end(run_curve *c);

typedef struct {
    iot_clock clock; // of the times: virtual; of a measured run real
    iot_price_answer price;
    run_curve curve;
    iot_schedule schedule; // on processors; else n is 0
} iot_rerun;

// As iot_price(), whose error texts these are.
iot_price_status iot_run_again(const iot *a, const iot_operation *operations, uint32_t n,
                               uint32_t processors, iot_progress progress, void *data,
                               iot_rerun *ret, char **ret_error);
void iot_free_rerun(iot_rerun *r);

// The time that it takes then on each of these machines. Not of measured runs.
iot_price_status iot_times_on(const iot *a, const iot_operation *operations, uint32_t n,
                              const uint32_t *processors, uint32_t nmachines, iot_progress progress,
                              void *data, double *ret_spans, char **ret_error);

// Of a measured run, as iot_price(); the curve too unless ret_curve is NULL.
iot_price_status iot_rerun_measured(const iot *a, const iot_operation *operations, uint32_t n,
                                    uint32_t processors, iot_progress progress, void *data,
                                    iot_price_answer *ret, run_curve *ret_curve, char **ret_error);

#endif
