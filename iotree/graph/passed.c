// SPDX-License-Identifier: MIT
//
// What a binding passed on was bound before it, so one pass finds the weights.
#include "iotree/graph/passed.h"

enum { LIGHT = 8 }; // bindings that reading a light one means, itself included, at most

void iot_ensure_passed(iot *a)
{
    const trace *t = a->t;
    uint32_t n = trace_nbindings(t);
    if (a->passed.known)
        return;
    a->passed.known = true;
    uint8_t *weight = NULL;
    for (uint32_t b = 0; b < n; b++) {
        const uint32_t *variables;
        uint32_t npassed = trace_passed(t, b, &variables), sum = 1;
        if (npassed > 0 && !weight) {
            weight = base_allocate(n, sizeof *weight);
            memset(weight, 1, b);
        }
        for (uint32_t i = 0; i < npassed && sum <= LIGHT; i++)
            sum += weight[trace_cell_binding(t, variables[i])];
        if (sum > LIGHT && !a->passed.heavy)
            a->passed.heavy = bits_allocate(n);
        if (sum > LIGHT)
            bit_set(a->passed.heavy, b);
        if (weight)
            weight[b] = sum > LIGHT ? 1 : (uint8_t)sum;
    }
    a->passed.any = weight != NULL;
    free(weight);
}
