// SPDX-License-Identifier: MIT
//
// The critical path, dependencies between modules, and aliases that come late: as text, as JSON and
// as CSV.
#include "paf/commands/report.h"
#include "paf/say/numbers.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN_ROWS   24u // of the critical path, for people
#define SHOWN_CYCLES 3u  // of modules

// ---- JSON -----------------------------------------------------------------------------------

json_t *paf_report_dependencies_json(const iot *a, iot_clock clock)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_ndependencies(a); i++) {
        const iot_dependency *d = iot_get_dependency(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "from", paf_json_text(iot_get_module(a, d->from)->name));
        json_object_set_new(row, "to", paf_json_text(iot_get_module(a, d->to)->name));
        json_object_set_new(row, "count", paf_json_count(d->count));
        bool real = paf_is_as_it_ran(a, clock);
        json_object_set_new(row, "wait", paf_json_count(real ? d->real_wait : d->wait));
        json_object_set_new(row, "lag", json_integer(real ? d->real_lag : d->lag));
        json_array_append_new(array, row);
    }
    return array;
}

json_t *paf_report_critical_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_ncritical_rows(a); i++) {
        const iot_critical_row *c = iot_get_critical_row(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "module", paf_json_text(iot_get_module(a, c->module)->name));
        json_object_set_new(row, "predicate",
                            paf_json_take(iot_predicate_text(iot_trace(a), c->predicate)));
        json_object_set_new(row, "control", paf_json_count(c->control));
        json_object_set_new(row, "data", paf_json_count(c->data));
        json_array_append_new(array, row);
    }
    return array;
}

json_t *paf_report_cycles_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_ncycles(a); i++) {
        const iot_cycle *c = iot_get_cycle(a, i);
        json_t *row = json_object(), *modules = json_array();
        for (uint32_t k = 0; k < c->nmodules; k++)
            json_array_append_new(modules, paf_json_text(iot_get_module(a, c->modules[k])->name));
        json_object_set_new(row, "modules", modules);
        json_object_set_new(row, "rounds", paf_json_count(c->rounds));
        json_object_set_new(row, "critical", paf_json_count(c->cost));
        json_array_append_new(array, row);
    }
    return array;
}

json_t *paf_report_unneeded_json(const iot *a)
{
    const trace *t = iot_trace(a);
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nunneeded(a); i++) {
        const iot_unneeded *u = iot_get_unneeded(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "clause", paf_json_take(iot_clause_text(t, u->clause)));
        json_object_set_new(row, "line", json_integer(trace_get_clause(t, u->clause)->line));
        json_object_set_new(row, "output", paf_json_text(trace_string(t, u->output, NULL)));
        json_object_set_new(row, "input", paf_json_text(trace_string(t, u->input, NULL)));
        json_object_set_new(row, "span_without", json_integer(u->span_without));
        json_array_append_new(array, row);
    }
    return array;
}

// ---- CSV ------------------------------------------------------------------------------------

static void csv_taken(char *text, char after)
{
    paf_csv_text(text, after);
    free(text);
}

void paf_report_paths_csv(const iot *a, iot_clock clock)
{
    const trace *t = iot_trace(a);
    bool real = paf_is_as_it_ran(a, clock);
    puts("\nfrom,to,count,wait,lag");
    for (uint32_t i = 0; i < iot_ndependencies(a); i++) {
        const iot_dependency *d = iot_get_dependency(a, i);
        paf_csv_text(iot_get_module(a, d->from)->name, ',');
        paf_csv_text(iot_get_module(a, d->to)->name, ',');
        printf("%llu,%llu,%lld\n", (unsigned long long)d->count,
               (unsigned long long)(real ? d->real_wait : d->wait),
               (long long)(real ? d->real_lag : d->lag));
    }
    puts("\nmodule,predicate,control,data");
    for (uint32_t i = 0; i < iot_ncritical_rows(a); i++) {
        const iot_critical_row *c = iot_get_critical_row(a, i);
        paf_csv_text(iot_get_module(a, c->module)->name, ',');
        csv_taken(iot_predicate_text(t, c->predicate), ',');
        printf("%llu,%llu\n", (unsigned long long)c->control, (unsigned long long)c->data);
    }
    puts("\nclause,line,output,input,span_without");
    for (uint32_t i = 0; i < iot_nunneeded(a); i++) {
        const iot_unneeded *u = iot_get_unneeded(a, i);
        csv_taken(iot_clause_text(t, u->clause), ',');
        printf("%u,", trace_get_clause(t, u->clause)->line);
        paf_csv_text(trace_name(t, u->output), ',');
        paf_csv_text(trace_name(t, u->input), ',');
        printf("%lld\n", (long long)u->span_without);
    }
}

// ---- For people -----------------------------------------------------------------------------

void paf_report_critical_text(const iot *a)
{
    uint64_t control = 0, data = 0;
    for (uint32_t i = 0; i < iot_ncritical_rows(a); i++) {
        control += iot_get_critical_row(a, i)->control;
        data += iot_get_critical_row(a, i)->data;
    }
    if (!iot_ncritical_rows(a))
        return;
    const trace *t = iot_trace(a);
    char *by_control = paf_amount(t, (int64_t)control);
    char *by_data = paf_amount(t, (int64_t)data);
    paf_report_heading("Critical path: %s reached by control, %s by data", by_control, by_data);
    g_free(by_control);
    g_free(by_data);
    paf_table *table = paf_table_create("llrr");
    paf_table_add(table, "module");
    paf_table_add(table, "predicate");
    paf_table_add(table, "control");
    paf_table_add(table, "data");
    for (uint32_t i = 0; i < iot_ncritical_rows(a) && i < SHOWN_ROWS; i++) {
        const iot_critical_row *c = iot_get_critical_row(a, i);
        char *predicate = iot_predicate_text(t, c->predicate);
        paf_table_add(table, "%s", iot_get_module(a, c->module)->name);
        paf_table_add(table, "%s", predicate);
        paf_table_add_amount(table, t, (int64_t)c->control);
        paf_table_add_amount(table, t, (int64_t)c->data);
        free(predicate);
    }
    paf_table_print(table);
    if (iot_ncritical_rows(a) > SHOWN_ROWS)
        printf("  and %u more\n", iot_ncritical_rows(a) - SHOWN_ROWS);
    for (uint32_t i = 0; i < iot_ncycles(a) && i < SHOWN_CYCLES; i++) {
        const iot_cycle *c = iot_get_cycle(a, i);
        char *modules = iot_cycle_text(a, c), *amount = paf_amount(t, (int64_t)c->cost);
        printf("  %llu rounds of %s: %s\n", (unsigned long long)c->rounds, modules, amount);
        free(modules);
        g_free(amount);
    }
}

void paf_report_dependencies_text(const iot *a, iot_clock clock)
{
    if (!iot_ndependencies(a))
        return;
    paf_report_heading("Dependencies");
    paf_table *table = paf_table_create("llrrrr");
    const char *const names[] = {"from", "to", "values", "wait", "lag", "words"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_ndependencies(a); i++) {
        const iot_dependency *d = iot_get_dependency(a, i);
        paf_table_add(table, "%s", iot_get_module(a, d->from)->name);
        paf_table_add(table, "%s", iot_get_module(a, d->to)->name);
        paf_table_add(table, "%llu", (unsigned long long)d->count);
        bool real = paf_is_as_it_ran(a, clock);
        iot_clock by = real ? clock : IOT_VIRTUAL_TIME; // of measured runs these are of the replay
        paf_table_add_time(table, iot_trace(a), by, (int64_t)(real ? d->real_wait : d->wait));
        paf_table_add_time(table, iot_trace(a), by, real ? d->real_lag : d->lag);
        if (d->words == IOT_NO_WORDS)
            paf_table_add(table, "-");
        else
            paf_table_add(table, "%llu", (unsigned long long)d->words);
    }
    paf_table_print(table);
}

void paf_report_unneeded_text(const iot *a)
{
    const trace *t = iot_trace(a);
    if (!iot_nunneeded(a))
        return;
    paf_report_heading("Unneeded dependencies: aliases made later than what they pass on");
    paf_table *table = paf_table_create("lrllrrr");
    const char *const names[] = {"clause", "line", "output",      "input",
                                 "times",  "late", "span without"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_nunneeded(a); i++) {
        const iot_unneeded *u = iot_get_unneeded(a, i);
        char *clause = iot_clause_text(t, u->clause);
        paf_table_add(table, "%s", clause);
        paf_table_add(table, "%u", trace_get_clause(t, u->clause)->line);
        paf_table_add(table, "%s", trace_name(t, u->output));
        paf_table_add(table, "%s", trace_name(t, u->input));
        paf_table_add(table, "%u", u->count);
        paf_table_add_amount(table, t, (int64_t)u->delay);
        paf_table_add_amount(table, t, u->span_without);
        free(clause);
    }
    paf_table_print(table);
}
