// SPDX-License-Identifier: MIT
#include "paf/commands/report_measured.h"

#include <stdio.h>
#include <stdlib.h>

#include "paf/commands/command.h"
#include "paf/draw/numbers.h"

#define SHOWN_ROWS 16u

void report_clock(const iot *a, iot_clock clock)
{
    const trace *t = iot_trace(a);
    char *took = paf_amount(t, trace_elapsed(t));
    printf("  %u place%s took %s; span: the longest chain of dependences\n", trace_nplaces(t),
           trace_nplaces(t) == 1 ? "" : "s", took);
    g_free(took);
    puts(clock == IOT_REAL_TIME
             ? "  times are real time (--clock virtual: of a replay with as many processors as can be\n"
               "  used); --json and --csv have them in nanoseconds"
             : "  times are of a replay with as many processors as can be used (--clock real: as\n"
               "  measured); --json and --csv have them in nanoseconds");
}

static const char *name_of(const trace *t, uint32_t predicate)
{
    return trace_string(t, trace_get_predicate(t, predicate)->name, NULL);
}

static const char *cause_of(const iot *a, const iot_waiting *w)
{
    return w->cause == IOT_NONE             ? "nobody"
           : w->cause_predicate != IOT_NONE ? name_of(iot_trace(a), w->cause_predicate)
                                            : iot_get_module(a, w->cause)->name;
}

void report_waiting(const iot *a)
{
    double all = (double)iot_place_time(a);
    text_table *table = table_create("llrrrl");
    const char *const names[] = {"module", "wait", "times", "time", "share", "for"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_nwaiting(a) && i < SHOWN_ROWS; i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        table_add(table, "%s", iot_get_module(a, w->module)->name);
        table_add(table, "%s", name_of(iot_trace(a), w->predicate));
        table_add(table, "%llu", (unsigned long long)w->count);
        table_add_amount(table, iot_trace(a), (int64_t)w->time);
        char *share = paf_percent((double)w->time, all);
        table_add(table, "%s", share);
        g_free(share);
        table_add(table, "%s", cause_of(a, w));
    }
    table_print(table);
    if (iot_nwaiting(a) > SHOWN_ROWS)
        printf("  and %u more\n", iot_nwaiting(a) - SHOWN_ROWS);
}

json_t *report_waiting_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nwaiting(a); i++) {
        const iot_waiting *w = iot_get_waiting(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "module", json_text(iot_get_module(a, w->module)->name));
        json_object_set_new(row, "wait", json_text(name_of(iot_trace(a), w->predicate)));
        json_object_set_new(row, "cause",
                            w->cause == IOT_NONE ? json_null() : json_text(cause_of(a, w)));
        json_object_set_new(row, "count", json_count(w->count));
        json_object_set_new(row, "time", json_count(w->time));
        json_array_append_new(array, row);
    }
    return array;
}
