// SPDX-License-Identifier: MIT
//
// How much of its work each place of a measured run had a processor, as text and as JSON.
#include "paf/commands/report.h"
#include "paf/say/numbers.h"

#include <stdlib.h>

static char *name_of_place(const trace *t, uint32_t place)
{
    const char *name = trace_place_name(t, place);
    return name ? g_strdup(name) : g_strdup_printf("place %u", place);
}

static void add_row(paf_table *table, const trace *t, const char *name, const iot_processor_row *r)
{
    paf_table_add(table, "%s", name);
    paf_table_add_amount(table, t, (int64_t)r->work);
    paf_table_add_amount(table, t, (int64_t)r->ran);
    paf_table_add_amount(table, t, (int64_t)r->queued);
    paf_table_add_amount(table, t, (int64_t)r->slept);
    char *share = paf_percent((double)r->ran, (double)r->work);
    paf_table_add(table, "%s", share);
    g_free(share);
}

void paf_report_processor_time_text(const iot *a, bool always)
{
    const trace *t = iot_trace(a);
    uint32_t n = trace_nplaces(t);
    iot_processor_row *rows = iot_processor_time(a);
    if (always || rows[n].queued > 0) {
        paf_report_heading("Processor time");
        paf_table *table = paf_table_create("lrrrrr");
        const char *const names[] = {"place", "work", "on a processor", "waiting for one", "asleep", "share"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            paf_table_add(table, "%s", names[i]);
        for (uint32_t i = 0; i < n; i++) {
            char *name = name_of_place(t, i);
            if (rows[i].work > 0)
                add_row(table, t, name, &rows[i]);
            g_free(name);
        }
        add_row(table, t, "all", &rows[n]);
        paf_table_print(table);
    }
    free(rows);
}

json_t *paf_report_processor_time_json(const iot *a)
{
    const trace *t = iot_trace(a);
    iot_processor_row *rows = iot_processor_time(a);
    json_t *array = json_array();
    for (uint32_t i = 0; i < trace_nplaces(t); i++) {
        json_t *row = json_object();
        char *name = name_of_place(t, i);
        json_object_set_new(row, "place", paf_json_text(name));
        g_free(name);
        json_object_set_new(row, "work", paf_json_count(rows[i].work));
        json_object_set_new(row, "ran", paf_json_count(rows[i].ran));
        json_object_set_new(row, "queued", paf_json_count(rows[i].queued));
        json_object_set_new(row, "slept", paf_json_count(rows[i].slept));
        json_array_append_new(array, row);
    }
    free(rows);
    return array;
}
