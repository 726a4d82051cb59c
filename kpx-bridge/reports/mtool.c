// SPDX-License-Identifier: MIT
//
// Writes @@m_tool.f66: places of calls, sources, times and counts of each place by node, the nodes'
// overheads, averages and their ratio to the mean overhead. Nodes count from 1. Times are compared
// as they are printed, so a reader of the report finds the same maximum and minimum.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/reports/report.h"
#include "kpx-bridge/reports/table.h"

enum { DECIMALS = 6 };

typedef struct {
    const kpx_totals *t;
    FILE *out;
    ARRAY_OF(uint32_t) calls; // items, in order of their numbers
} report;

static int by_number(const void *x, const void *y, void *data)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    int64_t i = kpx_totals_get_item(data, a)->number, k = kpx_totals_get_item(data, b)->number;
    if (i != k)
        return i < k ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void collect(report *r)
{
    for (uint32_t i = 0; i < kpx_totals_nitems(r->t); i++)
        if (kpx_totals_get_item(r->t, i)->kind == KPX_CALL)
            ARRAY_PUSH(r->calls, i);
    if (r->calls.n > 0)
        qsort_r(r->calls.at, r->calls.n, sizeof *r->calls.at, by_number, (void *)r->t);
}

static const kpx_item *call_at(const report *r, uint32_t i)
{
    return kpx_totals_get_item(r->t, r->calls.at[i]);
}

// As Fortran has it: in capitals.
static void cell_routine(kpx_table *table, const report *r, uint32_t i)
{
    const char *name = call_at(r, i)->name;
    char *capitals = base_copy(name ? name : "-");
    for (char *at = capitals; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    kpx_cell_name(table, capitals);
    free(capitals);
}

// ---- Places and sources -------------------------------------------------------------------------

static void print_rule(FILE *out, uint32_t width)
{
    fputc(' ', out);
    for (uint32_t i = 1; i < width; i++)
        fputc(i % 12 == 6 ? '*' : i % 12 == 0 ? (char)('0' + i / 12 % 10) : '-', out);
    fputc('\n', out);
}

static void print_ruled(kpx_table *table, FILE *out)
{
    kpx_table_print(table, out, 0, 1);
    print_rule(out, kpx_table_width(table));
    kpx_table_print(table, out, 1, kpx_table_rows(table));
    kpx_table_free(table);
}

static void print_places(const report *r)
{
    static const char *const headings[] = {"seq.", "Subprogram name", "loc.", "MPI call name",
                                           "",     "",                ""};
    kpx_table table = kpx_table_of(7, "rlrllrl", headings, (uint32_t[]){5, 15, 5, 16, 10, 5, 0});
    fprintf(r->out, " <<< MPI:A Message-Passing Interface library Cost List >>>\n\n");
    fprintf(r->out, " Number of nodes : %u\n MPI call lines  : %zu\n\n", kpx_totals_nnodes(r->t),
            r->calls.n);
    for (uint32_t i = 0; i < r->calls.n; i++) {
        const kpx_item *item = call_at(r, i);
        kpx_cell_line(&table, item->seq);
        kpx_cell_unit(&table, r->t, call_at(r, i)->unit);
        kpx_cell_count(&table, item->number);
        cell_routine(&table, r, i);
        kpx_cell_name(&table, item->type);
        kpx_cell_line(&table, item->line);
        kpx_cell_name(&table, item->file == KPX_NO_ITEM
                                  ? NULL
                                  : kpx_base_name(kpx_totals_get_file(r->t, item->file)));
    }
    print_ruled(&table, r->out);
}

static void print_sources(const report *r)
{
    fprintf(r->out, "\n File# filename\n");
    for (uint32_t i = 0; i < kpx_totals_nfiles(r->t); i++) {
        kpx_table name = kpx_table_of(1, "l", (const char *[]){""}, (uint32_t[]){0});
        kpx_cell_name(&name, kpx_base_name(kpx_totals_get_file(r->t, i)));
        fprintf(r->out, " %5u %s\n", i + 1, name.cells.at[1]);
        kpx_table_free(&name);
    }
}

// ---- By node ----------------------------------------------------------------------------------

// Largest, smallest (the first node among equals) and mean of what was observed.
typedef struct {
    uint32_t most, least;
    int64_t mean, sum;
    uint32_t n;
} spread;

static spread spread_of(const int64_t *times, uint32_t n)
{
    spread s = {.most = KPX_NO_ITEM, .least = KPX_NO_ITEM, .mean = KPX_UNOBSERVED, .sum = -1};
    for (uint32_t i = 0; i < n; i++) {
        if (times[i] < 0)
            continue;
        int64_t time = kpx_round(times[i], DECIMALS);
        if (s.most == KPX_NO_ITEM || time > kpx_round(times[s.most], DECIMALS))
            s.most = i;
        if (s.least == KPX_NO_ITEM || time < kpx_round(times[s.least], DECIMALS))
            s.least = i;
        kpx_add_amount(&s.sum, times[i]);
        s.n++;
    }
    if (s.n > 0)
        s.mean = s.sum / s.n;
    return s;
}

// Three lines: the longest time with its node, the shortest one, the mean.
static void cell_node(kpx_table *table, uint32_t node)
{
    if (node == KPX_NO_ITEM)
        kpx_cell(table, "-");
    else
        kpx_cell(table, "%u", node + 1);
}

static void cell_blanks(kpx_table *table, uint32_t n)
{
    while (n-- > 0)
        kpx_cell(table, "%s", "");
}

static int64_t time_or_none(const int64_t *times, uint32_t node)
{
    return node == KPX_NO_ITEM ? KPX_UNOBSERVED : times[node];
}

static void add_place(kpx_table *table, const report *r, uint32_t i, int64_t *times)
{
    const kpx_item *item = call_at(r, i);
    uint32_t n = kpx_totals_nnodes(r->t);
    for (uint32_t node = 0; node < n; node++)
        times[node] = kpx_totals_get(r->t, r->calls.at[i], node).time;
    spread s = spread_of(times, n);
    if (s.n == 0 && item->reported.mean < 0)
        return; // it was not measured
    kpx_cell_line(table, item->seq);
    kpx_cell_unit(table, r->t, call_at(r, i)->unit);
    kpx_cell_count(table, item->number);
    cell_routine(table, r, i);
    kpx_cell_line(table, item->file == KPX_NO_ITEM ? 0 : item->file + 1);
    kpx_cell_line(table, item->line);
    cell_node(table, s.most);
    kpx_cell_time(table, time_or_none(times, s.most), DECIMALS);
    kpx_cell(table, "(Maximum)");
    cell_blanks(table, 6);
    cell_node(table, s.least);
    kpx_cell_time(table, time_or_none(times, s.least), DECIMALS);
    kpx_cell(table, "(Minimum)");
    cell_blanks(table, 7);
    kpx_cell_time(table, item->reported.mean >= 0 ? item->reported.mean : s.mean, DECIMALS);
    kpx_cell(table, "(Mean)");
    for (uint32_t node = 0; node < n; node++) {
        int64_t count = kpx_totals_get(r->t, r->calls.at[i], node).times;
        cell_blanks(table, 6);
        kpx_cell(table, "%u", node + 1);
        kpx_cell_time(table, times[node], DECIMALS);
        if (count < 0)
            kpx_cell(table, "(-)");
        else
            kpx_cell(table, "(%lld)", (long long)count);
    }
}

static void print_by_node(const report *r)
{
    static const char *const headings[] = {"seq.",  "sub",  "loc.",      "MPI name", "File#",
                                           "Line.", "Node", "time(sec)", "counts"};
    kpx_table table =
        kpx_table_of(9, "rlrlrrrrl", headings, (uint32_t[]){5, 8, 5, 16, 5, 5, 5, 12, 6});
    int64_t *times = base_allocate((kpx_totals_nnodes(r->t) + (size_t)1), sizeof *times);
    for (uint32_t i = 0; i < r->calls.n; i++)
        add_place(&table, r, i, times);
    fputc('\n', r->out);
    print_ruled(&table, r->out);
    free(times);
}

// ---- Overheads and averages -------------------------------------------------------------------

static int64_t overhead_of(const report *r, uint32_t node)
{
    int64_t sum = kpx_totals_get_node(r->t, node)->overhead;
    for (uint32_t i = 0; i < r->calls.n && kpx_totals_get_node(r->t, node)->overhead < 0; i++)
        kpx_add_amount(&sum, kpx_totals_get(r->t, r->calls.at[i], node).time);
    return sum;
}

static int64_t longest(const report *r)
{
    int64_t most = KPX_UNOBSERVED;
    for (uint32_t i = 0; i < kpx_totals_nnodes(r->t); i++)
        if (kpx_totals_get_node(r->t, i)->elapsed > most)
            most = kpx_totals_get_node(r->t, i)->elapsed;
    return most;
}

// The mean of the overheads.
static int64_t print_overheads(const report *r)
{
    static const char *const headings[] = {"node", "total time(sec)", ""};
    uint32_t n = kpx_totals_nnodes(r->t);
    int64_t *times = base_allocate((n + (size_t)1), sizeof *times);
    kpx_table table = kpx_table_of(3, "rrl", headings, (uint32_t[]){5, 15, 0});
    kpx_table elapsed = kpx_table_of(1, "r", (const char *[]){""}, (uint32_t[]){12});
    for (uint32_t i = 0; i < n; i++)
        times[i] = overhead_of(r, i);
    spread s = spread_of(times, n);
    int64_t reported = kpx_totals_reported_total(r->t, KPX_CALL);
    kpx_cell_time(&elapsed, longest(r), DECIMALS);
    cell_node(&table, s.most);
    kpx_cell_time(&table, time_or_none(times, s.most), DECIMALS);
    kpx_cell(&table, "(Maximum)");
    cell_node(&table, s.least);
    kpx_cell_time(&table, time_or_none(times, s.least), DECIMALS);
    kpx_cell(&table, "(Minimum)");
    cell_blanks(&table, 1);
    kpx_cell_time(&table, reported >= 0 ? reported : s.mean, DECIMALS);
    kpx_cell(&table, "(Mean)");
    for (uint32_t i = 0; i < n; i++) {
        kpx_cell(&table, "%u", i + 1);
        kpx_cell_time(&table, times[i], DECIMALS);
        cell_blanks(&table, 1);
    }
    fprintf(r->out, "\n TOTAL Elapsed Time\n %s second.\n\n TOTAL OVERHEAD\n", elapsed.cells.at[1]);
    print_ruled(&table, r->out);
    kpx_table_free(&elapsed);
    free(times);
    return reported >= 0 ? reported : s.mean;
}

static int64_t average_of(const report *r, uint32_t i)
{
    const kpx_item *item = call_at(r, i);
    int64_t sum = KPX_UNOBSERVED;
    uint32_t n = 0;
    for (uint32_t node = 0; node < kpx_totals_nnodes(r->t); node++) {
        int64_t time = kpx_totals_get(r->t, r->calls.at[i], node).time;
        kpx_add_amount(&sum, time);
        n += time >= 0;
    }
    return item->reported.average >= 0 ? item->reported.average : n > 0 ? sum / n : sum;
}

// `Avarage` is what the original writes.
static void print_averages(const report *r, int64_t mean)
{
    static const char *const headings[] = {"subprogram name", "Line.", "MPI call name",
                                           "Avarage (sec)", "ratio%"};
    kpx_table table = kpx_table_of(5, "lrlrr", headings, (uint32_t[]){15, 5, 16, 13, 7});
    for (uint32_t i = 0; i < r->calls.n; i++) {
        const kpx_item *item = call_at(r, i);
        int64_t average = average_of(r, i), share = item->reported.share;
        if (average < 0)
            continue;
        int64_t hundredths = share >= 0 ? (share + 5) / 10 : kpx_share(average, mean, 10000);
        kpx_cell_unit(&table, r->t, call_at(r, i)->unit);
        kpx_cell_line(&table, item->line);
        cell_routine(&table, r, i);
        kpx_cell_time(&table, average, DECIMALS);
        kpx_cell(&table, "%lld.%02lld", (long long)hundredths / 100, (long long)hundredths % 100);
    }
    fputc('\n', r->out);
    print_ruled(&table, r->out);
}

void kpx_write_mtool(const kpx_totals *t, FILE *out)
{
    report r = {.t = t, .out = out};
    collect(&r);
    print_places(&r);
    print_sources(&r);
    print_by_node(&r);
    print_averages(&r, print_overheads(&r));
    free(r.calls.at);
}
