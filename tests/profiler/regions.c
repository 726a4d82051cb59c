// SPDX-License-Identifier: MIT
//
// Parallel regions of a measured run, and events that were not kept: written and read again, and
// what is refused.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "model.h"
#include "profiler/statistics.h"
#include "profiler/trace_reader.h"
#include "profiler/trace_writer.h"
#include "profiler/workers.h"

enum { REGIONS = 3 };

typedef struct {
    trace_regions all;
    trace_region regions[REGIONS + 1];
    trace_figure figures[REGIONS + 1][TRACE_FIGURES];
    trace_team teams[REGIONS];
    uint32_t places[4];
} sample;

static void make(sample *s)
{
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < 4; i++)
        s->places[i] = 3 - i;
    for (uint32_t i = 0; i <= REGIONS; i++) {
        s->regions[i] = (trace_region){.file = i == 0 ? "work" : i < REGIONS ? "heat.c" : "",
                                       .length = i == 0 ? 4 : i < REGIONS ? 6 : 0,
                                       .line = 10 * i,
                                       .clause = i == 0 ? 0 : TRACE_NONE,
                                       .threads = 4,
                                       .elapsed = 1000 + i,
                                       .thread_time = 4000,
                                       .figures = s->figures[i]};
        for (uint32_t k = 0; k < TRACE_FIGURES; k++)
            s->figures[i][k] = (trace_figure){k % 3 != 0, i + k, 100 * k, 7 * i, 60 * k, 5 * i};
        if (i == REGIONS)
            break;
        s->teams[i] =
            (trace_team){.start = 50 * i, .took = 40, .nplaces = i + 2, .places = s->places};
        s->regions[i].nteams = 1;
        s->regions[i].teams = &s->teams[i];
    }
    s->all =
        (trace_regions){.nodes = 1, .elapsed = 5000, .nregions = REGIONS, .regions = s->regions};
}

static bool write_sample(const sample *s, const char *path, trace_clock clock, char **ret_error)
{
    tw *w = tw_create(path, &(trace_run){.clock = clock, .places = 4}, "heat", ret_error);
    tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
    tw_clause(w, &(trace_clause){.source = TRACE_NONE, .dynamic = true});
    tw_reduction(w, &(trace_reduction){.time = 0});
    tw_regions(w, &s->all);
    return tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", ret_error);
}

static void compare(const trace_region *a, const trace_region *b)
{
    CHECK(strcmp(a->file, b->file) == 0 && a->line == b->line && a->clause == b->clause);
    CHECK(a->threads == b->threads && a->elapsed == b->elapsed && a->thread_time == b->thread_time);
    for (int k = 0; k < TRACE_FIGURES; k++)
        CHECK(a->figures[k].observed == b->figures[k].observed &&
              a->figures[k].count == b->figures[k].count &&
              a->figures[k].running == b->figures[k].running &&
              a->figures[k].waiting == b->figures[k].waiting &&
              a->figures[k].ran == b->figures[k].ran && a->figures[k].spun == b->figures[k].spun);
    CHECK(a->nteams == b->nteams);
    for (uint32_t i = 0; i < a->nteams && i < b->nteams; i++) {
        CHECK(a->teams[i].start == b->teams[i].start && a->teams[i].took == b->teams[i].took);
        CHECK(a->teams[i].nplaces == b->teams[i].nplaces &&
              memcmp(a->teams[i].places, b->teams[i].places,
                     a->teams[i].nplaces * sizeof(uint32_t)) == 0);
    }
}

static void round_trip(const char *path)
{
    sample s;
    char *error = NULL;
    make(&s);
    CHECK_SAY(write_sample(&s, path, TRACE_MEASURED, &error), "%s", error ? error : "");
    trace *t = trace_open(path, NULL, NULL, &error);
    if (!CHECK_SAY(t && !error, "%s", error ? error : ""))
        return;
    const trace_regions *r = trace_get_regions(t);
    if (CHECK(r && r->nregions == REGIONS && r->nodes == 1 && r->elapsed == 5000))
        for (uint32_t i = 0; i <= REGIONS; i++)
            compare(&r->regions[i], &s.regions[i]);
    CHECK(traverse(t));
    trace_close(t);
}

// With four nodes times are a fourth, shares and counts are the same.
static void as_text_of_nodes(void)
{
    static const char *const lines[] = {
        "Number of Nodes: 4",
        "Program Exec. Time: 5.000000s",
        "Parallel Exec. Time(%): 0.250750s(  5.01%)",
        "Region Exec. Time(%): 0.250500s( 5.010)",
        "Single:       4     0.025000s(  2.500)\n",
    };
    sample s;
    make(&s);
    s.all.nodes = 4;
    s.all.elapsed *= 1000000;
    for (uint32_t i = 0; i <= REGIONS; i++) {
        s.regions[i].elapsed *= 1000000;
        s.regions[i].thread_time *= 1000000;
        for (int k = 0; k < TRACE_FIGURES; k++) {
            trace_figure *f = (trace_figure *)&s.regions[i].figures[k];
            f->running *= 1000000;
            f->waiting *= 1000000;
        }
    }
    char *text = trace_statistics_text(&s.all, "heat", false);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        CHECK_SAY(text && strstr(text, lines[i]), "no line `%s` in:\n%s", lines[i],
                  text ? text : "nothing");
    free(text);
}

// Every row tells what it has and nothing else.
static void as_text(void)
{
    static const char *const lines[] = {
        "Program: heat",
        "Number of Nodes: 1",
        "Number of Parallel Regions: 3",
        "Program Exec. Time: 0.000005s",
        "Parallel Exec. Time(%): 0.000001s( 20.06%)",
        "Parallel Region 0 (work)", // the name of its function
        "Parallel Region 2 (heat.c: 20)",
        "Region Exec. Time(%): 0.000001s(20.040)",
        "Master: not observed",
        "Single:       4     0.000000s(  2.500)\n",
        "Critical: not observed",
        "Ordered:       7     0.000000s( 10.000)     0.000000s(  0.525)\n",
        "User Barrier:       8                           0.000001s( 13.025)\n",
        "Data Setup:                                   0.000001s( 18.025)\n",
    };
    sample s;
    make(&s);
    char *text = trace_statistics_text(&s.all, "heat", false);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        CHECK_SAY(text && strstr(text, lines[i]), "no line `%s` in:\n%s", lines[i],
                  text ? text : "nothing");
    free(text);
}

// By processor time constructs have other times, and shares of the same whole.
static void as_text_by_processor_time(void)
{
    static const char *const lines[] = {
        "Times of constructs are processor time",
        "Program Exec. Time: 0.000005s",
        "Ordered:       7     0.000000s(  6.000)     0.000000s(  0.375)\n",
    };
    sample s;
    make(&s);
    char *text = trace_statistics_text(&s.all, "heat", true);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        CHECK_SAY(text && strstr(text, lines[i]), "no line `%s` in:\n%s", lines[i],
                  text ? text : "nothing");
    free(text);
}

static void more_processor_time_than_time(const char *path)
{
    sample s;
    char *error = NULL;
    make(&s);
    s.figures[1][TRACE_SINGLE].ran = s.figures[1][TRACE_SINGLE].running + 1;
    write_sample(&s, path, TRACE_MEASURED, &error);
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(t && error && strstr(error, "more processor time than time"), "%s", error ? error : "accepted");
    free(error);
    if (t)
        trace_close(t);
}

static void refused(const char *path)
{
    for (int how = 0; how < 4; how++) {
        static const char *const reasons[] = {"a clause that does not exist",
                                              "a place that does not exist",
                                              "a team that ends too late", "sums that cannot be"};
        sample s;
        char *error = NULL;
        make(&s);
        if (how == 0)
            s.regions[2].clause = 1;
        else if (how == 1)
            s.places[1] = 4;
        else if (how == 2)
            s.teams[1].took = INT64_MAX;
        else
            s.figures[1][TRACE_SINGLE].running = UINT64_MAX;
        write_sample(&s, path, TRACE_MEASURED, &error);
        trace *t = trace_open(path, NULL, NULL, &error);
        CHECK(t && !trace_get_regions(t)); // what is before is kept
        CHECK_SAY(error && strstr(error, reasons[how]), "wanted: %s; got: %s", reasons[how],
                  error ? error : "no error");
        free(error);
        trace_close(t);
    }
    sample s;
    char *error = NULL;
    make(&s);
    CHECK(!write_sample(&s, path, TRACE_VIRTUAL, &error));
    CHECK_SAY(error && strstr(error, "not measured"), "%s", error ? error : "no error");
    free(error);
}

static bool write_dropped(const trace_dropped *dropped, uint32_t n, const char *path, char **ret_error)
{
    trace_run run = {.clock = TRACE_MEASURED, .places = 4};
    tw *w = tw_create(path, &run, "heat", ret_error);
    tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
    tw_clause(w, &(trace_clause){.source = TRACE_NONE, .dynamic = true});
    tw_reduction(w, &(trace_reduction){.time = 0});
    tw_dropped(w, dropped, n);
    return tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", ret_error);
}

static void dropped_events_are_kept(const char *path)
{
    const trace_dropped wanted[] = {{1, 10, 4000, true}, {3, 0, 1, false}}, *got;
    char *error = NULL;
    CHECK_SAY(write_dropped(wanted, 2, path, &error), "%s", error ? error : "");
    trace *t = trace_open(path, NULL, NULL, &error);
    if (!CHECK_SAY(t && !error, "%s", error ? error : ""))
        return;
    if (CHECK(trace_get_dropped(t, &got) == 2))
        for (int i = 0; i < 2; i++)
            CHECK(got[i].place == wanted[i].place && got[i].kept == wanted[i].kept &&
                  got[i].seen == wanted[i].seen && got[i].capped == wanted[i].capped);
    CHECK(traverse(t));
    trace_close(t);
}

static void impossible_dropped_events_are_refused(const char *path)
{
    static const trace_dropped wrong[][2] = {{{1, 10, 10, true}, {2, 1, 2, true}},
                                          {{1, 10, 11, true}, {4, 1, 2, true}},
                                          {{1, 10, 11, true}, {1, 1, 2, true}},
                                          {{1, 10, 11, true}, {2, 1, UINT64_MAX, true}}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const trace_dropped *got;
        char *error = NULL;
        write_dropped(wrong[i], 2, path, &error);
        trace *t = trace_open(path, NULL, NULL, &error);
        CHECK(t && error && trace_get_dropped(t, &got) == 0);
        free(error);
        trace_close(t);
    }
}

static void machine_is_kept(const char *path)
{
    trace_run run = {.clock = TRACE_MEASURED, .places = 4};
    char *error = NULL;
    tw *w = tw_create(path, &run, "heat", &error);
    tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
    tw_clause(w, &(trace_clause){.source = TRACE_NONE, .dynamic = true});
    tw_reduction(w, &(trace_reduction){.time = 0});
    tw_machine(w, &(trace_machine){3, 2, 24500});
    CHECK(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error));
    trace *t = trace_open(path, NULL, NULL, &error);
    trace_machine got = trace_get_machine(t);
    CHECK(!error && got.processors == 3 && got.threads == 2 && got.clock == 24500);
    trace_close(t);
}

static trace *workers_of(const char *path, trace_clock clock, const trace_worker *workers, uint32_t n,
                         char **ret_error)
{
    trace_run run = {.clock = clock, .places = 2};
    tw *w = tw_create(path, &run, "heat", ret_error);
    tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
    tw_clause(w, &(trace_clause){.source = TRACE_NONE, .dynamic = true});
    tw_reduction(w, &(trace_reduction){.time = 0});
    tw_workers(w, &(trace_collector){7, 1234567, 456789}, workers, n);
    CHECK(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", ret_error));
    return trace_open(path, NULL, NULL, ret_error);
}

static void workers_are_kept(const char *path)
{
    static const trace_worker workers[] = {{1, 200, 3, 4}, {0, 0, 0, 5000000000}};
    static const trace_worker endless[] = {{1, UINT64_MAX, 3, UINT64_MAX}};
    const trace_worker *got;
    char *error = NULL;
    trace *t = workers_of(path, TRACE_REAL, workers, 2, &error);
    CHECK(!error && trace_get_workers(t, &got) == 2 && memcmp(got, workers, sizeof workers) == 0);
    trace_collector c = trace_get_collector(t);
    CHECK(c.count == 7 && c.time == 1234567 && c.longest == 456789);
    trace_close(t);
    t = workers_of(path, TRACE_REAL, endless, 1, &error);
    CHECK(!error && trace_get_workers(t, &got) == 1);
    CHECK(got->waits == 1 && got->waiting == TRACE_MOST_TIME && got->locked == TRACE_MOST_TIME);
    trace_close(t);
    t = workers_of(path, TRACE_MEASURED, workers, 2, &error);
    CHECK(error && trace_get_workers(t, &got) == 0);
    free(error);
    trace_close(t);
}

void test_regions(const char *folder)
{
    char path[PATH_SIZE];
    path_in(path, folder, "regions.paf");
    round_trip(path);
    as_text();
    as_text_of_nodes();
    as_text_by_processor_time();
    refused(path);
    more_processor_time_than_time(path);
    dropped_events_are_kept(path);
    workers_are_kept(path);
    impossible_dropped_events_are_refused(path);
    machine_is_kept(path);
}
