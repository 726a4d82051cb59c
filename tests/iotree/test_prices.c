// SPDX-License-Identifier: MIT
//
// The graph of waits: without a change its times are those of the trace.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "examples.h"
#include "iotree/prices/waits.h"

void check_unchanged(const iot *a)
{
    const wait_graph *g = iot_waits(a, NULL, NULL);
    const trace *t = iot_trace(a);
    wait_change none = {0};
    int64_t *times = calloc(g->n, sizeof *times), wrong = 0;
    CHECK_IS((int64_t)iot_span_under(g, &none, times), iot_span(a));
    for (uint32_t r = 0; r < g->n; r++)
        wrong += times[r] != trace_time(t, r);
    CHECK_IS(wrong, 0);
    free(times);
}

// The span without the waits of one predicate for another.
static int64_t span_without(const iot *a, const char *reader, const char *maker)
{
    const wait_graph *g = iot_waits(a, NULL, NULL);
    const trace *t = iot_trace(a);
    wait_change change = {.without_kinds = bits_allocate(g->nkinds)};
    for (uint32_t k = 0; k < g->nkinds; k++) {
        const wait_kind *kind = &g->kinds_of[k];
        char *r = iot_predicate_text(t, g->all_sites[kind->reader].predicate);
        char *m = iot_predicate_text(t, g->all_sites[kind->maker].predicate);
        if (!strcmp(r, reader) && !strcmp(m, maker))
            bit_set(change.without_kinds, k);
        free(r);
        free(m);
    }
    int64_t span = (int64_t)iot_span_under(g, &change, NULL);
    double spans[2];
    wait_change both[2] = {{0}, change};
    CHECK(iot_spans_under(g, both, 2, spans, NULL, NULL));
    CHECK_IS((int64_t)spans[0], g->span);
    CHECK_IS((int64_t)spans[1], span);
    iot_free_change(&change);
    return span;
}

void test_prices(void)
{
    trace *t = append_run();
    iot *a = analyse(t, NULL);
    check_unchanged(a);
    CHECK_IS(span_without(a, "gen/3", ":=/2"), 6);
    CHECK_IS(span_without(a, "append/3", "gen/3"), 8);
    CHECK_IS(span_without(a, "append/3", "append/3"), 9);
    iot_destroy(a);
    trace_close(t);
    t = reverse_run(true);
    a = analyse(t, NULL);
    check_unchanged(a);
    CHECK_IS(span_without(a, "b/3", "a1/4"), 11);
    CHECK_IS(span_without(a, "a1/4", "gen/3"), 12);
    iot_destroy(a);
    trace_close(t);
}
