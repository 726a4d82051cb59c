// SPDX-License-Identifier: MIT
//
// What a recording left out of measuring is told from what it measured.
#include "paf/model/omissions.h"

#include "paf/model/totals.h"

#include <stdio.h>

static int failures;

static trace_measure measure(uint32_t total, int64_t times, int64_t time)
{
    return (trace_measure){total, 0, times, time, time, TRACE_UNOBSERVED, TRACE_UNOBSERVED};
}

static void check(trace_totals *t, const paf_omission *wanted)
{
    uint8_t *why = paf_find_omissions(t);
    for (uint32_t i = 0; i < t->ntotals; i++)
        if (why[i] != wanted[i]) {
            printf("FAILED: total %u: %u\n", i, why[i]);
            failures++;
        }
    g_free(why);
}

int main(void)
{
    enum { TYPED = 1 };
    trace_total places[] = {
        {.kind = TT_UNIT, .type = TYPED},      {.kind = TT_UNIT, .type = TYPED},
        {.kind = TT_UNIT, .type = TRACE_NONE}, {.kind = TT_UNIT, .type = TYPED},
        {.kind = TT_LOOP, .type = TRACE_NONE}, {.kind = TT_IO, .type = TYPED},
        {.kind = TT_IO, .type = TYPED},        {.kind = TT_CALL, .type = TRACE_NONE},
    };
    trace_measure measures[] = {measure(0, 3, 100), measure(3, 70000, TRACE_UNOBSERVED),
                                measure(5, 7, TRACE_UNOBSERVED)};
    trace_total_table tables[TRACE_TOTAL_KINDS] = {{1, TRACE_UNOBSERVED}, {0, TRACE_UNOBSERVED},
                                                   {1, TRACE_UNOBSERVED}, {1, TRACE_UNOBSERVED}};
    trace_total_node node = {1, 1, TRACE_UNOBSERVED, 1000, TRACE_UNOBSERVED};
    trace_totals t = {.clock = TRACE_ELAPSED, .tables = tables, .nnodes = 1, .nodes = &node, .ntotals = 8,
                      .totals = places, .nmeasures = 3, .measures = measures};
    // Loops were not looked for, statements only counted; of calls nobody chooses.
    check(&t, (const paf_omission[]){PAF_MEASURED, PAF_NOT_CHOSEN, PAF_NOT_BUILT, PAF_NOT_TIMED, PAF_MEASURED,
                                     PAF_MEASURED, PAF_NOT_CHOSEN, PAF_MEASURED});
    t.clock = TRACE_NO_CLOCK; // of a report, which does not say why it lacks something
    check(&t, (const paf_omission[8]){PAF_MEASURED});
    if (paf_omission_text(PAF_MEASURED) || !paf_omission_text(PAF_NOT_TIMED)) {
        puts("FAILED: texts");
        failures++;
    }
    printf("%d failed\n", failures);
    return failures > 0;
}
