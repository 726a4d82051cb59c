// SPDX-License-Identifier: MIT
#include "kpx-bridge/statistics.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *title;
    bool counts, runs, waits; // what the row has
} rows[KPX_ROWS] = {
    [KPX_MASTER] = {"Master", true, true, false},
    [KPX_SINGLE] = {"Single", true, true, false},
    [KPX_ATOMIC] = {"Atomic", true, false, false},
    [KPX_CRITICAL] = {"Critical", true, true, true},
    [KPX_ORDERED] = {"Ordered", true, true, true},
    [KPX_USER_BARRIER] = {"User Barrier", true, false, true},
    [KPX_IMPLIED_BARRIER] = {"Implied Barrier", true, false, true},
    [KPX_DISTRIBUTED_BARRIER] = {"Distributed Barrier", false, false, true},
    [KPX_DATA_SETUP] = {"Data Setup", false, false, true},
    [KPX_DATA_UPDATE] = {"Data Update", false, false, true},
    [KPX_REDUCTION] = {"Reduction", false, false, true},
};

enum { TITLE = 20, COUNT = 10, TIME = 25 }; // columns

static double seconds(uint64_t nanoseconds)
{
    return (double)nanoseconds / 1e9;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_time(FILE *out, bool has, uint64_t time, uint64_t whole)
{
    if (has)
        fprintf(out, " %13.6fs(%8.3f)", seconds(time), share(time, whole));
    else
        fprintf(out, "%*s", TIME, "");
}

// whole: what the shares are of.
static void print_row(FILE *out, kpx_row_kind kind, const kpx_row *row, uint64_t whole)
{
    fprintf(out, "%*s:", TITLE, rows[kind].title);
    if (!row->observed) {
        fputs(" not observed\n", out);
        return;
    }
    if (rows[kind].counts)
        fprintf(out, "%*llu", COUNT, (unsigned long long)row->count);
    else
        fprintf(out, "%*s", COUNT, "");
    print_time(out, rows[kind].runs, row->running, whole);
    if (rows[kind].waits)
        print_time(out, true, row->waiting + (rows[kind].runs ? 0 : row->running), whole);
    fputc('\n', out);
}

static void print_rows(FILE *out, const kpx_row *list, uint64_t whole, uint64_t program)
{
    fprintf(out, "%*s %*s %*s%*s\n", TITLE, "", COUNT, "Count", TIME, "Exec. Time(%)", TIME,
            "Wait. Time(%)");
    for (int i = 0; i < KPX_ROWS; i++)
        print_row(out, (kpx_row_kind)i, &list[i],
                  i == KPX_DISTRIBUTED_BARRIER ? program : whole);
}

static void print_title(FILE *out, const char *title)
{
    int stars = 61 - (int)strlen(title) - 2, left = stars > 2 ? stars / 2 : 1;
    int right = stars - left > 1 ? stars - left : 1;
    for (int i = 0; i < left; i++)
        fputc('*', out);
    fprintf(out, " %s ", title);
    for (int i = 0; i < right; i++)
        fputc('*', out);
    fputc('\n', out);
}

static void print_region(FILE *out, const kpx_statistics *s, uint32_t i)
{
    const kpx_region *r = &s->regions.at[i];
    char *title = r->file ? kpx_text("Parallel Region %u (%s: %u)", i, r->file, r->line)
                          : kpx_text("Parallel Region %u (place not observed)", i);
    fputc('\n', out);
    print_title(out, title);
    free(title);
    fprintf(out, "%*s: %.6fs(%.3f)\n", TITLE, "Region Exec. Time(%)", seconds(r->elapsed),
            share(r->elapsed, s->elapsed));
    fprintf(out, "%*s: %llu\n", TITLE, "Executions", (unsigned long long)r->times);
    fprintf(out, "%*s: %llu\n", TITLE, "Number of Threads", (unsigned long long)r->threads);
    fprintf(out, "%*s: not observed\n", TITLE, "Shared Local Data");
    print_rows(out, r->rows, r->thread_time, s->elapsed);
}

void kpx_statistics_print(const kpx_statistics *s, FILE *out)
{
    uint64_t parallel = 0, thread_time = 0;
    for (uint32_t i = 0; i < s->regions.n; i++) {
        parallel += s->regions.at[i].elapsed;
        thread_time += s->regions.at[i].thread_time;
    }
    char *title = kpx_text("Program: %s", s->program);
    print_title(out, title);
    free(title);
    fprintf(out, "%26s: %u\n", "Number of Nodes", s->nodes);
    fprintf(out, "%26s: %u\n\n", "Number of Parallel Regions", s->regions.n);
    print_title(out, "Total");
    fprintf(out, "%*s: %.6fs\n", TITLE, "Program Exec. Time", seconds(s->elapsed));
    fprintf(out, "%*s: %.6fs(%.3f)\n", TITLE, "Parallel Exec. Time(%)", seconds(parallel),
            share(parallel, s->elapsed));
    print_rows(out, s->rows, thread_time, s->elapsed);
    for (uint32_t i = 0; i < s->regions.n; i++)
        print_region(out, s, i);
}

void kpx_statistics_free(kpx_statistics *s)
{
    for (uint32_t i = 0; i < s->regions.n; i++)
        free(s->regions.at[i].file);
    free(s->regions.at);
}
