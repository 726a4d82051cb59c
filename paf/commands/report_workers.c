// SPDX-License-Identifier: MIT
//
// Why a real run took as long as it did, and what its workers did, as text, as JSON and as CSV.
#include "paf/commands/report.h"
#include "paf/say/numbers.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN_WORKERS 12u // beside each other, for people; more follow below

static char *worker_name(const trace *t, uint32_t place)
{
    const char *name = trace_place_name(t, place);
    return name ? g_strdup(name) : g_strdup_printf("worker %u", place);
}

// Rows of one worker: [first, end).
static uint32_t end_of(const iot *a, uint32_t first)
{
    uint32_t end = first;
    while (end < iot_nworker_rows(a) &&
           iot_get_worker_row(a, end)->place == iot_get_worker_row(a, first)->place)
        end++;
    return end;
}

static iot_worker_row sum_of(const iot *a, uint32_t first, uint32_t end)
{
    iot_worker_row sum = {.place = iot_get_worker_row(a, first)->place};
    for (uint32_t i = first; i < end; i++) {
        sum.reductions += iot_get_worker_row(a, i)->reductions;
        sum.time += iot_get_worker_row(a, i)->time;
    }
    return sum;
}

static int64_t idle_of(const iot *a, const iot_worker_row *sum)
{
    int64_t idle = trace_elapsed(iot_trace(a)) - (int64_t)sum->time;
    return idle > 0 ? idle : 0;
}

// ---- JSON and CSV ---------------------------------------------------------------------------

static json_t *worker_json(const iot *a, uint32_t first, uint32_t end)
{
    iot_worker_row sum = sum_of(a, first, end);
    json_t *row = json_object(), *modules = json_array();
    json_object_set_new(row, "name", paf_json_take(worker_name(iot_trace(a), sum.place)));
    json_object_set_new(row, "reductions", paf_json_count(sum.reductions));
    json_object_set_new(row, "busy", paf_json_count(sum.time));
    json_object_set_new(row, "idle", json_integer(idle_of(a, &sum)));
    uint64_t states[4];
    if (iot_get_worker_states(a, sum.place, states))
        json_object_set_new(row, "states",
                            json_pack("{s:I,s:I,s:I,s:I}", "busy", (json_int_t)states[0], "looking",
                                      (json_int_t)states[1], "idle", (json_int_t)states[2],
                                      "collecting", (json_int_t)states[3]));
    for (uint32_t i = first; i < end && sum.reductions > 0; i++) {
        const iot_worker_row *w = iot_get_worker_row(a, i);
        json_t *module = json_object();
        json_object_set_new(module, "name", paf_json_text(iot_get_module(a, w->module)->name));
        json_object_set_new(module, "reductions", paf_json_count(w->reductions));
        json_object_set_new(module, "time", paf_json_count(w->time));
        json_array_append_new(modules, module);
    }
    json_object_set_new(row, "modules", modules);
    return row;
}

json_t *paf_report_workers_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0, end; i < iot_nworker_rows(a); i = end) {
        end = end_of(a, i);
        json_array_append_new(array, worker_json(a, i, end));
    }
    return array;
}

void paf_report_workers_csv(const iot *a)
{
    puts("\nworker,module,reductions,time");
    for (uint32_t i = 0; i < iot_nworker_rows(a); i++) {
        const iot_worker_row *w = iot_get_worker_row(a, i);
        char *name = worker_name(iot_trace(a), w->place);
        paf_csv_text(name, ',');
        paf_csv_text(w->module == IOT_NONE ? "" : iot_get_module(a, w->module)->name, ',');
        printf("%llu,%llu\n", (unsigned long long)w->reductions, (unsigned long long)w->time);
        g_free(name);
    }
}

json_t *paf_report_costs_json(const iot *a)
{
    iot_real_costs c = iot_get_real_costs(a);
    json_t *o = json_object();
    json_object_set_new(o, "workers", json_integer(c.workers));
    json_object_set_new(o, "chain", json_integer(c.chain));
    json_object_set_new(o, "few_workers", json_integer(c.few));
    json_object_set_new(o, "start", json_integer(c.start));
    json_object_set_new(o, "without_goal", json_integer(c.without));
    if (c.states)
        json_object_set_new(o, "not_given", json_integer(c.not_given));
    if (!c.complete)
        return o;
    json_object_set_new(o, "retries", json_pack("{s:I,s:I}", "count", (json_int_t)c.retries, "time",
                                                (json_int_t)c.retried));
    json_object_set_new(o, "collector",
                        json_pack("{s:I,s:I,s:I}", "count", (json_int_t)c.collections, "time",
                                  (json_int_t)c.collecting, "longest", (json_int_t)c.longest));
    json_object_set_new(o, "locks", json_pack("{s:I,s:I}", "count", (json_int_t)c.locks, "time",
                                              (json_int_t)c.locked));
    return o;
}

json_t *paf_report_real_findings_json(const iot *a)
{
    iot_real_finding list[IOT_REAL_CAUSES];
    uint32_t n = iot_get_real_findings(a, list);
    json_t *array = json_array();
    for (uint32_t i = 0; i < n; i++) {
        const iot_real_finding *f = &list[i];
        json_t *row = json_object();
        json_object_set_new(row, "cause", json_string(f->name));
        json_object_set_new(row, "price", f->price < 0 ? json_null() : json_integer(f->price));
        json_object_set_new(row, "count", f->count > 0 ? paf_json_count(f->count) : json_null());
        json_object_set_new(row, "text", paf_json_text(f->text));
        json_array_append_new(array, row);
        free(f->text);
    }
    return array;
}

// ---- For people -----------------------------------------------------------------------------

static void add_share(paf_table *table, const iot *a, int64_t time)
{
    char *share = paf_percent((double)time, (double)trace_elapsed(iot_trace(a)));
    paf_table_add(table, "%s", share);
    g_free(share);
}

static void add_cost(paf_table *table, const iot *a, const char *what, int64_t time, const char *why)
{
    paf_table_add(table, "%s", what);
    paf_table_add_nanoseconds(table, time);
    add_share(table, a, time);
    paf_table_add(table, "%s", why);
}

static void add_counted(paf_table *table, const iot *a, const char *what, int64_t time, uint64_t n,
                        const char *one, const char *many)
{
    char *count = paf_count(n, one, many);
    add_cost(table, a, what, time, count);
    g_free(count);
}

static void add_collections(paf_table *table, const iot *a, const iot_real_costs *c)
{
    char *count = paf_count(c->collections, "collection", "collections");
    char *longest = paf_nanoseconds(c->longest);
    char *why = c->collections < 2 ? g_strdup(count)
                                   : g_strdup_printf("%s, the longest %s", count, longest);
    add_cost(table, a, "  in these: the collector", c->collecting, why);
    g_free(why);
    g_free(longest);
    g_free(count);
}

void paf_report_costs_text(const iot *a)
{
    iot_real_costs c = iot_get_real_costs(a);
    paf_table *table = paf_table_create("lrrl");
    const char *const names[] = {"what the run took", "time", "share", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    add_cost(table, a, "the longest chain of reductions", c.chain, "on as many workers as it can use");
    add_cost(table, a, "too few workers", c.few, "they had more to reduce than that");
    if (c.complete)
        add_counted(table, a, "attempts that had to wait", c.retried, c.retries, "attempt", "attempts");
    add_cost(table, a, "the start of the program", c.start, "until its first reduction");
    add_cost(table, a, "workers without a goal", c.without, "none was ready, or none was given to them");
    if (c.states)
        add_cost(table, a, "  of it: not given", c.not_given, "another worker had goals ready");
    if (c.complete) {
        add_collections(table, a, &c);
        add_counted(table, a, "  in these: locks", c.locked, c.locks, "wait", "waits");
    }
    paf_table_print(table);
}

void paf_report_real_findings_text(const iot *a)
{
    iot_real_costs c = iot_get_real_costs(a);
    iot_real_finding list[IOT_REAL_CAUSES];
    uint32_t n = iot_get_real_findings(a, list);
    char *took = paf_nanoseconds(c.elapsed), *chain = paf_nanoseconds(c.chain);
    char *workers = paf_workers(iot_trace(a));
    printf("%sAs it ran: %s on %s; its longest chain of reductions takes %s. What is between:%s\n",
           paf_style_begin(STYLE_NOTE), took, workers, chain, paf_style_end(STYLE_NOTE));
    for (uint32_t i = 0; i < n; i++) {
        char *price = list[i].price < 0 ? g_strdup("?") : paf_nanoseconds(list[i].price);
        char *count = list[i].cause != IOT_COST_WORKERS && list[i].count > 0
                          ? paf_number(list[i].count)
                          : g_strdup("");
        printf("   %*s%s  %s%s%s\n", (int)MAX(8 - g_utf8_strlen(price, -1), 0), "", price, count,
               !*count ? "" : list[i].count == 1 ? " time: " : " times: ", list[i].text);
        g_free(price);
        g_free(count);
        free(list[i].text);
    }
    g_free(workers);
    g_free(took);
    g_free(chain);
}

// What a worker did all the time: reduced, looked for a goal, was idle, stood still for the collector.
static void add_states(paf_table *table, const iot *a, const uint64_t *states)
{
    paf_table_add_nanoseconds(table, (int64_t)states[0]);
    add_share(table, a, (int64_t)states[0]);
    for (int k = 1; k < 4; k++)
        paf_table_add_nanoseconds(table, (int64_t)states[k]);
}

static void print_sums(const iot *a)
{
    static const char *const with_states[] = {"worker",  "reductions", "busy", "share",
                                              "looking", "idle",       "collecting"};
    static const char *const without[] = {"worker", "reductions", "busy", "share", "without", "share"};
    uint64_t states[4];
    bool known = iot_get_worker_states(a, 0, states);
    paf_table *table = paf_table_create(known ? "lrrrrrr" : "lrrrrr");
    for (size_t i = 0; i < (known ? G_N_ELEMENTS(with_states) : G_N_ELEMENTS(without)); i++)
        paf_table_add(table, "%s", known ? with_states[i] : without[i]);
    for (uint32_t i = 0, end; i < iot_nworker_rows(a); i = end) {
        end = end_of(a, i);
        iot_worker_row sum = sum_of(a, i, end);
        char *name = worker_name(iot_trace(a), sum.place);
        paf_table_add(table, "%s", name);
        g_free(name);
        paf_table_add(table, "%llu", (unsigned long long)sum.reductions);
        if (known) {
            iot_get_worker_states(a, sum.place, states);
            add_states(table, a, states);
            continue;
        }
        paf_table_add_nanoseconds(table, (int64_t)sum.time);
        add_share(table, a, (int64_t)sum.time);
        paf_table_add_nanoseconds(table, idle_of(a, &sum));
        add_share(table, a, idle_of(a, &sum));
    }
    paf_table_print(table);
}

// The row of a worker and a module, among those of the worker.
static int64_t time_at(const iot *a, uint32_t first, uint32_t end, uint32_t module)
{
    for (uint32_t i = first; i < end; i++)
        if (iot_get_worker_row(a, i)->module == module)
            return (int64_t)iot_get_worker_row(a, i)->time;
    return 0;
}

static bool has_time(const iot *a, uint32_t module)
{
    return time_at(a, 0, iot_nworker_rows(a), module) > 0;
}

// The workers of the rows from `first` on, as many as stand beside each other; returns the first row of
// the next ones.
static uint32_t print_modules_of(const iot *a, uint32_t first)
{
    char alignment[SHOWN_WORKERS + 2] = "l";
    uint32_t shown = 0, last = first;
    for (; last < iot_nworker_rows(a) && shown < SHOWN_WORKERS; last = end_of(a, last))
        alignment[++shown] = 'r';
    paf_table *table = paf_table_create(alignment);
    paf_table_add(table, "module");
    for (uint32_t i = first; i < last; i = end_of(a, i)) {
        char *name = worker_name(iot_trace(a), iot_get_worker_row(a, i)->place);
        paf_table_add(table, "%s", name);
        g_free(name);
    }
    for (uint32_t m = 0; m < iot_nmodules(a); m++) {
        if (!has_time(a, m))
            continue;
        paf_table_add(table, "%s", iot_get_module(a, m)->name);
        for (uint32_t i = first; i < last; i = end_of(a, i))
            paf_table_add_nanoseconds(table, time_at(a, i, end_of(a, i), m));
    }
    paf_table_print(table);
    return last;
}

static void print_modules(const iot *a)
{
    for (uint32_t first = 0; first < iot_nworker_rows(a);)
        first = print_modules_of(a, first);
}

void paf_report_workers_text(const iot *a)
{
    print_sums(a);
    if (iot_nmodules(a) > 1)
        print_modules(a);
}
