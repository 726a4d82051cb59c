// SPDX-License-Identifier: MIT
//
// Which outputs to hasten first, as text and as JSON.
#include "iotree/simulate.h"
#include "paf/commands/command.h"
#include "paf/commands/report.h"
#include "paf/say/numbers.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN 8u // places, for people

// Names of the outputs that stand for their places.
static iot_names *make_names(const iot *a)
{
    const trace *t = iot_trace(a);
    iot_names *names = iot_names_create(t);
    for (uint32_t i = 0; i < iot_nhasten(a); i++)
        iot_names_add_variable(names, trace_binding_variable(t, iot_get_hasten(a, i)->binding));
    iot_names_finish(names);
    return names;
}

static const char *variable_name(const iot *a, const iot_names *names, const iot_hasten *h)
{
    return iot_name(names, trace_binding_variable(iot_trace(a), h->binding));
}

static double saving(const iot *a, const iot_hasten *h)
{
    int64_t span = iot_span(a);
    return span > 0 ? (double)(span - h->span_without) / (double)span : 0;
}

static int64_t time_of(const iot *a, const iot_hasten *h)
{
    return trace_time(iot_trace(a), trace_binding_maker(iot_trace(a), h->binding));
}

static char *process_text(const iot *a, const iot_hasten *h)
{
    const trace *t = iot_trace(a);
    uint32_t process = iot_process_of(a, trace_binding_maker(t, h->binding));
    const iot_process *p = iot_get_process(a, process);
    return iot_goal_text(t, NULL, p->goal, p->created, 20);
}

static json_t *row_json(const iot *a, const iot_names *names, const iot_hasten *h)
{
    const trace *t = iot_trace(a);
    const char *file = h->source == TRACE_NONE
                           ? NULL
                           : trace_name(t, trace_get_source(t, h->source)->name);
    json_t *row = json_object();
    json_object_set_new(row, "module", paf_json_text(iot_get_module(a, h->module)->name));
    json_object_set_new(row, "process", paf_json_take(process_text(a, h)));
    json_object_set_new(row, "clause", paf_json_take(iot_clause_text(t, h->clause)));
    json_object_set_new(row, "file", file ? paf_json_text(file) : json_null());
    json_object_set_new(row, "line", h->line ? json_integer(h->line) : json_null());
    json_object_set_new(row, "variable", paf_json_text(variable_name(a, names, h)));
    json_object_set_new(row, "time", json_integer(time_of(a, h)));
    json_object_set_new(row, "outputs", json_integer(h->outputs));
    json_object_set_new(row, "critical", json_integer(h->critical));
    json_object_set_new(row, "slack", json_integer(h->slack));
    json_object_set_new(row, "span_without",
                        h->priced ? json_integer(h->span_without) : json_null());
    json_object_set_new(row, "saving", h->priced ? json_real(saving(a, h)) : json_null());
    return row;
}

json_t *paf_report_hasten_json(const iot *a)
{
    iot_names *names = make_names(a);
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nhasten(a); i++)
        json_array_append_new(array, row_json(a, names, iot_get_hasten(a, i)));
    iot_names_destroy(names);
    return array;
}

static void print_row(paf_table *table, const iot *a, const iot_names *names, const iot_hasten *h)
{
    const trace *t = iot_trace(a);
    char *clause = iot_clause_text(t, h->clause);
    char *place = paf_reduction_place(t, trace_binding_maker(t, h->binding));
    char *share = paf_percent((double)(iot_span(a) - h->span_without), (double)iot_span(a));
    paf_table_add(table, "%s", iot_get_module(a, h->module)->name);
    paf_table_add(table, "%s", variable_name(a, names, h));
    paf_table_add(table, "%s", clause);
    paf_table_add(table, "%s", place);
    paf_table_add(table, "%u", h->outputs);
    paf_table_add(table, "%u", h->critical);
    paf_table_add_amount(table, t, time_of(a, h));
    paf_table_add_amount(table, t, h->slack);
    paf_table_add_amount(table, t, h->span_without);
    paf_table_add(table, "%s", share);
    free(clause);
    g_free(place);
    g_free(share);
}

// Places whose outputs bring something, which come first.
static uint32_t count_helpful(const iot *a)
{
    uint32_t n = 0;
    while (n < iot_nhasten(a) && iot_get_hasten(a, n)->span_without < iot_span(a))
        n++;
    return n;
}

void paf_report_hasten_text(const iot *a)
{
    uint32_t n = count_helpful(a);
    if (n == 0)
        return;
    const char *const headings[] = {"module",   "variable", "made by", "at",           "outputs",
                                    "critical", "time",   "slack",   "span without", "saving"};
    iot_names *names = make_names(a);
    paf_table *table = paf_table_create("llllrrrrrr");
    printf("\n%sOutputs to hasten first, and the span if nobody had to wait for them%s\n",
           paf_style_begin(STYLE_STRONG), paf_style_end(STYLE_STRONG));
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        paf_table_add(table, "%s", headings[i]);
    for (uint32_t i = 0; i < n && i < SHOWN; i++)
        print_row(table, a, names, iot_get_hasten(a, i));
    paf_table_print(table);
    if (n > SHOWN)
        printf("  and %u more\n", n - SHOWN);
    iot_names_destroy(names);
}
