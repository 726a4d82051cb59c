// SPDX-License-Identifier: MIT
//
// What threads of a measured run did while they worked: they had a processor, or waited for one, or slept.
// Activities have the last two as values, as far as the recorder looked.
#include "iotree/graph/model.h"

static iot_processor_row row_of(const iot *a, uint32_t activity)
{
    uint64_t work = (uint64_t)(trace_end(a->t, activity) - trace_start(a->t, activity));
    int64_t slept = 0, queued = 0;
    iot_activity_value(a->t, activity, TRACE_KEY_SLEPT, &slept);
    iot_activity_value(a->t, activity, TRACE_KEY_QUEUED, &queued);
    iot_processor_row r = {.work = work};
    r.slept = slept > 0 ? (uint64_t)slept : 0;
    r.slept = r.slept < work ? r.slept : work;
    r.queued = queued > 0 ? (uint64_t)queued : 0;
    r.queued = r.queued < work - r.slept ? r.queued : work - r.slept;
    r.ran = work - r.slept - r.queued;
    return r;
}

static void add(iot_processor_row *to, const iot_processor_row *more)
{
    to->work += more->work;
    to->ran += more->ran;
    to->queued += more->queued;
    to->slept += more->slept;
}

static bool works(const iot *a, uint32_t activity)
{
    return !trace_get_clause(a->t, trace_reduction_clause(a->t, activity))->waits;
}

iot_processor_row *iot_processor_time(const iot *a)
{
    uint32_t n = trace_nplaces(a->t);
    iot_processor_row *rows = base_allocate((size_t)n + 1, sizeof *rows);
    for (uint32_t i = 1; i < a->n && trace_is_measured(a->t); i++) {
        if (!works(a, i))
            continue;
        iot_processor_row r = row_of(a, i);
        add(&rows[trace_place(a->t, i)], &r);
        add(&rows[n], &r);
    }
    return rows;
}

void iot_count_processor_time(iot *a)
{
    for (uint32_t i = 1; i < a->n && trace_is_measured(a->t); i++) {
        if (!works(a, i))
            continue;
        iot_processor_row r = row_of(a, i);
        uint64_t idle = r.work - r.ran;
        a->work -= idle;
        a->modules[a->processes[process_of(a, i)].module].work -= idle;
    }
}
