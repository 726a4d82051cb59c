// SPDX-License-Identifier: MIT
//
// Without memory: each allocation of writing and of reading a small trace fails once, and then all
// from it on. The program is linked so that the library's allocations come through here.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "model.h"
#include "profiler/read/open.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);

static long until_failure = -1; // allocations that succeed before one fails; negative: all do
static bool persistent;
static bool failed;

static bool fails(void)
{
    if (until_failure < 0)
        return false;
    if (until_failure > 0) {
        until_failure--;
        return false;
    }
    failed = true;
    if (!persistent)
        until_failure = -1;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
    return fails() ? NULL : __real_reallocarray(old, n, size);
}

// Opens with the n-th allocation failing. True if none failed any more.
static bool open_without(const model *m, const bytes *whole, long n)
{
    char *error = NULL;
    trace_error problem;
    until_failure = n;
    failed = false;
    trace *t = trace_open_memory(whole->data, whole->size, "short", false, &problem, &error);
    until_failure = -1;
    if (t)
        CHECK_SAY(model_matches(m, t, false) && traverse(t), "allocation %ld", n);
    CHECK_SAY(problem.kind == (error ? TRACE_NO_MEMORY : TRACE_SOUND), "allocation %ld: %s", n,
              error ? error : "no error");
    if (t && !error)
        CHECK_SAY(trace_nreductions(t) == m->reductions.n, "allocation %ld", n);
    trace_close(t);
    free(error);
    return !failed;
}

static void reading(const model *m, const bytes *whole)
{
    for (int i = 0; i < 2; i++) {
        long n = 0;
        persistent = i;
        while (!open_without(m, whole, n))
            n++;
        CHECK(n > 20);
    }
}

// Writes strings, a clause and reductions enough for columns to grow.
static bool write_without(const char *path, long n)
{
    char *error = NULL;
    until_failure = n;
    failed = false;
    tw *w = tw_create(path, &(trace_run){.clock = TRACE_REAL}, "short", &error);
    bool good = false;
    if (w) {
        char text[] = "string 0000";
        for (uint32_t i = 0; i < 2000; i++) {
            text[7] = (char)('0' + i % 10);
            text[8] = (char)('0' + i / 10 % 10);
            text[9] = (char)('0' + i / 100 % 10);
            text[10] = (char)('0' + i / 1000);
            tw_string(w, text, 11);
        }
        tw_predicate(w, tw_module(w, "m"), "p", 0, TRACE_PROGRAM);
        trace_item item = {TI_GOAL, 0, 1, 1, 0, 0};
        for (uint32_t i = 0; i < 300; i++)
            tw_clause(w, &(trace_clause){.source = TRACE_NONE, .nitems = 1, .items = &item});
        for (uint32_t i = 0; i < 3000; i++)
            tw_reduction(w, &(trace_reduction){
                                .goal = i - 1, .time = i, .place = i % 100, .start = i, .end = i});
        good = tw_finish(w, TRACE_STOPPED, 0, TRACE_NONE, "", &error);
    }
    until_failure = -1;
    CHECK_SAY(good == !failed, "allocation %ld: %s", n, error ? error : "no error");
    free(error);
    return !failed;
}

static void writing(const char *path)
{
    for (int i = 0; i < 2; i++) {
        long n = 0;
        persistent = i;
        while (!write_without(path, n))
            n++;
        CHECK(n > 20);
    }
}

void test_memory(const char *folder)
{
    char path[PATH_SIZE];
    model m;
    bytes whole;
    for (int clock = TRACE_VIRTUAL; clock <= TRACE_MEASURED; clock++) {
        model_small(&m, path_in(path, folder, "small.paf"), (trace_clock)clock);
        whole = read_file(path);
        reading(&m, &whole);
        free(whole.data);
        model_destroy(&m);
    }
    model_random(&m, path, 1003, 1500);
    whole = read_file(path);
    reading(&m, &whole);
    free(whole.data);
    model_destroy(&m);
    writing(path);
}
