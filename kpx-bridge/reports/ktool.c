// SPDX-License-Identifier: MIT
//
// Writes @@k_tool.f66: one table for each kind of item, the longest time first, and the sources.
// The shares of a table refer to its own total.
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/log/names.h"
#include "kpx-bridge/reports/report.h"
#include "kpx-bridge/reports/table.h"

typedef struct {
    uint32_t item; // or a file
    kpx_measure m;
} row;

typedef ARRAY_OF(row) row_list;

static kpx_measure measure_of(const kpx_totals *t, uint32_t item, uint32_t node)
{
    return node == KPX_ALL_NODES ? kpx_totals_sum(t, item) : kpx_totals_get(t, item, node);
}

static bool is_measured(const kpx_measure *m)
{
    return m->times >= 0 || m->time >= 0 || m->inclusive >= 0 || m->rotation >= 0;
}

// The own time, or the inclusive time if only that is known.
static int64_t time_of(const kpx_measure *m)
{
    return m->time >= 0 ? m->time : m->inclusive;
}

static int by_time(const void *x, const void *y)
{
    const row *a = x, *b = y;
    if (time_of(&a->m) != time_of(&b->m))
        return time_of(&a->m) > time_of(&b->m) ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static row_list rows_of(const kpx_totals *t, kpx_item_kind kind, uint32_t node)
{
    row_list list = {0};
    for (uint32_t i = 0; i < kpx_totals_nitems(t); i++) {
        if (kpx_totals_get_item(t, i)->kind != kind)
            continue;
        row r = {i, measure_of(t, i, node)};
        if (is_measured(&r.m))
            ARRAY_PUSH(list, r);
    }
    if (list.n > 0)
        qsort(list.at, list.n, sizeof *list.at, by_time);
    return list;
}

static int64_t total_of(const kpx_totals *t, kpx_item_kind kind, const row_list *list)
{
    int64_t sum = KPX_UNOBSERVED, reported = kpx_totals_reported_total(t, kind);
    for (uint32_t i = 0; i < list->n; i++)
        kpx_add_amount(&sum, time_of(&list->at[i].m));
    return reported >= 0 ? reported : sum;
}

static void cell_share(kpx_table *table, int64_t reported, int64_t time, int64_t total)
{
    int64_t tenths = reported >= 0 ? (reported + 50) / 100 : kpx_share(time, total, 1000);
    if (time < 0)
        kpx_cell(table, "-");
    else
        kpx_cell(table, "%lld.%lld", (long long)tenths / 10, (long long)tenths % 10);
}

// TIME:SEC, %, LINE, FILE/*.f
static void finish_row(kpx_table *table, const kpx_totals *t, const row *r, int64_t total)
{
    const kpx_item *item = kpx_totals_get_item(t, r->item);
    kpx_cell_time(table, time_of(&r->m), 3);
    cell_share(table, item->reported.share, time_of(&r->m), total);
    kpx_cell_line(table, item->line);
    kpx_cell_name(table, item->file == KPX_NO_ITEM
                             ? NULL
                             : kpx_base_name(kpx_totals_get_file(t, item->file)));
}

static void print_rule(FILE *out, uint32_t width)
{
    fputc(' ', out);
    for (uint32_t i = 1; i < width; i++)
        fputc('-', out);
    fputc('\n', out);
}

static void print_table(kpx_table *table, const char *title, int64_t total, uint32_t time_column,
                        FILE *out)
{
    kpx_table sum = kpx_table_of(1, "r", (const char *[]){""}, (uint32_t[]){0});
    uint32_t width = kpx_table_width(table);
    kpx_cell_time(&sum, total, 3);
    fprintf(out, " <<< %s >>>\n\n", title);
    kpx_table_print(table, out, 0, 1);
    print_rule(out, width);
    kpx_table_print(table, out, 1, kpx_table_rows(table));
    print_rule(out, width);
    fprintf(out, "%*s\n\n", (int)kpx_table_end(table, time_column), sum.cells.at[1]);
    kpx_table_free(&sum);
    kpx_table_free(table);
}

// ---- Tables -----------------------------------------------------------------------------------

static void print_units(const kpx_totals *t, uint32_t node, FILE *out)
{
    static const char *const headings[] = {"PROGRAM", "TIMES", "TIME:SEC", "%", "LINE", "FILE/*.f"};
    row_list list = rows_of(t, KPX_UNIT, node);
    int64_t total = total_of(t, KPX_UNIT, &list);
    kpx_table table = kpx_table_of(6, "lrrrrl", headings, (uint32_t[]){8, 11, 11, 6, 6, 8});
    for (uint32_t i = 0; i < list.n; i++) {
        kpx_cell_unit(&table, t, list.at[i].item);
        kpx_cell_count(&table, list.at[i].m.times);
        finish_row(&table, t, &list.at[i], total);
    }
    print_table(&table, "PROGRAM UNIT RESULTS", total, 2, out);
    free(list.at);
}

// The number of the unit, or how the source has it.
static void cell_unit_number(kpx_table *table, int64_t number, const char *label)
{
    if (number >= 0)
        kpx_cell_count(table, number);
    else if (label && strcmp(label, "UNIT NO.") == 0)
        kpx_cell(table, "%s", label);
    else
        kpx_cell_name(table, label);
}

static void print_io(const kpx_totals *t, uint32_t node, FILE *out)
{
    static const char *const headings[] = {"PROGRAM",  "SEQ.", "UNIT NO.", "KIND",    "TIMES",
                                           "TIME:SEC", "%",    "LINE",     "FILE/*.f"};
    row_list list = rows_of(t, KPX_IO, node);
    int64_t total = total_of(t, KPX_IO, &list);
    kpx_table table =
        kpx_table_of(9, "lrllrrrrl", headings, (uint32_t[]){8, 5, 8, 6, 11, 11, 6, 6, 8});
    for (uint32_t i = 0; i < list.n; i++) {
        const kpx_item *item = kpx_totals_get_item(t, list.at[i].item);
        kpx_cell_unit(&table, t, item->unit);
        kpx_cell_line(&table, item->seq);
        cell_unit_number(&table, item->number, item->label);
        kpx_cell_name(&table, item->type);
        kpx_cell_count(&table, list.at[i].m.times);
        finish_row(&table, t, &list.at[i], total);
    }
    print_table(&table, "I/O PROCESS RESULTS", total, 5, out);
    free(list.at);
}

static void cell_mean(kpx_table *table, int64_t rotation, int64_t times)
{
    if (rotation < 0 || times < 0)
        kpx_cell(table, "-");
    else
        kpx_cell(table, "%lld.%lld", (long long)kpx_share(rotation, times, 10) / 10,
                 (long long)kpx_share(rotation, times, 10) % 10);
}

static void print_loops(const kpx_totals *t, uint32_t node, FILE *out)
{
    static const char *const headings[] = {"PROGRAM",  "SEQ.",  "LABEL",    "T", "ROTATION",
                                           "MEAN:ROT", "TIMES", "TIME:SEC", "%", "LINE",
                                           "FILE/*.f"};
    row_list list = rows_of(t, KPX_LOOP, node);
    int64_t total = total_of(t, KPX_LOOP, &list);
    kpx_table table = kpx_table_of(11, "lrrrrrrrrrl", headings,
                                   (uint32_t[]){8, 5, 6, 2, 13, 12, 11, 11, 6, 6, 8});
    for (uint32_t i = 0; i < list.n; i++) {
        const kpx_item *item = kpx_totals_get_item(t, list.at[i].item);
        const kpx_measure *m = &list.at[i].m;
        kpx_cell_unit(&table, t, item->unit);
        kpx_cell_line(&table, item->seq);
        kpx_cell_name(&table, item->label);
        kpx_cell_count(&table, item->definite);
        kpx_cell_count(&table, m->rotation);
        cell_mean(&table, m->rotation, m->times);
        kpx_cell_count(&table, m->times);
        finish_row(&table, t, &list.at[i], total);
    }
    print_table(&table, "DO LOOP RESULTS", total, 7, out);
    free(list.at);
}

// ---- Input and output by file -----------------------------------------------------------------

static kpx_measure data_of(const kpx_totals *t, uint32_t file, uint32_t node)
{
    kpx_measure sum = {KPX_UNOBSERVED, KPX_UNOBSERVED, KPX_UNOBSERVED, KPX_UNOBSERVED, KPX_UNOBSERVED};
    for (uint32_t i = 0; i < kpx_totals_nnodes(t); i++) {
        if (node != KPX_ALL_NODES && node != i)
            continue;
        kpx_measure m = kpx_totals_get_data(t, file, i);
        kpx_add_amount(&sum.times, m.times);
        kpx_add_amount(&sum.time, m.time);
    }
    return sum;
}

static void add_file_row(kpx_table *table, const kpx_data_file *f, const kpx_measure *m,
                         int64_t total)
{
    cell_unit_number(table, f->number, f->label);
    kpx_cell_count(table, m->times);
    kpx_cell_time(table, m->time, 3);
    cell_share(table, f->share, m->time, total);
    kpx_cell_name(table, f->name);
}

// Only where a number or a name of a file is known.
static void print_files(const kpx_totals *t, uint32_t node, FILE *out)
{
    static const char *const headings[] = {"UNIT NO.", "TIMES", "TIME:SEC", "%", "FILE NAME"};
    row_list list = {0};
    bool known = false;
    int64_t sum = KPX_UNOBSERVED, reported = kpx_totals_reported_data_total(t);
    for (uint32_t i = 0; i < kpx_totals_ndata_files(t); i++) {
        const kpx_data_file *f = kpx_totals_get_data_file(t, i);
        row r = {i, data_of(t, i, node)};
        known = known || f->number >= 0 || f->name;
        kpx_add_amount(&sum, r.m.time);
        if (is_measured(&r.m))
            ARRAY_PUSH(list, r);
    }
    if (list.n > 0)
        qsort(list.at, list.n, sizeof *list.at, by_time);
    int64_t total = reported >= 0 ? reported : sum;
    kpx_table table = kpx_table_of(5, "lrrrl", headings, (uint32_t[]){8, 11, 11, 6, 9});
    for (uint32_t i = 0; i < list.n; i++)
        add_file_row(&table, kpx_totals_get_data_file(t, list.at[i].item), &list.at[i].m, total);
    if (known)
        print_table(&table, "I/O FILE RESULTS", total, 2, out);
    else
        kpx_table_free(&table);
    free(list.at);
}

// ---- Sources ----------------------------------------------------------------------------------

static void print_sources(const kpx_totals *t, FILE *out)
{
    fputs(" <<< SOURCE FILE NAME(S) >>>\n\n  FILE SOURCE FILE NAME\n"
          " -----*-----1-----*-----2-----*-----3-----*-----4-----*-----5.\n",
          out);
    for (uint32_t i = 0; i < kpx_totals_nfiles(t); i++) {
        kpx_table name = kpx_table_of(1, "l", (const char *[]){""}, (uint32_t[]){0});
        kpx_cell_name(&name, kpx_base_name(kpx_totals_get_file(t, i)));
        fprintf(out, " %5u %s\n", i + 1, name.cells.at[1]);
        kpx_table_free(&name);
    }
}

void kpx_write_ktool(const kpx_totals *t, uint32_t node, FILE *out)
{
    if (kpx_totals_observed(t, KPX_UNIT))
        print_units(t, node, out);
    if (kpx_totals_observed(t, KPX_IO)) {
        print_io(t, node, out);
        print_files(t, node, out);
    }
    if (kpx_totals_observed(t, KPX_LOOP))
        print_loops(t, node, out);
    print_sources(t, out);
}
