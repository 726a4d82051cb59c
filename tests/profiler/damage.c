// SPDX-License-Identifier: MIT
//
// Files that are cut, changed or no traces at all: never a crash, always an error that says where,
// and what was readable is as it was written.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "files.h"
#include "model.h"
#include "profiler/format/layout.h"
#include "profiler/read/open.h"

// ---------------------------------------------------------------------------------------------
// Cut

static void expect_cut(const model *m, const bytes *whole, size_t size, uint32_t *ret_reductions)
{
    char *error = NULL;
    trace_error problem;
    trace *t = trace_open_memory(whole->data, size, "cut", false, &problem, &error);
    CHECK_SAY(error && strncmp(error, "cut: offset ", 12) == 0, "cut at %zu: %s", size,
              error ? error : "no error");
    if (t) {
        CHECK(trace_get_ending(t) == TRACE_UNFINISHED || size == whole->size);
        CHECK_SAY(model_matches(m, t, false), "cut at %zu", size);
        CHECK(problem.kind == TRACE_DAMAGED || problem.kind == TRACE_UNENDED);
        CHECK_SAY(trace_nreductions(t) >= *ret_reductions, "cut at %zu", size);
        *ret_reductions = trace_nreductions(t);
    }
    trace_close(t);
    free(error);
}

static void cut_everywhere(const char *folder, trace_clock clock)
{
    char path[PATH_SIZE];
    model m;
    uint32_t reductions = 0;
    model_small(&m, path_in(path, folder, "small.paf"), clock);
    bytes whole = read_file(path);
    for (size_t size = 0; size < whole.size; size++)
        expect_cut(&m, &whole, size, &reductions);
    CHECK(reductions == m.reductions.n);
    for (size_t size = 0; size < whole.size; size += 7) { // and through a file
        char *error = NULL;
        write_file(path, whole.data, size);
        CHECK_SAY(!trace_verify(path, &error) && error, "cut at %zu", size);
        free(error);
    }
    free(whole.data);
    model_destroy(&m);
}

static void cut_large(const char *folder)
{
    char path[PATH_SIZE];
    model m;
    uint32_t reductions = 0;
    model_random(&m, path_in(path, folder, "large.paf"), 1003, 30000);
    bytes whole = read_file(path);
    for (size_t size = 0; size < whole.size; size += whole.size / 60)
        expect_cut(&m, &whole, size, &reductions);
    expect_cut(&m, &whole, whole.size - 1, &reductions);
    CHECK(reductions == m.reductions.n);
    free(whole.data);
    model_destroy(&m);
}

// ---------------------------------------------------------------------------------------------
// Changed

// Every bit of a small file: a checksum or the header's own check finds it.
static void flip_every_bit(const char *folder, trace_clock clock)
{
    char path[PATH_SIZE];
    model m;
    model_small(&m, path_in(path, folder, "small.paf"), clock);
    bytes whole = read_file(path);
    for (size_t bit = 0; bit < 8 * whole.size; bit++) {
        whole.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        char *error = NULL;
        trace_error problem;
        trace *t = trace_open_memory(whole.data, whole.size, "flipped", false, &problem, &error);
        CHECK_SAY(error && strncmp(error, "flipped: offset ", 16) == 0, "bit %zu", bit);
        if (t)
            CHECK_SAY(model_matches(&m, t, false) && traverse(t), "bit %zu", bit);
        trace_close(t);
        free(error);
        whole.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(whole.data);
    model_destroy(&m);
}

// The same without checksums: whatever is accepted must hold together.
static void trust(const bytes *whole, const char *what, size_t where)
{
    char *error = NULL;
    trace_error problem;
    trace *t = trace_open_memory(whole->data, whole->size, "trusted", true, &problem, &error);
    if (t)
        CHECK_SAY(traverse(t), "%s %zu", what, where);
    trace_close(t);
    free(error);
}

static void flip_unchecked(const char *folder, trace_clock clock)
{
    char path[PATH_SIZE];
    model m;
    model_small(&m, path_in(path, folder, "small.paf"), clock);
    bytes whole = read_file(path);
    for (size_t bit = 0; bit < 8 * whole.size; bit++) {
        whole.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        trust(&whole, "bit", bit);
        whole.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(whole.data);
    model_destroy(&m);
    model_random(&m, path_in(path, folder, "random.paf"), 1002 + (clock == TRACE_REAL), 900);
    whole = read_file(path);
    for (size_t i = 0; i < whole.size; i += 5) {
        unsigned char old = whole.data[i];
        whole.data[i] = (unsigned char)(old * 37 + i);
        trust(&whole, "byte", i);
        whole.data[i] = old;
    }
    free(whole.data);
    model_destroy(&m);
}

// ---------------------------------------------------------------------------------------------
// Not traces

static void expect_error(const char *path, trace_error_kind kind, const char *reason, bool readable)
{
    char *error = NULL;
    trace_error problem;
    trace *t = trace_open_explained(path, NULL, NULL, &problem, &error);
    CHECK_SAY((t != NULL) == readable, "%s: %s", path, error ? error : "no error");
    CHECK_SAY(problem.kind == kind, "%s: kind %d", path, (int)problem.kind);
    CHECK_SAY(error && strstr(error, reason), "%s: %s", path, error ? error : "no error");
    trace_close(t);
    free(error);
    error = NULL;
    CHECK(!trace_verify(path, &error));
    CHECK_SAY(error && strstr(error, reason), "%s: %s", path, error ? error : "no error");
    free(error);
}

static void other_files(const char *folder)
{
    char path[PATH_SIZE], small[PATH_SIZE];
    expect_error(path_in(path, folder, "missing.paf"), TRACE_CANNOT_READ,
                 "missing.paf: cannot read: No such", false);
    expect_error(folder, TRACE_CANNOT_READ, ": cannot read: Is a directory", false);
    write_file(path_in(path, folder, "empty.paf"), "", 0);
    expect_error(path, TRACE_NOT_A_TRACE, "empty.paf: offset 0: not a trace", false);
    write_file(path_in(path, folder, "text.paf"), "main :- true. % long enough\n", 28);
    expect_error(path, TRACE_NOT_A_TRACE, "text.paf: offset 0: not a trace", false);

    model m;
    model_small(&m, path_in(small, folder, "small.paf"), TRACE_REAL);
    model_destroy(&m);
    bytes whole = read_file(small);
    whole.data[FILE_MAGIC_SIZE] = FILE_VERSION + 1;
    write_file(path_in(path, folder, "version.paf"), whole.data, whole.size);
    expect_error(path, TRACE_TOO_NEW, "a trace of a version that is not known", false);
    whole.data[FILE_MAGIC_SIZE] = 1;
    write_file(path, whole.data, whole.size);
    expect_error(path, TRACE_TOO_OLD, "a trace of a version that is not known", false);
    whole.data[FILE_MAGIC_SIZE] = FILE_REAL - 1;
    write_file(path, whole.data, whole.size);
    expect_error(path, TRACE_DAMAGED_HEADER, "the header is damaged", false);
    whole.data[FILE_MAGIC_SIZE] = FILE_REAL;
    whole.data[FILE_MAGIC_SIZE + 4] ^= 1;
    write_file(path, whole.data, whole.size);
    expect_error(path, TRACE_DAMAGED_HEADER, "the header is damaged", false);
    whole.data[FILE_MAGIC_SIZE + 4] ^= 1;
    write_file(path, whole.data, whole.size - 1);
    expect_error(path, TRACE_DAMAGED, "the file ends inside a chunk", true);
    write_file(path, whole.data, FILE_HEADER);
    expect_error(path, TRACE_UNENDED, "the file ends before the run did", false);
    whole.data = realloc(whole.data, 2 * whole.size);
    if (!whole.data)
        abort();
    memcpy(whole.data + whole.size, whole.data + FILE_HEADER, whole.size - FILE_HEADER);
    write_file(path_in(path, folder, "twice.paf"), whole.data, 2 * whole.size - FILE_HEADER);
    expect_error(path, TRACE_DAMAGED, "something follows the end", true);
    free(whole.data);
}

// The first chunk of a kind; its size in *ret_size.
static unsigned char *find_chunk(const bytes *whole, enum chunk_kind kind, size_t *ret_size)
{
    unsigned char *at = whole->data + FILE_HEADER, *end = whole->data + whole->size;
    for (; at < end; at += *ret_size) {
        *ret_size = CHUNK_HEADER;
        for (int i = 0; i < COLUMNS; i++)
            *ret_size += load32(at + CHUNK_STORED + 4 * i);
        if (load32(at) == kind)
            return at;
    }
    abort();
}

// Writes `whole` with `nremoved` bytes at `at` replaced by others; the reader must say `reason`.
static void expect_reason(const char *path, const bytes *whole, const unsigned char *at,
                          size_t nremoved, bytes inserted, const char *reason)
{
    size_t before = (size_t)(at - whole->data), rest = whole->size - before - nremoved;
    unsigned char *changed = malloc(whole->size + inserted.size);
    char *error = NULL;
    if (!changed)
        abort();
    memcpy(changed, whole->data, before);
    memcpy(changed + before, inserted.data, inserted.size);
    memcpy(changed + before + inserted.size, at + nremoved, rest);
    write_file(path, changed, before + inserted.size + rest);
    trace_close(trace_open(path, NULL, NULL, &error));
    CHECK_SAY(error && strstr(error, reason), "%s", error ? error : "no error");
    free(error);
    free(changed);
}

// Places that are missing, are there twice, follow the reductions, or belong to a virtual run.
static void misplaced(const char *folder)
{
    char path[PATH_SIZE];
    model m;
    bytes none = {(unsigned char *)"", 0}, places = none, whole[2];
    for (int clock = TRACE_VIRTUAL; clock <= TRACE_REAL; clock++) {
        model_small(&m, path_in(path, folder, "real.paf"), (trace_clock)clock);
        model_destroy(&m);
        whole[clock] = read_file(path);
    }
    size_t size;
    const bytes *real = &whole[TRACE_REAL];
    places.data = find_chunk(real, CHUNK_PLACES, &places.size);
    expect_reason(path, real, places.data, places.size, none,
                  "a reduction without a place (REDUCTIONS, record 0)");
    expect_reason(path, real, places.data, 0, places,
                  "places without reductions (PLACES, record 0)");
    expect_reason(path, real, find_chunk(real, CHUNK_END, &size), 0, places,
                  "chunks are missing: the totals differ (END, record 0)");
    const bytes *virtual = &whole[TRACE_VIRTUAL];
    expect_reason(path, virtual, find_chunk(virtual, CHUNK_END, &size), 0, places,
                  "places of a virtual run (PLACES, record 0)");
    free(whole[0].data);
    free(whole[1].data);
}

static bool refuse_to_go_on(void *data, uint64_t done, uint64_t total)
{
    (void)data;
    (void)done;
    (void)total;
    return false;
}

static void cancelled(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    trace_error problem;
    model m;
    model_small(&m, path_in(path, folder, "cancelled.paf"), TRACE_VIRTUAL);
    model_destroy(&m);
    CHECK(!trace_open_explained(path, refuse_to_go_on, NULL, &problem, &error));
    CHECK(problem.kind == TRACE_CANCELLED && error && strstr(error, ": cancelled"));
    free(error);
}

// A trace that comes through a pipe.
static void through_pipe(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    int ends[2];
    model m;
    model_random(&m, path_in(path, folder, "pipe.paf"), 1003, 900);
    bytes whole = read_file(path);
    if (CHECK(whole.size < 65536 && pipe(ends) == 0)) {
        CHECK(write(ends[1], whole.data, whole.size) == (ssize_t)whole.size);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        trace *t = trace_open(path, NULL, NULL, &error);
        CHECK_SAY(t && !error && model_matches(&m, t, true), "%s", error ? error : "");
        trace_close(t);
        close(ends[0]);
    }
    free(error);
    free(whole.data);
    model_destroy(&m);
}

// ---------------------------------------------------------------------------------------------
// Writers that cannot write

static void no_writing(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    path_in(path, folder, "no/such/folder.paf");
    CHECK(!tw_create(path, &(trace_run){0}, "x", &error));
    CHECK_SAY(error && strstr(error, "folder.paf: cannot create: "), "%s", error ? error : "");
    free(error);
    error = NULL;
    CHECK(!tw_create("/dev/full", &(trace_run){0}, "x", &error));
    CHECK_SAY(error && strstr(error, "/dev/full: cannot write: "), "%s", error ? error : "");
    free(error);
}

void test_damage(const char *folder)
{
    cut_everywhere(folder, TRACE_VIRTUAL);
    cut_everywhere(folder, TRACE_REAL);
    cut_large(folder);
    flip_every_bit(folder, TRACE_VIRTUAL);
    flip_every_bit(folder, TRACE_REAL);
    flip_unchecked(folder, TRACE_VIRTUAL);
    flip_unchecked(folder, TRACE_REAL);
    other_files(folder);
    misplaced(folder);
    cancelled(folder);
    through_pipe(folder);
    no_writing(folder);
}
