// SPDX-License-Identifier: MIT
//
// `paf report --classes`: what the run would take without each class of reads on the critical path.
#include "base/memory.h"
#include "iotree/findings.h"
#include "iotree/prices.h"
#include "paf/commands/report.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <stdio.h>

static uint32_t find(const iot *a, const iot_class **ret)
{
    uint32_t n = 0;
    static char name[] = "report: classes";
    iot_classes(a, paf_tell_progress, name, ret, &n);
    paf_end_progress();
    return n;
}

json_t *paf_report_classes_json(const iot *a)
{
    const iot_class *classes = NULL;
    uint32_t n = find(a, &classes);
    json_t *array = json_array();
    for (uint32_t i = 0; i < n; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "class", paf_json_text(classes[i].name));
        json_object_set_new(row, "reads", paf_json_count(classes[i].reads));
        json_object_set_new(row, "span_without", paf_json_time(classes[i].span_without));
        json_array_append_new(array, row);
    }
    return array;
}

void paf_report_classes_text(const iot *a)
{
    const trace *t = iot_trace(a);
    const iot_class *classes = NULL;
    uint32_t n = find(a, &classes);
    double whole = (double)iot_whole(a);
    paf_table *table = paf_table_create("rrrl");
    printf("\n%s%s%s (paf whatif --without CLASS)\n", paf_style_begin(STYLE_STRONG),
           trace_is_measured(t) ? "Waits by state and line"
                                : "Classes of reads on the critical path",
           paf_style_end(STYLE_STRONG));
    paf_table_add(table, trace_is_measured(t) ? "time without" : "span without");
    paf_table_add(table, "saving");
    paf_table_add(table, trace_is_measured(t) ? "waits" : "reads");
    paf_table_add(table, "class");
    for (uint32_t i = 0; i < n; i++) {
        double saved = whole > 0 ? 100 * (whole - classes[i].span_without) / whole : 0;
        paf_table_add_amount(table, t, llround(classes[i].span_without));
        paf_table_add(table, "%.1f %%", saved);
        paf_table_add(table, "%llu", (unsigned long long)classes[i].reads);
        paf_table_add(table, "%s", classes[i].name);
    }
    paf_table_print(table);
    if (n == 0)
        puts(trace_is_measured(t) ? "  none"
                                  : "  none: the critical path is reached by creation alone");
}

void paf_report_classes_csv(const iot *a)
{
    const iot_class *classes = NULL;
    uint32_t n = find(a, &classes);
    puts("\nclass,reads,span_without");
    for (uint32_t i = 0; i < n; i++) {
        paf_csv_text(classes[i].name, ',');
        printf("%llu,%.17g\n", (unsigned long long)classes[i].reads, classes[i].span_without);
    }
}
