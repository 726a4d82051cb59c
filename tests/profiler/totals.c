// SPDX-License-Identifier: MIT
//
// Totals: what is written is read, alone and beside a history; damage is found; what cannot be is
// refused.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "model.h"
#include "profiler/read/open.h"
#include "profiler/profile.h"
#include "profiler/totals.h"

enum { NODES = 3, PLACES = 4, MEASURES = 7, PAIRS = 2, FILES = 2 };

// Totals that can be changed.
typedef struct {
    trace_totals t;
    trace_total_table tables[TRACE_TOTAL_KINDS];
    trace_total_node nodes[NODES];
    trace_total totals[PLACES];
    trace_measure measures[MEASURES];
    trace_traffic traffic[PAIRS];
    trace_data_file files[FILES];
    trace_measure file_measures[FILES];
} example;

static trace_total place(trace_total_kind kind, uint32_t unit, uint32_t line)
{
    return (trace_total){kind, TRACE_NONE, TRACE_NONE, TRACE_NONE, unit, TRACE_NONE, line, 0,
                         TRACE_UNOBSERVED, TRACE_UNOBSERVED, TRACE_UNOBSERVED, TRACE_UNOBSERVED,
                         TRACE_UNOBSERVED};
}

// Strings and sources must be written already: names[0..2] and one source.
static void make(example *e)
{
    memset(e, 0, sizeof *e);
    for (int i = 0; i < TRACE_TOTAL_KINDS; i++)
        e->tables[i] = (trace_total_table){i != TT_IO, i == TT_UNIT ? 30285000000 : TRACE_UNOBSERVED};
    for (int i = 0; i < NODES; i++)
        e->nodes[i] = (trace_total_node){i, 1000 + i, TRACE_UNOBSERVED, i * INT64_C(1000000007),
                                         TRACE_UNOBSERVED};
    e->totals[0] = place(TT_UNIT, TRACE_NONE, 2);
    e->totals[0].name = 0;
    e->totals[0].source = 0;
    e->totals[1] = place(TT_LOOP, 0, 41);
    e->totals[1].label = 1;
    e->totals[1].definite = 0;
    e->totals[1].share = 22400;
    e->totals[2] = place(TT_CALL, TRACE_NONE, 0);
    e->totals[2].name = 2;
    e->totals[2].number = INT64_MAX;
    e->totals[3] = place(TT_UNIT, TRACE_NONE, 7);
    static const uint32_t pairs[MEASURES][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {2, 0}, {2, 2}, {3, 1}};
    for (int64_t i = 0; i < MEASURES; i++)
        e->measures[i] = (trace_measure){pairs[i][0], pairs[i][1], i, i % 2 ? TRACE_UNOBSERVED : i << 40,
                                         INT64_MAX - i, TRACE_UNOBSERVED, 0};
    e->traffic[0] = (trace_traffic){0, 2, 1, TRACE_UNOBSERVED};
    e->traffic[1] = (trace_traffic){2, 0, 3, 80};
    e->files[0] = (trace_data_file){2, TRACE_NONE, 11, 62500};
    e->files[1] = (trace_data_file){TRACE_NONE, 1, TRACE_UNOBSERVED, TRACE_UNOBSERVED};
    e->file_measures[0] = (trace_measure){0, 1, 12, 4, TRACE_UNOBSERVED, 0, 0};
    e->file_measures[1] = (trace_measure){1, 0, 0, TRACE_UNOBSERVED, TRACE_UNOBSERVED, 0, 0};
    e->t = (trace_totals){TRACE_CPU, true, e->tables, NODES, PLACES, MEASURES, PAIRS,
                          e->nodes, e->totals, e->measures, e->traffic, 4711, FILES, FILES,
                          e->files, e->file_measures};
}

static void write_tables(tw *w)
{
    static const char *const texts[] = {"SOLVE", "20", "MPI_Send"};
    for (int i = 0; i < 3; i++)
        CHECK(tw_string(w, texts[i], strlen(texts[i])) == (uint32_t)i);
    tw_source(w, "solve.f", "      program main\n", 19);
}

static void write_example(const example *e, const char *path)
{
    char *error = NULL;
    tw *w = tw_create(path, &(trace_run){.clock = TRACE_MEASURED}, "a.out", &error);
    write_tables(w);
    tw_totals(w, &e->t);
    CHECK_SAY(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error), "%s", error ? error : "");
    free(error);
}

static bool same_place(const trace_total *a, const trace_total *b)
{
    return a->kind == b->kind && a->name == b->name && a->type == b->type && a->label == b->label &&
           a->unit == b->unit && a->source == b->source && a->line == b->line && a->seq == b->seq &&
           a->number == b->number && a->definite == b->definite && a->share == b->share &&
           a->mean == b->mean && a->average == b->average;
}

static bool same_measure(const trace_measure *a, const trace_measure *b)
{
    return a->total == b->total && a->node == b->node && a->times == b->times &&
           a->time == b->time && a->inclusive == b->inclusive && a->rotation == b->rotation &&
           a->bytes == b->bytes;
}

static void expect_files(const example *e, const trace_totals *t)
{
    CHECK(t->files_reported == 4711 && t->nfiles == FILES && t->nfile_measures == FILES);
    CHECK(memcmp(t->files, e->files, sizeof e->files) == 0);
    for (int i = 0; i < FILES; i++) {
        const trace_measure *m = &e->file_measures[i];
        trace_measure found = trace_file_at(t, m->total, m->node);
        CHECK(same_measure(&found, m));
    }
    CHECK(trace_file_at(t, 0, 0).times == TRACE_UNOBSERVED);
}

// Files may be missing where the file is damaged.
static void expect_example(const example *e, const trace *file)
{
    const trace_totals *t = trace_get_totals(file);
    if (!CHECK(t != NULL))
        return;
    CHECK(t->clock == e->t.clock && t->messages == e->t.messages);
    CHECK(t->nnodes == NODES && t->ntotals == PLACES && t->nmeasures == MEASURES);
    CHECK(memcmp(t->nodes, e->nodes, sizeof e->nodes) == 0);
    for (int i = 0; i < TRACE_TOTAL_KINDS; i++)
        CHECK(t->tables[i].observed == e->tables[i].observed &&
              t->tables[i].reported == e->tables[i].reported);
    for (int i = 0; i < PLACES; i++)
        CHECK(same_place(&t->totals[i], &e->totals[i]));
    for (int i = 0; i < MEASURES; i++)
        CHECK(same_measure(&t->measures[i], &e->measures[i]));
    CHECK(t->ntraffic == PAIRS && memcmp(t->traffic, e->traffic, sizeof e->traffic) == 0);
    for (int i = 0; i < MEASURES; i++) {
        const trace_measure *m = &e->measures[i];
        trace_measure found = trace_total_at(t, m->total, m->node);
        CHECK(same_measure(&found, m));
    }
    CHECK(trace_total_at(t, 1, 1).times == TRACE_UNOBSERVED);
    CHECK(trace_total_at(t, 3, 0).time == TRACE_UNOBSERVED);
    CHECK(trace_total_at(t, 3, 2).bytes == TRACE_UNOBSERVED);
    if (t->nfiles > 0)
        expect_files(e, t);
}

static void round_trip(const char *path)
{
    example e;
    char *error = NULL;
    make(&e);
    write_example(&e, path);
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(t && !error, "%s", error ? error : "no trace");
    if (t) {
        expect_example(&e, t);
        CHECK(trace_get_totals(t) && trace_get_totals(t)->nfiles == FILES);
        CHECK(trace_nreductions(t) == 0 && trace_ngoals(t) == 0 && !trace_get_profile(t));
        CHECK(trace_get_ending(t) == TRACE_NORMAL && trace_nsources(t) == 1);
        CHECK(traverse(t));
    }
    CHECK(trace_verify(path, &error));
    trace_close(t);
    free(error);
}

static void beside_history(const char *path)
{
    example e;
    char *error = NULL;
    make(&e);
    tw *w = tw_create(path, &(trace_run){.clock = TRACE_VIRTUAL}, "a.out", &error);
    write_tables(w);
    tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
    tw_clause(w, &(trace_clause){.source = TRACE_NONE});
    tw_totals(w, &e.t);
    tw_reduction(w, &(trace_reduction){.time = 0});
    CHECK(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error));
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(t && !error, "%s", error ? error : "no trace");
    if (t) {
        expect_example(&e, t);
        CHECK(trace_nreductions(t) == 1 && traverse(t));
    }
    trace_close(t);
    free(error);
}

// Every bit, with and without checksums; every length.
static void damaged(const char *path)
{
    example e;
    make(&e);
    write_example(&e, path);
    bytes whole = read_file(path);
    for (size_t bit = 0; bit < 16 * whole.size; bit++) {
        bool trusting = bit % 2;
        char *error = NULL;
        trace_error problem;
        whole.data[bit / 16] ^= (unsigned char)(1 << bit / 2 % 8);
        trace *t = trace_open_memory(whole.data, whole.size, "flipped", trusting, &problem, &error);
        CHECK_SAY(trusting || error, "bit %zu", bit / 2);
        if (t)
            CHECK_SAY(traverse(t), "bit %zu", bit / 2);
        if (t && !trusting)
            expect_example(&e, t);
        trace_close(t);
        free(error);
        whole.data[bit / 16] ^= (unsigned char)(1 << bit / 2 % 8);
    }
    for (size_t size = 0; size < whole.size; size++) {
        char *error = NULL;
        trace_error problem;
        trace *t = trace_open_memory(whole.data, size, "cut", false, &problem, &error);
        CHECK_SAY(error != NULL, "cut at %zu", size);
        if (t)
            expect_example(&e, t);
        trace_close(t);
        free(error);
    }
    free(whole.data);
}

// ---------------------------------------------------------------------------------------------
// Nodes by number

static void expect_nodes(const trace_totals *t, const char *text)
{
    char whole[160], cut[12];
    trace_describe_nodes(t, whole, sizeof whole);
    CHECK_SAY(strcmp(whole, text) == 0, "%s, not %s", whole, text);
    trace_describe_nodes(t, cut, sizeof cut);
    CHECK(strlen(cut) < sizeof cut && strncmp(cut, text, strlen(cut)) == 0);
}

// Ranks, or processes, or from 1.
static void numbers_of_nodes(void)
{
    trace_total_node nodes[12];
    trace_totals t = {.nodes = nodes};
    for (int i = 0; i < 12; i++)
        nodes[i] = (trace_total_node){i, 4711 + i * i, TRACE_UNOBSERVED, 0, 0};
    expect_nodes(&t, "no process");
    t.nnodes = 4;
    expect_nodes(&t, "rank 0 to 3");
    CHECK(trace_find_node(&t, 3) == 3 && trace_find_node(&t, 4) == TRACE_NONE);
    t.nnodes = 2;
    expect_nodes(&t, "rank 0, 1");
    for (int i = 0; i < 12; i++)
        nodes[i].rank = TRACE_UNOBSERVED;
    CHECK(trace_find_node(&t, 4712) == 1 && trace_find_node(&t, 1) == TRACE_NONE);
    t.nnodes = 12;
    expect_nodes(&t, "process 4711, 4712, 4715, 4720, 4727, 4736, 4747, 4760 ... (12)");
    t.nnodes = 1;
    nodes[0].pid = TRACE_UNOBSERVED;
    expect_nodes(&t, "process 1");
    CHECK(trace_find_node(&t, 1) == 0 && trace_find_node(&t, 0) == TRACE_NONE);
}

// ---------------------------------------------------------------------------------------------
// Totals that cannot be

static void strange_name(example *e)
{
    e->totals[0].name = 5; // the source's text is the last
}

static void strange_source(example *e)
{
    e->totals[3].source = 1;
}

static void strange_unit(example *e)
{
    e->totals[1].unit = PLACES;
}

static void loop_in_loop(example *e)
{
    e->totals[2].unit = 1;
}

static void unit_in_unit(example *e)
{
    e->totals[3].unit = 0;
}

static void strange_place(example *e)
{
    e->measures[MEASURES - 1].total = PLACES;
}

static void strange_node(example *e)
{
    e->measures[0].node = NODES;
}

static void twice(example *e)
{
    e->measures[1].node = 0;
}

static void strange_receiver(example *e)
{
    e->traffic[1].to = NODES;
}

static void messages_twice(example *e)
{
    e->traffic[1] = e->traffic[0];
}

static void strange_file_name(example *e)
{
    e->files[0].name = 5;
}

static void strange_file(example *e)
{
    e->file_measures[1].total = FILES;
}

static const struct {
    void (*spoil)(example *);
    const char *reason;
} wrongs[] = {
    {strange_name, "a string that does not exist (TOTALS"},
    {strange_source, "a source that does not exist (TOTALS"},
    {strange_unit, "a place in what is no unit (TOTALS"},
    {loop_in_loop, "a place in what is no unit (TOTALS"},
    {unit_in_unit, "a place in what is no unit (TOTALS"},
    {strange_place, "a measure of a place or node that does not exist (TOTALS"},
    {strange_node, "a measure of a place or node that does not exist (TOTALS"},
    {twice, "measures that are not in order (TOTALS"},
    {strange_receiver, "messages of a node that does not exist (TOTALS"},
    {messages_twice, "messages that are not in order (TOTALS"},
    {strange_file_name, "a string that does not exist (DATA_FILES"},
    {strange_file, "a measure of a place or node that does not exist (DATA_FILES"},
};

static void refused(const char *path)
{
    for (uint32_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        example e;
        char *error = NULL;
        make(&e);
        wrongs[i].spoil(&e);
        write_example(&e, path);
        trace *t = trace_open(path, NULL, NULL, &error);
        CHECK(!t || (strstr(wrongs[i].reason, "FILES") && trace_get_totals(t)->nfiles == 0));
        trace_close(t);
        CHECK_SAY(error && strstr(error, wrongs[i].reason), "wanted: %s; got: %s", wrongs[i].reason,
                  error ? error : "no error");
        free(error);
    }
}

static void not_twice(const char *path)
{
    example e;
    char *error = NULL;
    make(&e);
    tw *w = tw_create(path, &(trace_run){0}, "x", &error);
    write_tables(w);
    tw_totals(w, &e.t);
    tw_totals(w, &e.t);
    CHECK(!tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error));
    CHECK_SAY(error && strstr(error, "totals beside other totals"), "%s", error ? error : "no error");
    free(error);
}

void test_totals(const char *folder)
{
    char path[PATH_SIZE];
    path_in(path, folder, "totals.paf");
    round_trip(path);
    beside_history(path);
    damaged(path);
    refused(path);
    not_twice(path);
    numbers_of_nodes();
}
