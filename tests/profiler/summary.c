// SPDX-License-Identifier: MIT
//
// Summaries: written and read, with and without the reductions; bytes of them that are wrong.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "profiler/format/layout.h"
#include "profiler/read/open.h"
#include "profiler/path_cycles.h"
#include "profiler/summary.h"

enum { STEPS = 40, MODULES = 2 };

// begin: main. main :- loop, loop. loop :- loop.
static void write_tables(tw *w)
{
    const trace_item items[] = {{.kind = TI_GOAL, .predicate = 0, .line = 1},
                                {.kind = TI_GOAL, .predicate = 1, .line = 1},
                                {.kind = TI_GOAL, .predicate = 1, .line = 1}};
    trace_clause begin = {.source = TRACE_NONE, .nitems = 1, .items = items};
    trace_clause of_main = {.source = TRACE_NONE, .nitems = 2, .items = items + 1};
    trace_clause of_loop = {.predicate = 1, .source = TRACE_NONE, .nitems = 1, .items = items + 1};
    tw_module(w, "user");
    tw_predicate(w, 0, "main", 0, TRACE_PROGRAM);
    tw_predicate(w, 0, "loop", 0, TRACE_PROGRAM);
    tw_clause(w, &begin);
    tw_clause(w, &of_main);
    tw_clause(w, &of_loop);
}

// Two loops, of which the second is not reduced after its first step.
static void write_run(tw *w)
{
    tw_reduction(w, &(trace_reduction){.clause = 0});
    tw_reduction(w, &(trace_reduction){.goal = 0, .clause = 1, .time = 1});
    tw_reduction(w, &(trace_reduction){.goal = 1, .clause = 2, .time = 2});
    tw_reduction(w, &(trace_reduction){.goal = 2, .clause = 2, .time = 2});
    for (uint32_t i = 3; i <= STEPS; i++)
        tw_reduction(w, &(trace_reduction){.goal = i == 3 ? 3 : i + 1, .clause = 2, .time = i});
}

static void write_trace(const char *path, uint32_t least)
{
    char *error = NULL;
    tw *w = tw_create(path, &(trace_run){.summed = true}, "p.fl", &error);
    if (!CHECK_SAY(w && !error, "%s", error ? error : path))
        return;
    write_tables(w);
    const char *const names[MODULES] = {"main", "loop"};
    const uint32_t module_of[] = {TRACE_NONE, 1};
    tw_summarise(w, &(trace_sum_modules){MODULES, names, 2, module_of}, least);
    write_run(w);
    bool good = tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error);
    CHECK_SAY(good, "%s", error ? error : "?");
    free(error);
}

static void check_figures(const trace *t)
{
    const trace_summary *s = trace_get_summary(t);
    if (!CHECK(s != NULL))
        return;
    CHECK(s->span == STEPS && s->width == 1 && s->nbuckets == STEPS + 1 && s->nmodules == MODULES);
    CHECK(s->has_path && s->creation == 2);
    const trace_sum_row *of_main = &s->rows[0], *loop = &s->rows[1], *all = &s->rows[2];
    CHECK(!strcmp(trace_name(t, loop->name), "loop") && all->name == TRACE_NONE);
    CHECK(of_main->first == 1 && of_main->last == 1 && of_main->processes == 1);
    CHECK(loop->first == 2 && loop->last == STEPS && loop->processes == 2 && loop->suspended == 2);
    CHECK(loop->reduced[2] == 2 && loop->reduced[3] == 1 && all->reduced[1] == 1);
    CHECK(loop->waiting[2] == 0 && loop->waiting[3] == 1 && loop->waiting[STEPS] == 1);
    CHECK(s->npairs == 2 && s->pairs[1].work == STEPS && s->pairs[1].waiting == STEPS - 2);
    CHECK(s->pairs[0].control == 1 && s->pairs[1].control == STEPS - 1 && s->pairs[1].data == 0);
    CHECK(s->nclauses == 3 && s->clauses[2].work == STEPS && s->clauses[2].module == 1);
    CHECK(s->nentries == 1 && s->entries[0].predicate == 1 && s->entries[0].module == 1);
}

static void whole_and_head(const char *path)
{
    write_trace(path, 0);
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(t && !error, "%s", error ? error : "?");
    CHECK(trace_version(t) == FILE_SUMMED && trace_nreductions(t) == STEPS + 2);
    check_figures(t);
    trace_close(t);
    t = trace_open_head(path);
    if (CHECK(t != NULL)) {
        CHECK(trace_nreductions(t) == 0 && trace_npredicates(t) == 2 && trace_exit_status(t) == 0);
        check_figures(t);
    }
    trace_close(t);
}

static void expect_none(const char *path)
{
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(t && !error && !trace_get_summary(t), "%s", error ? error : "a summary");
    trace_close(t);
    CHECK(!trace_open_head(path));
}

static size_t size_of_chunk(const uint8_t *header)
{
    size_t size = CHUNK_HEADER;
    for (int i = 0; i < COLUMNS; i++)
        size += load32(header + CHUNK_STORED + 4 * i);
    return size;
}

static void damage(const bytes *b, size_t at, bool trusting)
{
    char *error = NULL;
    trace_error problem;
    uint8_t before = b->data[at];
    for (unsigned bit = 0; bit < 8; bit += 3) {
        b->data[at] = before ^ (uint8_t)(1u << bit);
        trace *t = trace_open_memory(b->data, b->size, "damaged", trusting, &problem, &error);
        CHECK_SAY(t && trace_nreductions(t) == STEPS + 2 && trace_exit_status(t) == 0,
                  "byte %zu: %s", at, error ? error : "no error");
        CHECK_SAY(trusting || (error && !trace_get_summary(t)), "byte %zu is not noticed", at);
        trace_close(t);
        free(error);
        error = NULL;
    }
    b->data[at] = before;
}

// Whatever is wrong with a summary, all reductions and the end are read.
static void damaged(const char *path)
{
    write_trace(path, 0);
    bytes b = read_file(path);
    size_t at = FILE_HEADER;
    while (at < b.size && load32(b.data + at) != CHUNK_SUMMARY)
        at += size_of_chunk(b.data + at);
    if (CHECK(at < b.size)) {
        size_t end = at + size_of_chunk(b.data + at);
        for (size_t i = at + CHUNK_HEADER; i < end; i++) {
            damage(&b, i, false);
            damage(&b, i, true);
        }
    }
    free(b.data);
}

// ---------------------------------------------------------------------------------------------
// Sums that are too large

enum { VARIABLES = 8 };

// main :- maker, reader. The maker binds variables in step 2, the reader reads all of them in the last step.
static void write_late_reads(tw *w, int64_t last)
{
    const trace_item begin = {.kind = TI_GOAL, .predicate = 0, .line = 1};
    const trace_cell cells[VARIABLES] = {0}; // variables
    const trace_goal goals[] = {{.predicate = 1}, {.predicate = 2}};
    trace_binding bindings[VARIABLES];
    uint32_t reads[VARIABLES];
    tw_module(w, "user");
    for (uint32_t i = 0; i < 3; i++)
        tw_predicate(w, 0, (const char *[]){"main", "maker", "reader"}[i], 0, TRACE_PROGRAM);
    tw_clause(w, &(trace_clause){.source = TRACE_NONE, .nitems = 1, .items = &begin});
    for (uint32_t i = 0; i < 3; i++)
        tw_clause(w, &(trace_clause){.predicate = i, .source = TRACE_NONE, .dynamic = true});
    for (uint32_t i = 0; i < VARIABLES; i++) {
        bindings[i] = (trace_binding){.variable = i, .value = {.kind = TV_INT, .i = 1}};
        reads[i] = i;
    }
    tw_reduction(w, &(trace_reduction){.clause = 0});
    tw_reduction(w, &(trace_reduction){.goal = 0, .clause = 1, .time = 1, .ncells = VARIABLES, .cells = cells,
                                       .ngoals = 2, .goals = goals});
    tw_reduction(w, &(trace_reduction){.goal = 1, .clause = 2, .time = 2, .nbindings = VARIABLES,
                                       .bindings = bindings});
    tw_reduction(w, &(trace_reduction){.goal = 2, .clause = 3, .time = last, .nreads = VARIABLES,
                                       .reads = reads});
}

// What the reader waited for is summed, or there are no dependencies, if the sums or times are too large.
static void late_reads(const char *path, int64_t last, bool known)
{
    char *error = NULL;
    tw *w = tw_create(path, &(trace_run){0}, "p.fl", &error);
    if (!CHECK_SAY(w && !error, "%s", error ? error : path))
        return;
    write_late_reads(w, last);
    bool good = tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error);
    CHECK_SAY(good, "%s", error ? error : "?");
    free(error);
    const char *const names[] = {"main", "maker", "reader"};
    const uint32_t module_of[] = {TRACE_NONE, 1, 2};
    trace *t = trace_sum_up(path, &(trace_sum_modules){3, names, 3, module_of}, true, NULL, NULL);
    const trace_summary *s = t ? trace_get_summary(t) : NULL;
    if (CHECK(s != NULL) && CHECK(s->has_dependencies == known) && known)
        CHECK(s->ndependencies == 1 && s->dependencies[0].from == 1 && s->dependencies[0].to == 2 &&
              s->dependencies[0].all.count == VARIABLES && s->dependencies[0].all.lag == VARIABLES * (last - 3));
    trace_close(t);
}

// Steps whose buckets would end beyond all numbers are not summed.
static void too_late(const char *path)
{
    char *error = NULL;
    tw *w = tw_create(path, &(trace_run){0}, "p.fl", &error);
    if (!CHECK_SAY(w && !error, "%s", error ? error : path))
        return;
    write_late_reads(w, INT64_MAX - 1);
    CHECK(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error));
    free(error);
    const char *const names[] = {"main", "maker", "reader"};
    const uint32_t module_of[] = {TRACE_NONE, 1, 2};
    CHECK(!trace_sum_up(path, &(trace_sum_modules){3, names, 3, module_of}, true, NULL, NULL));
}

// ---------------------------------------------------------------------------------------------
// A stretch of time

enum { LONG = 9000 }; // reductions; a chunk has up to 1024, 2048, 4096 ...

static void write_long(const char *path, uint32_t least)
{
    char *error = NULL;
    tw *w = tw_create(path, &(trace_run){.summed = true}, "p.fl", &error);
    if (!CHECK_SAY(w && !error, "%s", error ? error : path))
        return;
    write_tables(w);
    const char *const names[MODULES] = {"main", "loop"};
    const uint32_t module_of[] = {TRACE_NONE, 1};
    tw_summarise(w, &(trace_sum_modules){MODULES, names, 2, module_of}, least);
    tw_reduction(w, &(trace_reduction){.clause = 0});
    tw_reduction(w, &(trace_reduction){.goal = 0, .clause = 1, .time = 1});
    for (uint32_t i = 2; i < LONG; i++) // two loops, in every other step
        tw_reduction(w, &(trace_reduction){.goal = i - 1, .clause = 2, .time = i / 2 * 2});
    CHECK(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error));
    free(error);
}

// In each other step both loops are reduced, and in the one between them both wait.
static void check_stretch(const char *path, int64_t from, int64_t width, uint32_t n)
{
    trace *t = trace_open_stretch(path, from, width, n, NULL, NULL);
    const trace_sum_stretch *s = t ? trace_get_stretch(t) : NULL;
    if (CHECK(s && s->from == from && s->width == width && s->n == n))
        for (uint32_t i = 0; i < n; i++) {
            const trace_sum_bucket *loop = &s->rows[n + i], *all = &s->rows[2 * n + i];
            uint64_t reduced = 0, waiting = 0;
            for (int64_t at = from + i * width; at < from + (i + 1) * width; at++) {
                reduced += at > 1 && at < LONG && at % 2 == 0 ? 2 : 0;
                waiting += at > 2 && at < LONG - 1 && at % 2 == 1 ? 2 : 0;
            }
            CHECK_SAY(loop->reduced == reduced && loop->waiting == waiting, "bucket %u from %d", i, (int)from);
            CHECK(all->reduced == reduced + s->rows[i].reduced && all->waiting == waiting);
            CHECK(width > 1 || (loop->most_reduced == reduced && loop->most_waiting == waiting));
        }
    trace_close(t);
}

static void stretches(const char *path)
{
    write_long(path, 0);
    for (int64_t from = 0; from < LONG - 200; from += 97)
        check_stretch(path, from, from % 3 + 1, 60);
    check_stretch(path, LONG - 50, 1, 49);
    check_stretch(path, 0, 16, LONG / 16 + 1);
    CHECK(!trace_open_stretch(path, -1, 1, 10, NULL, NULL) && !trace_open_stretch(path, 0, 0, 10, NULL, NULL));
    CHECK(!trace_open_stretch(path, 0, 1, TRACE_STRETCH_VALUES, NULL, NULL));
    CHECK(!trace_open_stretch(path, INT64_MAX - 4, 2, 10, NULL, NULL));
    write_long(path, LONG / 2); // the first chunks do not tell what stands
    for (int64_t from = 0; from < LONG - 200; from += 397)
        check_stretch(path, from, 2, 60);
}

// What is wrong with what stands is noticed, or does no harm; the reductions are read.
static void wrong_stretches(const char *path)
{
    write_long(path, 0);
    bytes b = read_file(path);
    size_t at = FILE_HEADER, found = 0;
    for (; at < b.size; at += size_of_chunk(b.data + at)) {
        if (load32(b.data + at) != CHUNK_STANDING)
            continue;
        found++;
        size_t end = at + size_of_chunk(b.data + at);
        for (size_t i = at + CHUNK_HEADER; i < end; i++)
            for (unsigned bit = 0; bit < 8; bit += 3) {
                char *error = NULL;
                trace_error problem;
                b.data[i] ^= (uint8_t)(1u << bit);
                trace_close(trace_open_stretch_memory(b.data, b.size, "damaged", true, LONG / 2, 1, 100));
                CHECK(!trace_open_stretch_memory(b.data, b.size, "damaged", false, 0, 1, LONG - 1));
                trace *t = trace_open_memory(b.data, b.size, "damaged", false, &problem, &error);
                CHECK_SAY(t && error && trace_nreductions(t) == LONG, "byte %zu: %s", i, error ? error : "?");
                trace_close(t);
                free(error);
                b.data[i] ^= (uint8_t)(1u << bit);
            }
    }
    CHECK(found > 2);
    free(b.data);
}

// ---------------------------------------------------------------------------------------------
// Cycles

// Goes round so many different cycles: through those of 20 modules whose bits a number has.
static void go_round(path_cycles *c, uint32_t n)
{
    for (uint32_t number = 1; number <= n; number++) {
        path_cycles_step(c, 0, 1);
        for (uint32_t bit = 0; bit < 20; bit++)
            if (number >> bit & 1)
                path_cycles_step(c, bit + 1, 1);
    }
    path_cycles_step(c, 0, 1);
}

// All are counted as long as there are not too many.
static void many_cycles(void)
{
    path_cycles c = {.too_many = false};
    go_round(&c, MOST_CYCLES);
    CHECK(!c.too_many && c.list.n == MOST_CYCLES && c.list.at[MOST_CYCLES - 1].rounds == 1);
    go_round(&c, 100);
    CHECK(!c.too_many && c.list.at[99].rounds == 2 && c.list.at[100].rounds == 1);
    size_t modules = c.modules.n;
    go_round(&c, 200000);
    CHECK(c.too_many && c.list.n == MOST_CYCLES && c.modules.n == modules && c.stack.n == 1);
    path_cycles_finish(&c);
}

void test_summary(const char *folder)
{
    char path[PATH_SIZE];
    path_in(path, folder, "summary.paf");
    whole_and_head(path);
    write_trace(path, STEPS + 2);
    expect_none(path);
    damaged(path);
    late_reads(path, 1000, true);
    late_reads(path, INT64_C(1) << 58, true);
    late_reads(path, INT64_C(1) << 61, false);
    too_late(path);
    many_cycles();
    stretches(path);
    wrong_stretches(path);
}
