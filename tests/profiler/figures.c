// SPDX-License-Identifier: MIT
//
// Profiles: what is written is what is read; rows that do not add up are refused.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "model.h"
#include "profiler/read/open.h"
#include "profiler/profile.h"

#define MODULES 3u
#define MOST    5000u // buckets

// A profile that can be changed.
typedef struct {
    trace_profile p;
    trace_profile_row rows[MODULES + 1];
    uint64_t reduced[MODULES + 1][MOST], waiting[MODULES + 1][MOST];
} figures;

static const char *const names[MODULES] = {"main", "searcher", "\xc3\xa9v"};

static uint64_t pseudo(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void fill_row(figures *f, uint32_t row, uint64_t *state)
{
    trace_profile_row *r = &f->rows[row];
    for (uint32_t i = 0; i < f->p.nbuckets; i++) {
        uint64_t peak = pseudo(state) % 3 ? 0 : pseudo(state) % 1000;
        uint64_t times = f->p.width > 1 ? 1 + pseudo(state) % (uint64_t)f->p.width : 1;
        f->reduced[row][i] = peak * times;
        f->waiting[row][i] = pseudo(state) >> (pseudo(state) % 31);
        r->peak = peak > r->peak ? peak : r->peak;
        if (f->reduced[row][i] == 0)
            continue;
        r->last = 1 + (int64_t)i * f->p.width;
        r->first = r->first ? r->first : r->last;
    }
    r->suspended = pseudo(state) % 100;
}

static void add_up(figures *f)
{
    trace_profile_row *all = &f->rows[MODULES];
    for (uint32_t m = 0; m < MODULES; m++) {
        all->suspended += f->rows[m].suspended;
        for (uint32_t i = 0; i < f->p.nbuckets; i++) {
            f->reduced[MODULES][i] += f->reduced[m][i];
            f->waiting[MODULES][i] += f->waiting[m][i];
        }
        if (f->rows[m].last == 0)
            continue;
        all->first =
            all->first == 0 || f->rows[m].first < all->first ? f->rows[m].first : all->first;
        all->last = all->last < f->rows[m].last ? f->rows[m].last : all->last;
    }
    for (uint32_t i = 0; i < f->p.nbuckets; i++) {
        uint64_t least = (f->reduced[MODULES][i] + (uint64_t)f->p.width - 1) / (uint64_t)f->p.width;
        all->peak = least > all->peak ? least : all->peak;
    }
    f->p.span = all->last;
    f->p.nbuckets = (uint32_t)((f->p.span + f->p.width - 1) / f->p.width);
}

static figures *make(uint64_t seed, uint32_t nbuckets, int64_t width)
{
    figures *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    f->p =
        (trace_profile){.width = width, .nbuckets = nbuckets, .nmodules = MODULES, .rows = f->rows};
    for (uint32_t row = 0; row <= MODULES; row++) {
        f->rows[row].name = TRACE_NONE;
        f->rows[row].reduced = f->reduced[row];
        f->rows[row].waiting = f->waiting[row];
        if (row < MODULES)
            fill_row(f, row, &seed);
    }
    add_up(f);
    return f;
}

static void write_figures(figures *f, const char *path)
{
    char *error = NULL;
    tw *w = tw_create(path, &(trace_run){.clock = TRACE_VIRTUAL}, "some/where/model.fl", &error);
    tw_source(w, "model.fl", "main :- true.\n", 14);
    for (uint32_t i = 0; i < MODULES; i++)
        f->rows[i].name = tw_string(w, names[i], strlen(names[i]));
    tw_profile(w, &f->p);
    CHECK_SAY(tw_finish(w, TRACE_HALTED, 3, TRACE_NONE, "", &error), "%s", error ? error : "");
    free(error);
}

static bool same_array(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static void compare_row(const trace *t, const trace_profile_row *a, const trace_profile_row *b,
                        uint32_t n)
{
    CHECK(a->name == b->name && a->suspended == b->suspended);
    CHECK(a->name == TRACE_NONE || trace_string(t, a->name, NULL));
    CHECK(a->first == b->first && a->last == b->last);
    CHECK(same_array(a->reduced, b->reduced, n) && same_array(a->waiting, b->waiting, n));
    CHECK(a->peak == b->peak);
}

static void expect_figures(const figures *f, const trace *t)
{
    const trace_profile *p = trace_get_profile(t);
    if (!CHECK(p != NULL))
        return;
    CHECK(p->span == f->p.span && p->width == f->p.width && p->nbuckets == f->p.nbuckets);
    CHECK(p->nmodules == MODULES && trace_nreductions(t) == 0 && trace_ngoals(t) == 0);
    CHECK(trace_nsources(t) == 1 && trace_npredicates(t) == 0 && trace_nclauses(t) == 0);
    CHECK(trace_ncells(t) == 0 && trace_nbindings(t) == 0);
    for (uint32_t i = 0; i <= MODULES; i++)
        compare_row(t, &p->rows[i], &f->rows[i], p->nbuckets);
}

static void round_trip(const char *path)
{
    static const struct {
        uint32_t nbuckets;
        int64_t width;
    } sizes[] = {{0, 1}, {1, 1}, {40, 1}, {40, 2}, {MOST, 1}, {MOST, 1024}, {3, 1ll << 40}};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        figures *f = make(i, sizes[i].nbuckets, sizes[i].width);
        char *error = NULL;
        write_figures(f, path);
        trace *t = trace_open(path, NULL, NULL, &error);
        CHECK_SAY(t && !error, "%s", error ? error : "no trace");
        if (t) {
            expect_figures(f, t);
            CHECK(trace_get_ending(t) == TRACE_HALTED && trace_exit_status(t) == 3);
            CHECK(traverse(t));
        }
        CHECK(trace_verify(path, &error));
        trace_close(t);
        free(error);
        free(f);
    }
}

// Every bit of a small one, with and without checksums; every length.
static void damaged(const char *path)
{
    for (int64_t width = 1; width <= 2; width++) {
        figures *f = make(5, 12, width);
        write_figures(f, path);
        bytes whole = read_file(path);
        for (size_t bit = 0; bit < 16 * whole.size; bit++) {
            bool trusting = bit % 2;
            char *error = NULL;
            trace_error problem;
            whole.data[bit / 16] ^= (unsigned char)(1 << bit / 2 % 8);
            trace *t =
                trace_open_memory(whole.data, whole.size, "flipped", trusting, &problem, &error);
            CHECK_SAY(trusting || error, "bit %zu", bit / 2);
            if (t)
                CHECK_SAY(traverse(t), "bit %zu", bit / 2);
            if (t && !trusting)
                expect_figures(f, t);
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
                expect_figures(f, t);
            trace_close(t);
            free(error);
        }
        free(whole.data);
        free(f);
    }
}

// ---------------------------------------------------------------------------------------------
// Figures that cannot be

static void more_reduced(figures *f)
{
    int64_t first = f->rows[1].first - 1;
    f->reduced[1][first] += 1;
}

static void more_waiting(figures *f)
{
    f->waiting[MODULES][0] += 1;
}

static void more_suspended(figures *f)
{
    f->rows[0].suspended++;
}

static void peak_too_high(figures *f)
{
    f->rows[0].peak = 10000;
}

static void peak_too_low(figures *f)
{
    f->rows[2].peak = 1;
}

static void too_many(figures *f)
{
    for (uint32_t i = 0; i < f->p.nbuckets; i++)
        f->waiting[0][i] = INT64_MAX;
}

static void first_elsewhere(figures *f)
{
    f->rows[1].first += 4;
}

static void last_beyond(figures *f)
{
    f->rows[MODULES].last += 1;
}

static void longer_span(figures *f)
{
    f->p.span += 100;
}

static void no_width(figures *f)
{
    f->p.width = 0;
}

static const struct {
    void (*spoil)(figures *);
    int64_t width;
    const char *reason;
} wrongs[] = {
    {more_reduced, 1, "rows that do not add up (PROFILE, record 4)"},
    {more_waiting, 1, "rows that do not add up (PROFILE, record 4)"},
    {more_suspended, 1, "rows that do not add up (PROFILE, record 4)"},
    {peak_too_high, 2, "sums that cannot be (PROFILE, record 0)"},
    {peak_too_low, 2, "sums that cannot be (PROFILE, record 2)"},
    {too_many, 1, "sums that cannot be (PROFILE, record 0)"},
    {first_elsewhere, 2, "a first or last reduction that is none (PROFILE, record 1)"},
    {last_beyond, 1, "a first or last reduction that is none (PROFILE, record 3)"},
    {longer_span, 1, "buckets that do not fit the span (PROFILE, record 0)"},
    {no_width, 1, "buckets that do not fit the span (PROFILE, record 0)"},
};

static void refused(const char *path)
{
    for (uint32_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        figures *f = make(9, 30, wrongs[i].width);
        char *error = NULL;
        wrongs[i].spoil(f);
        write_figures(f, path);
        CHECK(!trace_open(path, NULL, NULL, &error));
        CHECK_SAY(error && strstr(error, wrongs[i].reason), "wanted: %s; got: %s", wrongs[i].reason,
                  error ? error : "no error");
        free(error);
        free(f);
    }
}

static void not_both(const char *path)
{
    figures *f = make(9, 30, 1);
    char *error = NULL;
    for (int order = 0; order < 2; order++) {
        tw *w = tw_create(path, &(trace_run){0}, "x", &error);
        tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
        tw_clause(w, &(trace_clause){.source = TRACE_NONE});
        if (order == 0)
            tw_profile(w, &f->p);
        tw_reduction(w, &(trace_reduction){.time = 0});
        if (order == 1)
            tw_profile(w, &f->p);
        CHECK(!tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error));
        CHECK_SAY(error && strstr(error, order ? "a profile beside reductions"
                                               : "a reduction beside a profile"),
                  "%s", error ? error : "no error");
        free(error);
    }
    free(f);
}

void test_figures(const char *folder)
{
    char path[PATH_SIZE];
    path_in(path, folder, "figures.paf");
    round_trip(path);
    damaged(path);
    refused(path);
    not_both(path);
}
