// SPDX-License-Identifier: MIT
//
// Prints the history of a measured run as JSON, for tests: places, activities with what they need and
// what is told of them, and parallel regions with their figures.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profiler/regions.h"
#include "profiler/statistics.h"
#include "profiler/trace_reader.h"

static void put_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void put_values(const trace *t, uint32_t goal)
{
    uint32_t n = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    const char *comma = "";
    fputs(", \"values\": {", stdout);
    for (uint32_t i = 0; i < n; i++) {
        trace_value v = trace_goal_arg(t, goal, i);
        if (v.kind != TV_CELL)
            continue;
        trace_value is = trace_cell_arg(t, v.id, 0);
        fputs(comma, stdout);
        put_text(trace_string(t, trace_cell_name(t, v.id), NULL));
        fputs(": ", stdout);
        if (is.kind == TV_INT)
            printf("%" PRId64, is.i);
        else
            put_text(trace_string(t, is.id, NULL));
        comma = ", ";
    }
    fputs("}", stdout);
}

static void put_activity(const trace *t, uint32_t r)
{
    uint32_t goal = trace_reduction_goal(t, r);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, r));
    const trace_predicate *p = trace_get_predicate(t, c->predicate);
    const uint32_t *reads;
    uint32_t n = trace_reads(t, r, &reads);
    printf("{\"number\": %" PRIu32 ", \"module\": ", r);
    put_text(trace_module_name(t, p->module));
    fputs(", \"name\": ", stdout);
    put_text(trace_string(t, p->name, NULL));
    printf(", \"waits\": %s, \"place\": %" PRIu32 ", \"start\": %" PRId64 ", \"end\": %" PRId64
           ", \"time\": %" PRId64 ", \"maker\": %" PRIu32 ", \"needs\": [",
           c->waits ? "true" : "false", trace_place(t, r), trace_start(t, r), trace_end(t, r),
           trace_time(t, r), trace_goal_parent(t, goal));
    for (uint32_t i = 0; i < n; i++) {
        printf("%s[%" PRIu32 ", ", i > 0 ? ", " : "",
               trace_binding_maker(t, trace_cell_binding(t, reads[i])));
        put_text(trace_string(t, trace_cell_name(t, reads[i]), NULL));
        fputs("]", stdout);
    }
    fputs("]", stdout);
    put_values(t, goal);
    fputs("}", stdout);
}

static void put_region(const trace_region *r)
{
    fputs("{\"file\": ", stdout);
    put_text(r->file);
    printf(", \"line\": %" PRIu32 ", \"threads\": %" PRIu32 ", \"elapsed\": %" PRIu64
           ", \"thread_time\": %" PRIu64 ", \"figures\": {",
           r->line, r->threads, r->elapsed, r->thread_time);
    for (int i = 0; i < TRACE_FIGURES; i++) {
        const trace_figure *f = &r->figures[i];
        fputs(i > 0 ? ", " : "", stdout);
        put_text(trace_get_figure_row((trace_figure_kind)i)->title);
        if (f->observed)
            printf(": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", f->count, f->running, f->waiting);
        else
            fputs(": null", stdout);
    }
    fputs("}, \"teams\": [", stdout);
    for (uint32_t i = 0; i < r->nteams; i++) {
        printf("%s{\"start\": %" PRId64 ", \"took\": %" PRId64 ", \"places\": [", i > 0 ? ", " : "",
               r->teams[i].start, r->teams[i].took);
        for (uint32_t k = 0; k < r->teams[i].nplaces; k++)
            printf("%s%" PRIu32, k > 0 ? ", " : "", r->teams[i].places[k]);
        fputs("]}", stdout);
    }
    fputs("]}", stdout);
}

int main(int argc, char **argv)
{
    char *error = NULL;
    trace *t = argc == 2 ? trace_open(argv[1], NULL, NULL, &error) : NULL;
    if (!t || error) {
        fprintf(stderr, "print_trace: %s\n", error ? error : "usage: print_trace FILE.paf");
        return 1;
    }
    fputs("{\"places\": [", stdout);
    for (uint32_t i = 0; i < trace_nplaces(t); i++) {
        fputs(i > 0 ? ", " : "", stdout);
        put_text(trace_place_name(t, i));
    }
    fputs("],\n\"activities\": [", stdout);
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        fputs(r > 1 ? ",\n" : "\n", stdout);
        put_activity(t, r);
    }
    fputs("],\n\"regions\": [", stdout);
    const trace_regions *all = trace_get_regions(t);
    for (uint32_t i = 0; all && i <= all->nregions; i++) {
        fputs(i > 0 ? ",\n" : "\n", stdout);
        put_region(&all->regions[i]);
    }
    puts("]}");
    trace_close(t);
    return 0;
}
