// SPDX-License-Identifier: MIT
//
// Two causes that hide each other. Where two branches of a program go on side by side and both are
// slow, a repair of one of them saves next to nothing, since the other one is as long: only both
// repairs save something.
#ifndef IOTREE_FINDINGS_PAIRS_H
#define IOTREE_FINDINGS_PAIRS_H

#include "iotree/findings/findings.h"
#include "iotree/findings/loops.h"

typedef struct {
    const iot *a;
    const wait_graph *g;
    candidates *c; // priced; most saving first
    loops *l;
    double by_arrivals; // what it saves that merges take what is there first
    // Prices changes; false: cancelled. Further candidates may have been added by then.
    bool (*price)(void *data, const wait_change *changes, uint32_t n, double *ret_spans);
    // Lets the detectors of loops look along the path of `l`. They add to the candidates, at their end.
    void (*look_again)(void *data);
    void *data;
} pair_study;

// A repair that saves less by itself is shown only for the sake of a pair.
bool iot_is_little(const iot *a, int64_t span_without);

// Marks the candidates of which two save much together: their `partner` and `pair_span`. Gives all
// candidates their numbers. False: cancelled.
bool iot_find_pairs(const pair_study *s);

#endif
