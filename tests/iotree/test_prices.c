// SPDX-License-Identifier: MIT
//
// The graph of waits: without a change its times are those of the trace.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "examples.h"
#include "iotree/prices/waits.h"

static uint32_t roll(uint32_t n)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)(state >> 33) % n : 0;
}

// A change of any sort, some edits of which have no effect.
static wait_change random_change(const wait_graph *g)
{
    wait_change c = {0};
    uint32_t sorts = roll(32), dense = 1 + roll(20);
    if (sorts & 1 || !sorts) {
        c.without_kinds = bits_allocate(g->nkinds);
        for (uint32_t k = 0; k < g->nkinds; k++)
            if (!roll(3))
                bit_set(c.without_kinds, k);
    }
    if (sorts & 2) {
        c.waits = calloc(g->first[g->n] + 1, sizeof *c.waits);
        for (uint64_t w = 0; w < g->first[g->n]; w++)
            if (!roll(dense))
                c.waits[c.nwaits++] = (wait_edit){w, roll(2) ? roll(g->n) : IOT_NONE};
    }
    c.added = sorts & 4 ? calloc(2 * (size_t)g->n, sizeof *c.added) : NULL;
    c.reductions = sorts & 8 ? calloc(g->n, sizeof *c.reductions) : NULL;
    c.costs = sorts & 16 ? calloc(g->n, sizeof *c.costs) : NULL;
    for (uint32_t r = 1; r < g->n; r++) {
        for (uint32_t i = roll(3); c.added && !roll(dense) && i > 0; i--)
            c.added[c.nadded++] = (wait_added){r, roll(g->n)};
        if (c.reductions && !roll(dense))
            c.reductions[c.nreductions++] =
                (reduction_edit){r, roll(2) ? roll(r) : IOT_NONE, (double)roll(5) - 1};
        if (c.costs)
            c.costs[r] = (double)roll(8) / 4;
    }
    return c;
}

// Many at once give what each alone gives.
static void check_batches(const wait_graph *g)
{
    wait_change changes[40];
    double spans[40];
    uint32_t n = roll(41), wrong = 0;
    for (uint32_t i = 0; i < n; i++)
        changes[i] = random_change(g);
    CHECK(iot_spans_under(g, changes, n, spans, NULL, NULL));
    for (uint32_t i = 0; i < n; i++) {
        wrong += spans[i] != iot_span_under(g, &changes[i], NULL);
        iot_free_change(&changes[i]);
    }
    CHECK_IS(wrong, 0);
}

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
    check_batches(g);
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
