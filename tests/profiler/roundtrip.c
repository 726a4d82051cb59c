// SPDX-License-Identifier: MIT
//
// What is written is what is read.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "files.h"
#include "model.h"

static void expect_match(const model *m, const char *path)
{
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(t && !error, "%s", error ? error : "no trace, no error");
    if (t) {
        model_matches(m, t, true);
        CHECK(traverse(t));
        struct stat status;
        CHECK(stat(path, &status) == 0 && trace_file_size(t) == (uint64_t)status.st_size);
    }
    trace_close(t);
    free(error);
    error = NULL;
    CHECK_SAY(trace_verify(path, &error), "%s", error ? error : "");
    free(error);
}

static void small(const char *folder)
{
    char path[PATH_SIZE];
    model m;
    for (int clock = TRACE_VIRTUAL; clock <= TRACE_MEASURED; clock++) {
        model_small(&m, path_in(path, folder, "small.paf"), (trace_clock)clock);
        expect_match(&m, path);
        model_destroy(&m);
    }
}

static void at_random(const char *folder)
{
    static const uint32_t sizes[] = {1, 2, 30, 1023, 1024, 1025, 5000, 20000};
    char path[PATH_SIZE];
    path_in(path, folder, "random.paf");
    for (uint32_t i = 0; i < 24; i++) {
        model m;
        model_random(&m, path, i, sizes[i % 8]);
        expect_match(&m, path);
        model_destroy(&m);
    }
}

static void many_blocks(const char *folder)
{
    char path[PATH_SIZE];
    model m;
    uint64_t seed = 1000;
    do { // until one does not run out of goals
        model_random(&m, path_in(path, folder, "large.paf"), ++seed, 200000);
        if (m.reductions.n == 200000)
            break;
        model_destroy(&m);
    } while (seed < 1100);
    CHECK(m.reductions.n == 200000);
    expect_match(&m, path);
    model_destroy(&m);
}

static void same_bytes(const char *folder)
{
    char a[PATH_SIZE], b[PATH_SIZE];
    model m, n;
    model_random(&m, path_in(a, folder, "first.paf"), 77, 20000);
    model_random(&n, path_in(b, folder, "second with another name.paf"), 77, 20000);
    bytes x = read_file(a), y = read_file(b);
    CHECK(x.size > 1000 && x.size == y.size && memcmp(x.data, y.data, x.size) == 0);
    free(x.data);
    free(y.data);
    model_destroy(&m);
    model_destroy(&n);
}

// A file that does not grow is untouched until the new one is complete, and for good if that is given
// up. One that grows, without a step, gives its name back.
static void replaced(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    write_file(path_in(path, folder, "former.paf"), "former", 6);
    const base_output_kind kinds[] = {BASE_OUTPUT_WHOLE, BASE_OUTPUT_GROWS, BASE_OUTPUT_WHOLE};
    for (int i = 0; i < 3; i++) {
        tw *w = tw_create_as(path, kinds[i], &(trace_run){0}, "x", &error);
        CHECK(w);
        bytes now = read_file(path);
        bool former = now.size == 6 && memcmp(now.data, "former", 6) == 0;
        CHECK(former == (kinds[i] == BASE_OUTPUT_WHOLE));
        free(now.data);
        if (i < 2)
            tw_abandon(w);
        else
            CHECK(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, NULL, &error));
    }
    bytes now = read_file(path);
    CHECK(now.size != 6);
    free(now.data);
}

// A run that is killed leaves its finished blocks; until then there is no trace.
static void unfinished(const char *folder)
{
    char path[PATH_SIZE], copy[PATH_SIZE], *error = NULL;
    model m;
    model_random(&m, path_in(path, folder, "whole.paf"), 1003, 200000);
    bytes whole = read_file(path);
    const tw *w = tw_create_as(path, BASE_OUTPUT_GROWS, &(trace_run){0}, "x", &error);
    CHECK(w && tw_bytes(w) > 0 && !tw_error(w));
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(!t && error && strstr(error, ": the file ends before the run did"), "%s",
              error ? error : "");
    free(error);
    error = NULL;
    tw_finish((tw *)(uintptr_t)w, TRACE_NORMAL, 0, TRACE_NONE, NULL, &error);
    write_file(path_in(copy, folder, "cut.paf"), whole.data, whole.size * 2 / 3);
    t = trace_open(copy, NULL, NULL, &error);
    CHECK_SAY(t && error && strstr(error, "cut.paf: offset "), "%s", error ? error : "");
    if (t) {
        model_matches(&m, t, false);
        CHECK(trace_nreductions(t) > 65536 && trace_get_ending(t) == TRACE_UNFINISHED);
        CHECK(trace_exit_status(t) == -1 && trace_failed_goal(t) == TRACE_NONE);
    }
    trace_close(t);
    free(error);
    free(whole.data);
    model_destroy(&m);
}

// A chain of variables, each bound to the one before, and one vector updated again and again.
#define CHAIN 200000u

static void chains(const char *folder)
{
    char path[PATH_SIZE];
    model m;
    model_create(&m, path_in(path, folder, "chains.paf"), TRACE_VIRTUAL);
    uint32_t p = model_predicate(&m, model_module(&m, "m"), "p", 0, true);
    uint32_t c =
        model_clause(&m, &(trace_clause){.predicate = p, .source = TRACE_NONE, .dynamic = true});
    trace_value zero = {.kind = TV_INT}, update[3] = {{.kind = TV_CELL, .id = 1}, zero, zero};
    trace_cell first[] = {
        {.kind = TC_VARIABLE, .name = TRACE_NONE},
        {.kind = TC_VECTOR, .name = TRACE_NONE, .n = 9, .nargs = 1, .args = &zero}};
    trace_cell more[] = {
        {.kind = TC_VARIABLE, .name = TRACE_NONE},
        {.kind = TC_VECTOR_UPDATE, .name = TRACE_NONE, .n = 9, .nargs = 3, .args = update}};
    trace_goal goal = {.predicate = p};
    model_reduce(&m, &(trace_reduction){
                         .clause = c, .ncells = 2, .cells = first, .ngoals = 1, .goals = &goal});
    for (uint32_t i = 1; i < CHAIN; i++) {
        update[0].id = 2 * i - 1;
        update[1].i = i % 8; // never element 8: that is looked for through all versions
        update[2].i = i;
        trace_binding b = {2 * i, 0, {.kind = TV_CELL, .id = 2 * i - 2}};
        model_reduce(&m, &(trace_reduction){.goal = i - 1,
                                            .clause = c,
                                            .time = i,
                                            .nbindings = 1,
                                            .bindings = &b,
                                            .ncells = 2,
                                            .cells = more,
                                            .ngoals = 1,
                                            .goals = &goal});
    }
    model_finish(&m, TRACE_STOPPED, 0, TRACE_NONE, "");
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(t && !error, "%s", error ? error : "");
    if (t) {
        uint32_t newest = 2 * CHAIN - 1;
        CHECK(trace_cell_arity(t, newest) == 9 && trace_cell_arg(t, newest, 8).i == 0);
        CHECK(trace_cell_arg(t, newest, (CHAIN - 1) % 8).i == CHAIN - 1);
        CHECK(trace_cell_arg(t, newest, (CHAIN - 2) % 8).i == CHAIN - 2);
    }
    trace_close(t);
    free(error);
    model_destroy(&m);
}

static bool count_progress(void *data, uint64_t done, uint64_t total)
{
    uint64_t *last = data;
    CHECK(done > *last && done <= total);
    *last = done;
    return true;
}

static bool cancel(void *data, uint64_t done, uint64_t total)
{
    (void)data;
    return done < total / 2;
}

static void progress(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    model m;
    model_random(&m, path_in(path, folder, "progress.paf"), 1003, 50000);
    uint64_t last = 0;
    trace *t = trace_open(path, count_progress, &last, &error);
    CHECK(t && !error && last == trace_file_size(t));
    trace_close(t);
    t = trace_open(path, cancel, NULL, &error);
    CHECK_SAY(!t && error && strstr(error, "cancelled"), "%s", error ? error : "");
    trace_close(t);
    free(error);
    model_destroy(&m);
}

typedef struct {
    const model *m;
    const trace *t;
    bool same;
} asking;

static void *ask(void *data)
{
    asking *a = data;
    a->same = traverse(a->t) && model_matches(a->m, a->t, true);
    return NULL;
}

// Two threads ask the same trace.
static void threads(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    model m;
    model_random(&m, path_in(path, folder, "threads.paf"), 1003, 100000);
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK(t && !error);
    asking a[2] = {{&m, t, false}, {&m, t, false}};
    pthread_t other;
    if (t && CHECK(pthread_create(&other, NULL, ask, &a[1]) == 0)) {
        a[0].same = traverse(t);
        pthread_join(other, NULL);
        CHECK(a[0].same && a[1].same);
    }
    trace_close(t);
    model_destroy(&m);
}

void test_roundtrip(const char *folder)
{
    small(folder);
    at_random(folder);
    many_blocks(folder);
    same_bytes(folder);
    replaced(folder);
    unfinished(folder);
    chains(folder);
    progress(folder);
    threads(folder);
}
