// SPDX-License-Identifier: MIT
//
// Samples of workers: written in pieces and read as one, what is left of a file without its end, and
// what is refused.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "files.h"
#include "profiler/format/layout.h"
#include "profiler/samples.h"
#include "profiler/trace_reader.h"
#include "profiler/trace_writer.h"

enum { EVERY = 1000, WORKERS = 2 };

#define RUN(n, state) ((uint64_t)(n) << 2 | (state))

static const uint64_t first[] = {RUN(3, TRACE_BUSY), RUN(1, TRACE_LOOKING), RUN(6, TRACE_IDLE)};
static const uint64_t idle[] = {RUN(10, TRACE_IDLE)};
static const uint64_t last[] = {RUN(5, TRACE_COLLECTING)};

static tw *begin(const char *path, trace_clock clock)
{
    char *error = NULL;
    tw *w = tw_create(path, &(trace_run){.clock = clock, .places = WORKERS}, "p.fl", &error);
    CHECK_SAY(w && !error, "%s", error ? error : path);
    return w;
}

static void add(tw *w, uint64_t every, uint64_t n, const uint64_t *one, uint32_t none,
                const uint64_t *two, uint32_t ntwo)
{
    trace_sampled workers[WORKERS] = {{none, one}, {ntwo, two}};
    tw_samples(w, &(trace_samples){every, n, WORKERS, workers});
}

static void end(tw *w)
{
    char *error = NULL;
    CHECK_SAY(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error), "%s", error ? error : "?");
    free(error);
}

static void check_runs(const trace_samples *s, uint32_t worker, const uint64_t *runs, uint32_t n)
{
    CHECK(s->workers[worker].nruns == n &&
          memcmp(s->workers[worker].runs, runs, n * sizeof *runs) == 0);
}

static void pieces_are_one(const char *path)
{
    const uint64_t of_0[] = {first[0], first[1], first[2], RUN(5, TRACE_COLLECTING)};
    static const uint64_t of_1[] = {RUN(10, TRACE_IDLE), RUN(5, TRACE_COLLECTING)};
    char *error = NULL;
    tw *w = begin(path, TRACE_REAL);
    add(w, EVERY, 10, first, 3, idle, 1);
    add(w, EVERY, 5, last, 1, last, 1);
    end(w);
    trace *t = trace_open(path, NULL, NULL, &error);
    const trace_samples *s = t ? trace_get_samples(t) : NULL;
    CHECK_SAY(s && !error, "%s", error ? error : "no samples");
    if (s) {
        CHECK(s->every == EVERY && s->n == 15 && s->nworkers == WORKERS);
        check_runs(s, 0, of_0, 4);
        check_runs(s, 1, of_1, 2);
        CHECK(trace_version(t) == FILE_REAL && trace_nreductions(t) == 0);
    }
    trace_close(t);
}

// A run that was killed after its first piece.
static void without_an_end(const char *path)
{
    trace_error problem;
    char *error = NULL;
    tw *w = begin(path, TRACE_REAL);
    add(w, EVERY, 10, first, 3, idle, 1);
    CHECK(tw_leave(w, &error));
    trace *t = trace_open_explained(path, NULL, NULL, &problem, &error);
    CHECK(t && problem.kind == TRACE_UNENDED && trace_get_samples(t)->n == 10);
    free(error);
    trace_close(t);
}

static void expect_refusal(const char *path, const char *words, uint64_t kept)
{
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    const trace_samples *s = t ? trace_get_samples(t) : NULL;
    CHECK_SAY(error && strstr(error, words), "%s: %s", words, error ? error : "accepted");
    CHECK((s ? s->n : 0) == kept);
    free(error);
    trace_close(t);
}

static void impossible_ones_are_refused(const char *path)
{
    static const uint64_t empty[] = {RUN(0, TRACE_BUSY), RUN(10, TRACE_BUSY)};
    static const uint64_t huge[] = {RUN(UINT64_C(1) << 61, TRACE_BUSY)};
    tw *w = begin(path, TRACE_REAL);
    add(w, EVERY, 10, first, 3, last, 1);
    end(w);
    expect_refusal(path, "samples that do not add up", 0);
    w = begin(path, TRACE_REAL);
    add(w, EVERY, 10, first, 3, idle, 1);
    add(w, EVERY, 10, empty, 2, idle, 1);
    end(w);
    expect_refusal(path, "samples that cannot be", 10);
    w = begin(path, TRACE_REAL);
    add(w, EVERY, 10, first, 3, idle, 1);
    add(w, EVERY + 1, 5, last, 1, last, 1);
    end(w);
    expect_refusal(path, "samples that do not follow those before", 10);
    w = begin(path, TRACE_REAL);
    add(w, EVERY, UINT64_C(1) << 61, huge, 1, huge, 1);
    end(w);
    expect_refusal(path, "samples that do not follow those before", 0);
}

// Of a traced run, behind its reductions: with how many goals were ready. Impossible times are refused.
static void beside_reductions(const char *path)
{
    static const trace_ready_count counts[] = {{5, 3}, {1000, 0}, {UINT64_C(1) << 61, 70000}};
    static const trace_ready_count late[] = {{UINT64_C(1) << 62, 1}};
    for (int turn = 0; turn < 2; turn++) {
        char *error = NULL;
        const trace_ready *ready;
        tw *w = begin(path, TRACE_REAL);
        tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
        tw_clause(w, &(trace_clause){.source = TRACE_NONE, .dynamic = true});
        tw_reduction(w, &(trace_reduction){.time = 0});
        add(w, EVERY, 10, first, 3, idle, 1);
        tw_ready(w, (trace_ready[]){{3, counts}, {turn, late}}, WORKERS);
        end(w);
        trace *t = trace_open(path, NULL, NULL, &error);
        CHECK(t && trace_nreductions(t) == 1 && trace_get_samples(t)->n == 10);
        uint32_t n = trace_get_ready(t, &ready);
        if (turn == 0)
            CHECK(!error && n == WORKERS && ready[0].n == 3 && ready[1].n == 0 &&
                  memcmp(ready[0].counts, counts, sizeof counts) == 0);
        else
            CHECK(n == 0 && error && strstr(error, "ready goals that cannot be"));
        free(error);
        trace_close(t);
    }
}

// What the caller does wrong is an error of writing.
static void only_of_real_runs(const char *path)
{
    char *error = NULL;
    tw *w = begin(path, TRACE_VIRTUAL);
    add(w, EVERY, 10, first, 3, idle, 1);
    CHECK(!tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error) && error &&
          strstr(error, "samples of a run that was not real"));
    free(error);
}

// Readers of before the chunk existed are told by the version; a history by the virtual clock has
// nothing that they do not know.
static void version_says_what_may_be_there(const char *path)
{
    tw *w = begin(path, TRACE_REAL);
    add(w, EVERY, 10, first, 3, idle, 1);
    end(w);
    bytes real = read_file(path);
    CHECK(load32(real.data + FILE_MAGIC_SIZE) == FILE_REAL);
    free(real.data);
    w = begin(path, TRACE_VIRTUAL);
    tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
    tw_clause(w, &(trace_clause){.source = TRACE_NONE, .dynamic = true});
    tw_reduction(w, &(trace_reduction){.time = 0});
    end(w);
    bytes ideal = read_file(path);
    CHECK(load32(ideal.data + FILE_MAGIC_SIZE) == FILE_IDEAL && FILE_IDEAL < FILE_REAL);
    free(ideal.data);
}

void test_samples(const char *folder)
{
    char path[PATH_SIZE];
    path_in(path, folder, "samples.paf");
    pieces_are_one(path);
    without_an_end(path);
    impossible_ones_are_refused(path);
    beside_reductions(path);
    only_of_real_runs(path);
    version_says_what_may_be_there(path);
}
