// SPDX-License-Identifier: MIT
//
// The statistics of an OpenMP program and of each of its parallel regions as text. The rows are those of
// fig. 17 of Uejima, Kohata, Kaneda: "A Parallel Program Visualization Tool for Omni OpenMP
// Compiler" (IPSJ Transactions on Advanced Computing Systems, 2005), without those of distributed shared
// memory. The share of a construct is of threads x time of its region, that of a region is of the
// program's time. Of several nodes (processes) times are means, so that they fit each other and the
// program's time; counts are sums.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/format/reason.h"
#include "profiler/statistics.h"

static const trace_figure_row rows[TRACE_FIGURES] = {
    [TRACE_MASTER] = {"Master", true, true, false},
    [TRACE_SINGLE] = {"Single", true, true, false},
    [TRACE_ATOMIC] = {"Atomic", true, false, false},
    [TRACE_CRITICAL] = {"Critical", true, true, true},
    [TRACE_ORDERED] = {"Ordered", true, true, true},
    [TRACE_USER_BARRIER] = {"User Barrier", true, false, true},
    [TRACE_IMPLIED_BARRIER] = {"Implied Barrier", true, false, true},
    [TRACE_DATA_SETUP] = {"Data Setup", false, false, true},
    [TRACE_DATA_UPDATE] = {"Data Update", false, false, true},
    [TRACE_REDUCTION] = {"Reduction", false, false, true},
};

enum { TITLE = 22, COUNT = 8, TIME = 22, LINE = 65 }; // columns

const trace_figure_row *trace_get_figure_row(trace_figure_kind kind)
{
    return &rows[kind];
}

uint64_t trace_figure_waiting(trace_figure_kind kind, const trace_figure *figure)
{
    return figure->waiting + (rows[kind].runs ? 0 : figure->running);
}

static trace_figure by_processor_time(const trace_figure *f)
{
    return (trace_figure){f->observed, f->count, f->ran, f->spun, f->ran, f->spun};
}

static double seconds(uint64_t nanoseconds)
{
    return (double)nanoseconds / 1e9;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

// `nodes`: of how many nodes the times are sums.
static void print_time(FILE *out, uint64_t time, uint64_t whole, uint32_t nodes)
{
    fprintf(out, "  %11.6fs(%7.3f)", seconds(time) / nodes, share(time, whole));
}

static void print_row(FILE *out, trace_figure_kind kind, const trace_figure *f, uint64_t whole,
                      uint32_t nodes)
{
    const trace_figure_row *row = &rows[kind];
    fprintf(out, "%*s:", TITLE, row->title);
    if (!f->observed) {
        fputs(" not observed\n", out);
        return;
    }
    if (row->counts)
        fprintf(out, "%*" PRIu64, COUNT, f->count);
    else if (row->waits)
        fprintf(out, "%*s", COUNT, "");
    if (row->runs)
        print_time(out, f->running, whole, nodes);
    else if (row->waits)
        fprintf(out, "%*s", TIME, "");
    if (row->waits)
        print_time(out, trace_figure_waiting(kind, f), whole, nodes);
    fputc('\n', out);
}

static void print_rows(FILE *out, const trace_region *r, uint32_t nodes, bool cpu)
{
    fprintf(out, "%*s%*s  %-*s%s\n", TITLE + 1, "", COUNT, "Count", TIME - 2, "  Exec. Time(%)",
            "    Wait. Time(%)");
    for (int i = 0; i < TRACE_FIGURES; i++) {
        trace_figure f = cpu ? by_processor_time(&r->figures[i]) : r->figures[i];
        print_row(out, (trace_figure_kind)i, &f, r->thread_time, nodes);
    }
}

static void print_stars(FILE *out, int n)
{
    for (int i = 0; i < (n > 1 ? n : 1); i++)
        fputc('*', out);
}

static void print_title(FILE *out, const char *title)
{
    int stars = LINE - (int)strlen(title) - 2;
    print_stars(out, stars / 2);
    fprintf(out, " %s ", title);
    print_stars(out, stars - stars / 2);
    fputc('\n', out);
}

static void print_region(FILE *out, const trace_regions *s, uint32_t i, uint64_t program, bool cpu)
{
    const trace_region *r = &s->regions[i];
    uint32_t nodes = s->nodes ? s->nodes : 1;
    char *place = r->line      ? trace_text_format("%s: %u", r->file, r->line)
                  : *r->file ? trace_text_format("%s", r->file) // the name of its function
                             : trace_text_format("place not observed");
    char *times = r->nteams == 1 ? trace_text_format("%s", "")
                                 : trace_text_format(", %u executions", r->nteams);
    char *title =
        trace_text_format("Parallel Region %u (%s)%s", i, place ? place : "", times ? times : "");
    free(place);
    free(times);
    fputc('\n', out);
    print_title(out, title ? title : "");
    free(title);
    fprintf(out, "%*s: %.6fs(%6.3f)\n", TITLE, "Region Exec. Time(%)", seconds(r->elapsed) / nodes,
            share(r->elapsed, program));
    fprintf(out, "%*s: %" PRIu32 "\n", TITLE, "Number of Threads", r->threads);
    print_rows(out, r, nodes, cpu);
}

char *trace_statistics_text(const trace_regions *s, const char *program, bool cpu)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    const trace_region *all = &s->regions[s->nregions];
    uint32_t nodes = s->nodes ? s->nodes : 1;
    uint64_t time = s->elapsed; // of all nodes
    if (__builtin_mul_overflow(time, nodes, &time))
        time = UINT64_MAX;
    char *title = trace_text_format("Program: %s", program);
    print_title(out, title ? title : "");
    free(title);
    fprintf(out, "%*s: %" PRIu32 "\n", TITLE + 4, "Number of Nodes", s->nodes);
    fprintf(out, "%*s: %" PRIu32 "\n\n", TITLE + 4, "Number of Parallel Regions", s->nregions);
    if (nodes > 1)
        fprintf(out, "Times are means of the %" PRIu32 " nodes, counts are sums.\n\n", nodes);
    if (cpu)
        fputs("Times of constructs are processor time, those of program and regions elapsed time.\n\n", out);
    print_title(out, "Total");
    fprintf(out, "%*s: %.6fs\n", TITLE, "Program Exec. Time", seconds(s->elapsed));
    fprintf(out, "%*s: %.6fs(%6.2f%%)\n", TITLE, "Parallel Exec. Time(%)", seconds(all->elapsed) / nodes,
            share(all->elapsed, time));
    print_rows(out, all, nodes, cpu);
    for (uint32_t i = 0; i < s->nregions; i++)
        print_region(out, s, i, time, cpu);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
