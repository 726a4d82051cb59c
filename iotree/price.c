// SPDX-License-Identifier: MIT
//
// The price of operations: with unlimited processors by a recomputation, on P processors by simulation.
#include "iotree/prices.h"
#include "iotree/prices/operations.h"
#include "iotree/processors/simulation.h"

static bool price_change(const iot *a, const wait_graph *g, const wait_change *change,
                         uint32_t processors, iot_progress progress, void *data,
                         iot_price_answer *ret)
{
    if (processors == 0) {
        ret->span = (double)g->span;
        ret->span_without = iot_span_under(g, change, NULL);
        return true;
    }
    const wait_change changes[2] = {{0}, *change};
    const iot_machine machine = {processors, 0, 0};
    double spans[2];
    if (!iot_simulated_spans_under(a, g, changes, 2, &machine, spans, progress, data))
        return false;
    ret->span = spans[0];
    ret->span_without = spans[1];
    return true;
}

// A measured run keeps its activities at their places.
static bool has_processors(const trace *t, uint32_t processors, char **ret_error)
{
    if (!trace_is_measured(t) || processors == 0)
        return true;
    *ret_error = base_format("a measured run keeps its work on its %u places: paf report has prices "
                             "on these",
                             trace_nplaces(t));
    return false;
}

iot_price_status iot_price(const iot *a, const iot_operation *operations, uint32_t n,
                           uint32_t processors, iot_progress progress, void *data,
                           iot_price_answer *ret, char **ret_error)
{
    if (!has_processors(a->t, processors, ret_error))
        return IOT_NOT_UNDERSTOOD;
    const wait_graph *g = iot_waits(a, progress, data);
    if (!g)
        return IOT_PRICE_CANCELLED;
    wait_change change;
    iot_price_answer answer = {.said = base_allocate(n, sizeof *answer.said), .nsaid = n};
    iot_price_status status =
        iot_draft_all(a, g, operations, n, &change, answer.said, ret_error);
    if (status == IOT_PRICED) {
        if (!price_change(a, g, &change, processors, progress, data, &answer))
            status = IOT_PRICE_CANCELLED;
        iot_free_change(&change);
    }
    if (status == IOT_PRICED)
        *ret = answer;
    else
        iot_free_price(&answer);
    return status;
}
