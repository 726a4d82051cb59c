// SPDX-License-Identifier: MIT
//
// What a measured run waited for, as text and as JSON.
#include "paf/commands/report.h"
#include "paf/say/numbers.h"

#include <stdio.h>

#define SHOWN_WAITS 16u // for people

static const char *predicate_name(const trace *t, uint32_t predicate)
{
    return trace_name(t, trace_get_predicate(t, predicate)->name);
}

static const char *cause_of(const iot *a, const iot_waiting *w)
{
    return w->cause == IOT_NONE             ? "nobody"
           : w->cause_predicate != IOT_NONE ? predicate_name(iot_trace(a), w->cause_predicate)
                                            : iot_get_module(a, w->cause)->name;
}

void paf_report_waiting_text(const iot *a)
{
    double all = (double)iot_place_time(a);
    paf_table *table = paf_table_create("llrrrl");
    const char *const names[] = {"module", "wait", "times", "time", "share", "for"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_nwaiting(a) && i < SHOWN_WAITS; i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        paf_table_add(table, "%s", iot_get_module(a, w->module)->name);
        paf_table_add(table, "%s", predicate_name(iot_trace(a), w->predicate));
        paf_table_add(table, "%llu", (unsigned long long)w->count);
        paf_table_add_amount(table, iot_trace(a), (int64_t)w->time);
        char *share = paf_percent((double)w->time, all);
        paf_table_add(table, "%s", share);
        g_free(share);
        paf_table_add(table, "%s", cause_of(a, w));
    }
    paf_table_print(table);
    if (iot_nwaiting(a) > SHOWN_WAITS)
        printf("  and %u more\n", iot_nwaiting(a) - SHOWN_WAITS);
}

json_t *paf_report_waiting_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nwaiting(a); i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "module", paf_json_text(iot_get_module(a, w->module)->name));
        json_object_set_new(row, "wait", paf_json_text(predicate_name(iot_trace(a), w->predicate)));
        json_object_set_new(row, "cause",
                            w->cause == IOT_NONE ? json_null() : paf_json_text(cause_of(a, w)));
        json_object_set_new(row, "count", paf_json_count(w->count));
        json_object_set_new(row, "time", paf_json_count(w->time));
        json_array_append_new(array, row);
    }
    return array;
}
