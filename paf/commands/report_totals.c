// SPDX-License-Identifier: MIT
//
// `paf report` of flat profiles: the times of routines, loops and calls, the parts of a unit's
// time, files, and messages. A number that was not observed is `-`, in JSON null.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paf/commands/report.h"
#include "paf/model/totals.h"
#include "paf/say/numbers.h"

static const char *const keys[] = {"units", "loops", "io", "calls"};
static const char *const titles[] = {"Program units", "DO loops", "Input/output", "MPI calls"};

// ---------------------------------------------------------------------------------------------
// Text

static void cell_seconds(paf_table *table, int64_t nanoseconds, int decimals)
{
    if (nanoseconds < 0)
        paf_table_add(table, "-");
    else
        paf_table_add(table, "%.*f", decimals, (double)nanoseconds / 1e9);
}

static void cell_count(paf_table *table, int64_t n)
{
    if (n < 0)
        paf_table_add(table, "-");
    else
        paf_table_add(table, "%" PRId64, n);
}

static void cell_share(paf_table *table, double share)
{
    double percent = 100 * share;
    if (share < 0)
        paf_table_add(table, "-");
    else
        // Not "none" or "all" unless it is so, as in the pictures.
        paf_table_add(table, "%.1f",
                      percent > 0 && percent < 0.1      ? 0.1
                      : percent > 99.9 && percent < 100 ? 99.9
                                                        : percent);
}

static void cell_place(paf_table *table, const trace *t, const trace_total *p)
{
    char *place = paf_total_place(t, p);
    paf_table_add(table, "%s", place ? place : "-");
    g_free(place);
}

static void add_row(paf_table *table, const trace *t, const trace_totals *all,
                    const paf_total_row *row, int64_t sum, int decimals)
{
    const trace_total *p = &all->totals[row->total];
    char *name = paf_total_name(t, all, p);
    paf_table_add(table, "%s", name);
    cell_count(table, row->m.times);
    cell_seconds(table, paf_own_time(&row->m), decimals);
    cell_share(table, paf_total_share(all, row->total, &row->m, sum));
    if (p->kind == TT_UNIT) {
        paf_total_split s = paf_split_of(all, row->total, PAF_NODES_SUM);
        const int64_t parts[] = {row->m.inclusive, s.communication, s.calls, s.loops, s.io};
        for (int i = 0; i < 5; i++)
            cell_seconds(table, parts[i], decimals);
    } else if (p->kind == TT_LOOP) {
        cell_count(table, row->m.rotation);
        if (row->m.rotation < 0 || row->m.times <= 0)
            paf_table_add(table, "-");
        else
            paf_table_add(table, "%.1f", (double)row->m.rotation / (double)row->m.times);
        cell_count(table, p->definite);
    } else {
        cell_count(table, row->m.bytes);
    }
    cell_place(table, t, p);
    g_free(name);
}

static void print_kind(const trace *t, const trace_totals *all, trace_total_kind kind)
{
    static const char *const heads[] = {
        "name,times,seconds,%,inclusive,communication,calls,loops,I/O,place",
        "name,times,seconds,%,iterations,mean,definite,place",
        "name,times,seconds,%,bytes,place",
        "name,times,seconds,%,bytes,place",
    };
    static const char *const alignments[] = {"lrrrrrrrrl", "lrrrrrrl", "lrrrrl", "lrrrrl"};
    printf("\n%s%s%s\n", paf_style_begin(STYLE_STRONG), titles[kind], paf_style_end(STYLE_STRONG));
    if (!all->tables[kind].observed) {
        puts("  not observed");
        return;
    }
    GArray *rows = paf_total_rows(all, kind, TRACE_NONE, PAF_NODES_SUM, false);
    int64_t sum = paf_totals_sum(all, kind, PAF_NODES_SUM);
    int64_t most = 0;
    for (guint i = 0; i < rows->len; i++)
        most = MAX(most, paf_own_time(&g_array_index(rows, paf_total_row, i).m));
    // Calls, and what would be zeros otherwise, are told to the microsecond.
    int decimals = kind == TT_CALL || (most > 0 && most < 100000000) ? 6 : 3;
    paf_table *table = paf_table_create(alignments[kind]);
    char **words = g_strsplit(heads[kind], ",", 0);
    for (char **w = words; *w; w++)
        paf_table_add(table, "%s", *w);
    for (guint i = 0; i < rows->len; i++)
        add_row(table, t, all, &g_array_index(rows, paf_total_row, i), sum, decimals);
    paf_table_print(table);
    g_strfreev(words);
    g_array_unref(rows);
}

// By node, where there are several: what each took in all.
static void print_nodes(const trace_totals *all)
{
    paf_table *table = paf_table_create("lrrrrr");
    paf_table_add(table, "process");
    paf_table_add(table, "elapsed");
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++)
        paf_table_add(table, "%s", keys[k]);
    for (uint32_t i = 0; i < all->nnodes; i++) {
        char *name = paf_node_name(all, i);
        paf_table_add(table, "%s", name);
        cell_seconds(table, all->nodes[i].elapsed, 6);
        for (int k = 0; k < TRACE_TOTAL_KINDS; k++) {
            int64_t sum = paf_totals_sum(all, (trace_total_kind)k, i);
            cell_seconds(table, k == TT_CALL && all->nodes[i].overhead >= 0
                                    ? all->nodes[i].overhead
                                    : sum,
                         6);
        }
        g_free(name);
    }
    printf("\n%sProcesses%s (seconds)\n", paf_style_begin(STYLE_STRONG),
           paf_style_end(STYLE_STRONG));
    paf_table_print(table);
}

// Row: sender; column: receiver.
static void print_matrix(const trace_totals *all, const char *title, bool bytes)
{
    uint32_t *process = g_new(uint32_t, all->nnodes + 1);
    uint32_t n = paf_count_processes(all, process);
    char *alignment = g_strnfill(n + 1, 'r');
    int64_t *row = g_new(int64_t, n + 1);
    alignment[0] = 'l';
    paf_table *table = paf_table_create(alignment);
    paf_table_add(table, "from \\ to");
    for (uint32_t i = 0; i < n; i++)
        paf_table_add(table, "%u", i);
    uint32_t next = 0;
    for (uint32_t node = 0; node < all->nnodes; node++) {
        uint32_t from = process[node];
        if (node > 0 && process[node - 1] == from)
            continue; // another thread
        char *name = paf_process_name(all, node);
        memset(row, 0, n * sizeof *row);
        for (; next < all->ntraffic && process[all->traffic[next].from] == from; next++)
            row[process[all->traffic[next].to]] +=
                bytes ? all->traffic[next].bytes : all->traffic[next].messages;
        paf_table_add(table, "%s", name);
        for (uint32_t to = 0; to < n; to++)
            cell_count(table, row[to]);
        g_free(name);
    }
    printf("\n%s%s%s\n", paf_style_begin(STYLE_STRONG), title, paf_style_end(STYLE_STRONG));
    paf_table_print(table);
    g_free(row);
    g_free(process);
    g_free(alignment);
}

enum { MOST_MATRIX = 64 }; // processes; of more only the pairs that have messages are told

static void print_pairs(const trace_totals *all)
{
    paf_table *table = paf_table_create("llrr");
    const char *const heads[] = {"from", "to", "messages", "bytes"};
    for (int i = 0; i < 4; i++)
        paf_table_add(table, "%s", heads[i]);
    for (uint32_t i = 0; i < all->ntraffic; i++) {
        const trace_traffic *p = &all->traffic[i];
        char *from = paf_node_name(all, p->from), *to = paf_node_name(all, p->to);
        paf_table_add(table, "%s", from);
        paf_table_add(table, "%s", to);
        cell_count(table, p->messages);
        cell_count(table, p->bytes);
        g_free(from);
        g_free(to);
    }
    printf("\n%sMessages%s\n", paf_style_begin(STYLE_STRONG), paf_style_end(STYLE_STRONG));
    paf_table_print(table);
}

void paf_report_totals_text(const trace *t, const trace_totals *all, bool finding)
{
    static const char *const clocks[] = {"elapsed time", "CPU time", "clock not known"};
    char *text = finding ? paf_totals_finding(t, all) : NULL;
    uint32_t n = paf_count_processes(all, NULL);
    char *threads =
        n < all->nnodes ? g_strdup_printf(" with %u threads", all->nnodes) : g_strdup("");
    printf("\nTotals of %u process%s%s, %s%s%s\n", n, n == 1 ? "" : "es", threads,
           clocks[all->clock], text ? ": " : "", text ? text : "");
    g_free(text);
    g_free(threads);
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++)
        print_kind(t, all, (trace_total_kind)k);
    if (all->nnodes > 1)
        print_nodes(all);
    if (all->messages && n > MOST_MATRIX) {
        print_pairs(all);
    } else if (all->messages) {
        print_matrix(all, "Messages", false);
        print_matrix(all, "Bytes", true);
    }
}

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *amount_json(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *seconds_json(int64_t nanoseconds)
{
    return nanoseconds < 0 ? json_null() : json_real((double)nanoseconds / 1e9);
}

static json_t *text_or_null(const char *text)
{
    return text ? paf_json_text(text) : json_null();
}

static void set_measure(json_t *o, const trace_measure *m, trace_total_kind kind)
{
    json_object_set_new(o, "times", amount_json(m->times));
    json_object_set_new(o, "time", seconds_json(m->time));
    json_object_set_new(o, "inclusive", seconds_json(m->inclusive));
    if (kind == TT_LOOP)
        json_object_set_new(o, "rotation", amount_json(m->rotation));
    else if (kind != TT_UNIT)
        json_object_set_new(o, "bytes", amount_json(m->bytes));
}

static void set_split(json_t *o, const trace_totals *all, uint32_t unit)
{
    paf_total_split s = paf_split_of(all, unit, PAF_NODES_SUM);
    json_object_set_new(o, "communication", seconds_json(s.communication));
    json_object_set_new(o, "calls", seconds_json(s.calls));
    json_object_set_new(o, "loops", seconds_json(s.loops));
    json_object_set_new(o, "io", seconds_json(s.io));
    json_object_set_new(o, "rest", seconds_json(s.rest));
}

static void set_own(json_t *o, const trace *t, const trace_totals *all, const trace_total *p)
{
    const char *unit = p->unit == TRACE_NONE ? NULL : paf_total_text(t, all->totals[p->unit].name);
    if (p->kind != TT_UNIT) {
        json_object_set_new(o, "unit", text_or_null(unit));
        json_object_set_new(o, "seq", p->seq ? paf_json_count(p->seq) : json_null());
    }
    if (p->kind != TT_LOOP) {
        json_object_set_new(o, p->kind == TT_IO ? "data_file" : "name",
                            text_or_null(paf_total_text(t, p->name)));
        json_object_set_new(o, p->kind == TT_IO ? "kind" : "type",
                            text_or_null(paf_total_text(t, p->type)));
    }
    if (p->kind == TT_LOOP || p->kind == TT_IO)
        json_object_set_new(o, "label", text_or_null(paf_total_text(t, p->label)));
    if (p->kind == TT_IO || p->kind == TT_CALL)
        json_object_set_new(o, "number", amount_json(p->number));
    if (p->kind == TT_LOOP)
        json_object_set_new(o, "definite", amount_json(p->definite));
}

static json_t *row_json(const trace *t, const trace_totals *all, const paf_total_row *row,
                        int64_t sum)
{
    const trace_total *p = &all->totals[row->total];
    double share = paf_total_share(all, row->total, &row->m, sum);
    json_t *o = json_object(), *nodes = json_array();
    set_own(o, t, all, p);
    json_object_set_new(
        o, "file",
        p->source == TRACE_NONE
            ? json_null()
            : paf_json_text(trace_string(t, trace_get_source(t, p->source)->name, NULL)));
    json_object_set_new(o, "line", p->line ? paf_json_count(p->line) : json_null());
    set_measure(o, &row->m, p->kind);
    json_object_set_new(o, "share", share < 0 ? json_null() : json_real(share));
    if (p->kind == TT_UNIT)
        set_split(o, all, row->total);
    for (uint32_t i = 0; i < all->nnodes && all->nnodes > 1; i++) {
        trace_measure m = trace_total_at(all, row->total, i);
        json_t *node = json_object();
        set_measure(node, &m, p->kind);
        json_array_append_new(nodes, node);
    }
    json_object_set_new(o, "nodes", nodes);
    return o;
}

static json_t *kind_json(const trace *t, const trace_totals *all, trace_total_kind kind)
{
    if (!all->tables[kind].observed)
        return json_null();
    GArray *rows = paf_total_rows(all, kind, TRACE_NONE, PAF_NODES_SUM, false);
    int64_t sum = paf_totals_sum(all, kind, PAF_NODES_SUM);
    json_t *array = json_array();
    for (guint i = 0; i < rows->len; i++)
        json_array_append_new(array,
                              row_json(t, all, &g_array_index(rows, paf_total_row, i), sum));
    g_array_unref(rows);
    return array;
}

static json_t *messages_json(const trace_totals *all)
{
    if (!all->messages)
        return json_null();
    json_t *array = json_array();
    for (uint32_t i = 0; i < all->ntraffic; i++) {
        const trace_traffic *p = &all->traffic[i];
        json_t *o = json_object();
        json_object_set_new(o, "from", paf_json_count(p->from));
        json_object_set_new(o, "to", paf_json_count(p->to));
        json_object_set_new(o, "messages", amount_json(p->messages));
        json_object_set_new(o, "bytes", amount_json(p->bytes));
        json_array_append_new(array, o);
    }
    return array;
}

json_t *paf_report_totals_json(const trace *t, const trace_totals *all)
{
    static const char *const clocks[] = {"elapsed", "cpu", "unknown"};
    json_t *o = json_object(), *nodes = json_array();
    char *finding = paf_totals_finding(t, all);
    json_object_set_new(o, "finding", paf_json_text(finding));
    g_free(finding);
    json_object_set_new(o, "clock", paf_json_text(clocks[all->clock]));
    for (uint32_t i = 0; i < all->nnodes; i++) {
        const trace_total_node *n = &all->nodes[i];
        json_t *node = json_object();
        json_object_set_new(node, "rank", amount_json(n->rank));
        json_object_set_new(node, "pid", amount_json(n->pid));
        json_object_set_new(node, "thread", amount_json(n->thread));
        json_object_set_new(node, "elapsed", seconds_json(n->elapsed));
        json_array_append_new(nodes, node);
    }
    json_object_set_new(o, "nodes", nodes);
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++)
        json_object_set_new(o, keys[k], kind_json(t, all, (trace_total_kind)k));
    json_object_set_new(o, "messages", messages_json(all));
    return o;
}

// ---------------------------------------------------------------------------------------------

static void csv_number(int64_t n, bool seconds, char after)
{
    if (n >= 0 && seconds)
        printf("%.9f", (double)n / 1e9);
    else if (n >= 0)
        printf("%" PRId64, n);
    if (after)
        putchar(after);
}

static void print_csv(const trace *t, const trace_totals *all)
{
    puts("kind,name,place,times,seconds,inclusive,iterations,bytes");
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++) {
        GArray *rows = paf_total_rows(all, (trace_total_kind)k, TRACE_NONE, PAF_NODES_SUM, false);
        for (guint i = 0; i < rows->len; i++) {
            const paf_total_row *row = &g_array_index(rows, paf_total_row, i);
            char *name = paf_total_name(t, all, &all->totals[row->total]);
            char *place = paf_total_place(t, &all->totals[row->total]);
            printf("%s,", keys[k]);
            paf_csv_text(name, ',');
            paf_csv_text(place ? place : "", ',');
            csv_number(row->m.times, false, ',');
            csv_number(row->m.time, true, ',');
            csv_number(row->m.inclusive, true, ',');
            csv_number(row->m.rotation, false, ',');
            csv_number(row->m.bytes, false, 0);
            putchar('\n');
            g_free(name);
            g_free(place);
        }
        g_array_unref(rows);
    }
}

void paf_report_totals(const trace *t, bool json, bool csv)
{
    const trace_totals *all = trace_get_totals(t);
    if (json) {
        json_t *o = paf_json_answer();
        json_object_set_new(o, "program", paf_json_text(trace_program(t)));
        json_object_set_new(o, "timeline", json_false());
        json_object_set_new(o, "totals", paf_report_totals_json(t, all));
        paf_json_print(o);
        return;
    }
    if (csv) {
        print_csv(t, all);
    } else {
        char *finding = paf_totals_finding(t, all);
        printf("%s%s%s\n\n%s: no timeline was recorded\n", paf_style_begin(STYLE_STRONG), finding,
               paf_style_end(STYLE_STRONG), trace_program(t));
        g_free(finding);
        paf_report_totals_text(t, all, false);
    }
}
