// SPDX-License-Identifier: MIT
//
// The tables of a page. A cell is a text, or an object of a text ("t"), what it is sorted by ("v"), a module
// ("m"), a place in the source ("s") and a share of the column's largest ("b").
#include "paf/model/real_times.h"
#include "paf/page/page_private.h"

#include <math.h>

#define MOST_ROWS 200 // of one table

static json_t *begin(json_t *tables, const char *title, const char *columns)
{
    json_t *o = json_object(), *names = json_array(), *rows = json_array();
    char **parts = g_strsplit(columns, "|", -1);
    for (char **part = parts; *part; part++)
        json_array_append_new(names, json_string(*part));
    g_strfreev(parts);
    json_object_set_new(o, "title", json_string(title));
    json_object_set_new(o, "columns", names); // ">" before a name: numbers
    json_object_set_new(o, "rows", rows);
    json_array_append_new(tables, o);
    return rows;
}

static json_t *add_row(json_t *rows)
{
    json_t *row = json_array();
    json_array_append_new(rows, row);
    return row;
}

static void add_module(json_t *row, const paf_page_maker *p, uint32_t module)
{
    json_t *cell = json_object();
    const char *name = module == IOT_NONE ? "" : iot_get_module(p->a, module)->name;
    json_object_set_new(cell, "t", paf_page_text(name));
    if (module != IOT_NONE)
        json_object_set_new(cell, "m", json_integer(p->rank[module]));
    json_array_append_new(row, cell);
}

// text: g_free()
static void add_figure(json_t *row, char *text, double value)
{
    json_t *cell = json_object();
    json_object_set_new(cell, "t", paf_page_take(text));
    json_object_set_new(cell, "v", json_real(isfinite(value) ? value : 0));
    json_array_append_new(row, cell);
}

static void add_count(json_t *row, uint64_t n)
{
    add_figure(row, paf_number(n), (double)n);
}

static void add_amount(json_t *row, const paf_page_maker *p, int64_t n)
{
    bool time = trace_is_measured(p->t);
    add_figure(row, time ? paf_nanoseconds(n) : paf_number((uint64_t)MAX(n, 0)), (double)n);
}

static void add_predicate(json_t *row, const paf_page_maker *p, uint32_t predicate)
{
    bool measured = trace_is_measured(p->t);
    char *text = measured ? base_copy(trace_name(p->t, trace_get_predicate(p->t, predicate)->name))
                          : iot_predicate_text(p->t, predicate);
    json_array_append_new(row, paf_page_text(text));
    free(text);
}

static void add_modules(json_t *tables, const paf_page_maker *p)
{
    bool measured = trace_is_measured(p->t);
    json_t *rows = begin(tables, "Modules", measured ? "module|>work|>critical path|>share|>waited|>awaited"
                                            : "module|>reductions|>critical path|>share|>waited|>awaited|"
                                              ">processes|>peak");
    for (uint32_t i = 0; i < p->m->ncards; i++) {
        uint32_t module = p->m->order[i];
        const iot_module *of = iot_get_module(p->a, module);
        json_t *row = add_row(rows);
        add_module(row, p, module);
        add_amount(row, p, (int64_t)of->work);
        add_amount(row, p, (int64_t)of->critical);
        add_figure(row, paf_percent((double)of->critical, (double)p->m->span), (double)of->critical);
        add_amount(row, p, (int64_t)p->m->waits[module]);
        add_amount(row, p, (int64_t)p->m->awaited[module]);
        if (measured)
            continue;
        add_count(row, of->processes);
        add_count(row, of->peak);
    }
}

static void add_dependencies(json_t *tables, const paf_page_maker *p)
{
    uint32_t n = iot_ndependencies(p->a);
    if (n == 0)
        return;
    json_t *rows = begin(tables, "Who waits for whom", "gives|waits|>waited|>times|>unread");
    for (uint32_t i = 0; i < n && i < MOST_ROWS; i++) {
        const iot_dependency *d = iot_get_dependency(p->a, i);
        json_t *row = add_row(rows);
        add_module(row, p, d->from);
        add_module(row, p, d->to);
        add_amount(row, p, (int64_t)d->wait);
        add_count(row, d->count);
        add_amount(row, p, d->lag);
    }
}

static void add_critical(json_t *tables, const paf_page_maker *p)
{
    json_t *rows = begin(tables, "The critical path", "module|predicate|>by parents|>by data");
    for (uint32_t i = 0; i < iot_ncritical_rows(p->a) && i < MOST_ROWS; i++) {
        const iot_critical_row *c = iot_get_critical_row(p->a, i);
        json_t *row = add_row(rows);
        add_module(row, p, c->module);
        add_predicate(row, p, c->predicate);
        add_amount(row, p, (int64_t)c->control);
        add_amount(row, p, (int64_t)c->data);
    }
}

static void add_predicates(json_t *tables, const paf_page_maker *p)
{
    bool measured = trace_is_measured(p->t);
    json_t *rows = begin(tables, measured ? "Constructs" : "Predicates",
                         measured ? "module|construct|>activities|>work|>waited|>critical path"
                                  : "module|predicate|>reductions|>work|>waited|>critical path");
    for (uint32_t i = 0; i < iot_npredicate_rows(p->a) && i < MOST_ROWS; i++) {
        const iot_predicate_row *of = iot_get_predicate_row(p->a, i);
        json_t *row = add_row(rows);
        add_module(row, p, of->module);
        add_predicate(row, p, of->predicate);
        add_count(row, of->reductions);
        add_amount(row, p, (int64_t)of->work);
        add_amount(row, p, (int64_t)of->waiting);
        add_amount(row, p, (int64_t)of->critical);
    }
}

// Of a measured run: where it waited, and what the last one to arrive was in.
static void add_waiting(json_t *tables, const paf_page_maker *p)
{
    if (!trace_is_measured(p->t) || iot_nwaiting(p->a) == 0)
        return;
    json_t *rows = begin(tables, "Waiting", "module|wait|>times|>waited|meanwhile");
    for (uint32_t i = 0; i < iot_nwaiting(p->a) && i < MOST_ROWS; i++) {
        const iot_waiting *w = iot_get_waiting(p->a, i);
        json_t *row = add_row(rows);
        add_module(row, p, w->module);
        add_predicate(row, p, w->predicate);
        add_count(row, w->count);
        add_figure(row, paf_nanoseconds((int64_t)w->time), (double)w->time);
        add_module(row, p, w->cause);
    }
}

// Of a real run of Fleng: what it took its time for.
static void add_costs(json_t *tables, const paf_page_maker *p)
{
    if (!p->m->real)
        return;
    const paf_costs *costs = paf_costs_of(p->m);
    json_t *rows = begin(tables, "What the run took its time for", "cause|>took");
    for (uint32_t i = 0; i < costs->nfindings; i++) {
        const iot_real_finding *f = &costs->findings[i];
        json_t *row = add_row(rows);
        json_array_append_new(row, paf_page_take(paf_sentence(f->text)));
        add_figure(row, f->price < 0 ? g_strdup("–") : paf_nanoseconds(f->price), (double)f->price);
    }
}

json_t *paf_page_tables(paf_page_maker *p)
{
    json_t *tables = json_array();
    add_modules(tables, p);
    add_dependencies(tables, p);
    add_waiting(tables, p);
    add_costs(tables, p);
    add_critical(tables, p);
    add_predicates(tables, p);
    return tables;
}
