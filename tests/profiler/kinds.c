// SPDX-License-Identifier: MIT
//
// Kinds of constructs and meanings of strings: written and read again, of unknown numbers, refused, and
// found out in files of version 3.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "model.h"
#include "profiler/regions.h"
#include "profiler/format/layout.h"
#include "profiler/read/open.h"
#include "profiler/trace_reader.h"
#include "profiler/trace_writer.h"

enum { UNKNOWN = 250 }; // a number of a later writer

// Where the strings of words are: of keys, schedules, edges.
typedef struct {
    uint32_t keys[TRACE_KEYS], schedules[TRACE_SCHEDULES], edges[TRACE_EDGES];
} words;

static void add_words(tw *w, words *s)
{
    for (unsigned i = 1; i < TRACE_KEYS; i++)
        s->keys[i] = tw_key(w, (trace_key)i);
    for (unsigned i = 1; i < TRACE_SCHEDULES; i++)
        s->schedules[i] = tw_schedule(w, (trace_schedule)i);
    for (unsigned i = 1; i < TRACE_EDGES; i++)
        s->edges[i] = tw_edge(w, (trace_edge)i);
}

// A module and a predicate of each kind and of an unknown one, each with the number of its kind.
static bool write_kinds(const char *path, words *s, char **ret_error)
{
    trace_run run = {.clock = TRACE_MEASURED, .places = 1};
    tw *w = tw_create(path, &run, "kinds", ret_error);
    uint32_t source = tw_source(w, "a.c", "", 0);
    for (unsigned i = 0; i <= TRACE_KINDS; i++) {
        trace_kind kind = (trace_kind)(i < TRACE_KINDS ? i : UNKNOWN);
        const char *name = trace_kind_name(kind) ? trace_kind_name(kind) : "own";
        trace_module m = {.source = source, .line = i, .kind = kind};
        uint32_t module = tw_construct(w, name, &m);
        uint32_t predicate = tw_activities(w, module, name, 0, kind);
        tw_clause(w, &(trace_clause){.predicate = predicate, .source = TRACE_NONE, .dynamic = true});
    }
    add_words(w, s);
    tw_reduction(w, &(trace_reduction){.time = 0});
    return tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", ret_error);
}

static void compare_words(const trace *t, const words *s)
{
    for (unsigned i = 1; i < TRACE_KEYS; i++)
        CHECK(trace_string_key(t, s->keys[i]) == i &&
              strcmp(trace_string(t, s->keys[i], NULL), trace_key_name((trace_key)i)) == 0);
    for (unsigned i = 1; i < TRACE_SCHEDULES; i++)
        CHECK(trace_string_schedule(t, s->schedules[i]) == i);
    for (unsigned i = 1; i < TRACE_EDGES; i++)
        CHECK(trace_string_edge(t, s->edges[i]) == i);
    CHECK(s->keys[TRACE_KEY_LOOP] != s->schedules[TRACE_SCHEDULE_STATIC]);
    CHECK(trace_string_key(t, s->schedules[TRACE_SCHEDULE_STATIC]) == TRACE_KEY_NONE);
    CHECK(trace_string_edge(t, TRACE_NONE) == TRACE_EDGE_NONE);
}

static void round_trip(const char *path)
{
    words s;
    char *error = NULL;
    CHECK_SAY(write_kinds(path, &s, &error), "%s", error ? error : "");
    trace *t = trace_open(path, NULL, NULL, &error);
    if (!CHECK_SAY(t && !error, "%s", error ? error : ""))
        return;
    CHECK(trace_version(t) == FILE_MEASURED && trace_nmodules(t) == TRACE_KINDS + 1);
    for (uint32_t i = 0; i <= TRACE_KINDS; i++) {
        const trace_module *m = trace_get_module(t, i);
        trace_kind kind = (trace_kind)(i < TRACE_KINDS ? i : UNKNOWN);
        CHECK(m->kind == kind && m->source == 0 && m->line == i);
        CHECK(trace_get_predicate(t, i)->kind == kind);
    }
    compare_words(t, &s);
    CHECK(traverse(t));
    trace_close(t);
}

// A kind that is not known runs or waits as its clause says, and nothing more.
static void unknown_kinds_are_plain(void)
{
    CHECK(!trace_kind_name(UNKNOWN) && !trace_key_name(UNKNOWN) && !trace_schedule_name(UNKNOWN) &&
          !trace_edge_name(UNKNOWN));
    CHECK(trace_kind_role(UNKNOWN, false) == TRACE_ROLE_WORK);
    CHECK(trace_kind_role(UNKNOWN, true) == TRACE_ROLE_OTHERS);
    CHECK(trace_edge_hand(UNKNOWN) == TRACE_NO_HAND && !trace_kind_waits(UNKNOWN));
}

static void roles_agree_with_clauses(void)
{
    CHECK(trace_kind_role(TRACE_KIND_CRITICAL, false) == TRACE_ROLE_ALONE);
    CHECK(trace_kind_role(TRACE_KIND_CRITICAL, true) == TRACE_ROLE_OTHERS);
    CHECK(trace_kind_role(TRACE_KIND_BARRIER, true) == TRACE_ROLE_BARRIER);
    CHECK(trace_kind_role(TRACE_KIND_BARRIER, false) == TRACE_ROLE_WORK);
    CHECK(trace_kind_role(TRACE_KIND_MPI_RECEIVE, true) == TRACE_ROLE_OTHERS);
    CHECK(trace_kind_role(TRACE_KIND_MPI_RECEIVE, false) == TRACE_ROLE_WORK);
    for (unsigned i = 0; i < 256; i++)
        CHECK(trace_kind_role((trace_kind)i, false) != TRACE_ROLE_CALL &&
              trace_kind_role((trace_kind)i, true) != TRACE_ROLE_CALL);
}

// ---------------------------------------------------------------------------------------------
// Refused

static void refuse(const char *path, trace_clock clock, const trace_module *m, trace_kind kind,
                   bool has_key, const char *reason)
{
    trace_run run = {.clock = clock, .places = 1};
    char *error = NULL;
    tw *w = tw_create(path, &run, "wrong", &error);
    uint32_t module = tw_construct(w, "m", m);
    tw_clause(w, &(trace_clause){.predicate = tw_activities(w, module, "p", 0, kind),
                                 .source = TRACE_NONE,
                                 .dynamic = true});
    if (has_key)
        tw_key(w, TRACE_KEY_FIRST);
    tw_reduction(w, &(trace_reduction){.time = 0});
    CHECK_SAY(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error), "%s", error ? error : "");
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK_SAY(error && strstr(error, ": offset ") && strstr(error, reason), "wanted: %s; got: %s",
              reason, error ? error : "no error");
    trace_close(t);
    free(error);
}

static void impossible_constructs_are_refused(const char *path)
{
    const trace_module none = {.source = TRACE_NONE};
    trace_module m = none;
    const char *not_measured = "a construct of a run that was not measured (";
    m.kind = TRACE_KIND_LOOP;
    refuse(path, TRACE_VIRTUAL, &m, TRACE_KIND_NONE, false, not_measured);
    refuse(path, TRACE_REAL, &m, TRACE_KIND_NONE, false, not_measured);
    refuse(path, TRACE_VIRTUAL, &none, UNKNOWN, false, not_measured);
    refuse(path, TRACE_VIRTUAL, &none, TRACE_KIND_NONE, true, "meanings in a run that was not measured");
    m = (trace_module){.source = 3};
    refuse(path, TRACE_MEASURED, &m, TRACE_KIND_NONE, false, "a source that does not exist (MODULES");
    m = (trace_module){.source = TRACE_NONE, .line = 7};
    refuse(path, TRACE_MEASURED, &m, TRACE_KIND_NONE, false, "a line of no source (MODULES, record 0)");
}

// Opens the file with a byte of its first meaning (string, table, number) changed.
static trace *open_changed(const bytes *file, unsigned field, unsigned char value, char **ret_error)
{
    unsigned char *at = file->data + FILE_HEADER;
    while (load32(at) != CHUNK_MEANINGS) {
        size_t size = CHUNK_HEADER;
        for (int i = 0; i < COLUMNS; i++)
            size += load32(at + CHUNK_STORED + 4 * i);
        at += size;
    }
    CHECK(load32(at + CHUNK_RAW) == load32(at + CHUNK_STORED)); // plain
    at += CHUNK_HEADER + field;
    unsigned char old = *at;
    *at = value;
    trace_error problem;
    trace *t = trace_open_memory(file->data, file->size, "changed", true, &problem, ret_error);
    *at = old;
    return t;
}

static void impossible_meanings_are_refused(const char *path)
{
    trace_run run = {.clock = TRACE_MEASURED, .places = 1};
    char *error = NULL;
    tw *w = tw_create(path, &run, "meanings", &error);
    tw_clause(w, &(trace_clause){.predicate = tw_activities(w, tw_module(w, "m"), "p", 0, 0),
                                 .source = TRACE_NONE,
                                 .dynamic = true});
    uint32_t first = tw_key(w, TRACE_KEY_FIRST);
    tw_reduction(w, &(trace_reduction){.time = 0});
    CHECK(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error));
    bytes file = read_file(path);
    trace *t = open_changed(&file, 2, UNKNOWN, &error);
    CHECK(t && !error && trace_string_key(t, first) == UNKNOWN);
    trace_close(t);
    trace_close(open_changed(&file, 1, MEANINGS, &error));
    CHECK_SAY(error && strstr(error, "a kind that does not exist (MEANINGS, record 0)"), "%s", error);
    free(error);
    error = NULL;
    trace_close(open_changed(&file, 0, 99, &error));
    CHECK_SAY(error && strstr(error, "a string that does not exist (MEANINGS, record 0)"), "%s", error);
    free(error);
    free(file.data);
}

// Whatever stands in the bytes of the tables, what is accepted holds together.
static void changed_bytes_do_no_harm(const char *path)
{
    bytes file = read_file(path);
    for (size_t i = FILE_HEADER; i < file.size; i++) {
        unsigned char old = file.data[i];
        char *error = NULL;
        file.data[i] = (unsigned char)(old * 37 + i + 1);
        trace_error problem;
        trace *t = trace_open_memory(file.data, file.size, "changed", true, &problem, &error);
        CHECK_SAY(!t || traverse(t), "byte %zu", i);
        trace_close(t);
        free(error);
        file.data[i] = old;
    }
    free(file.data);
}

// ---------------------------------------------------------------------------------------------
// Version 3

static trace *open_old(const char *folder, const char *name)
{
    char path[PATH_SIZE], *error = NULL;
    trace *t = trace_open(path_in(path, folder, name), NULL, NULL, &error);
    CHECK_SAY(t && !error && trace_version(t) == 3 && traverse(t), "%s: %s", path,
              error ? error : "not as it should be");
    free(error);
    return t;
}

// How many activities are in constructs of the kind.
static uint32_t count_kind(const trace *t, trace_kind kind)
{
    uint32_t n = 0;
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        uint32_t goal = trace_reduction_goal(t, r);
        n += trace_get_predicate(t, trace_goal_predicate(t, goal))->kind == kind;
    }
    return n;
}

static uint32_t count_key(const trace *t, trace_key key)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < trace_ncells(t); i++)
        n += trace_cell_get_kind(t, i) == TC_STRUCT && trace_string_key(t, trace_cell_name(t, i)) == key;
    return n;
}

static void old_openmp(const char *folder)
{
    static const trace_kind kinds[] = {
        TRACE_KIND_SERIAL,   TRACE_KIND_REGION,    TRACE_KIND_LOOP,     TRACE_KIND_SINGLE,
        TRACE_KIND_MASTER,   TRACE_KIND_CRITICAL,  TRACE_KIND_LOCK,     TRACE_KIND_ORDERED,
        TRACE_KIND_TASK,     TRACE_KIND_BARRIER,   TRACE_KIND_TASKWAIT, TRACE_KIND_TASKGROUP,
        TRACE_KIND_TASKLOOP, TRACE_KIND_IMPLIED_BARRIER};
    trace *t = open_old(folder, "openmp.paf");
    for (unsigned i = 0; t && i < sizeof kinds / sizeof *kinds; i++)
        CHECK_SAY(count_kind(t, kinds[i]) > 0, "no %s", trace_kind_name(kinds[i]));
    if (t) {
        CHECK(count_kind(t, TRACE_KIND_NONE) == 0);
        CHECK(count_key(t, TRACE_KEY_SCHEDULE) > 10 && count_key(t, TRACE_KEY_NONE) == 0);
        const trace_regions *all = trace_get_regions(t);
        CHECK(all && all->nregions == 1 && all->regions[0].figures[TRACE_REDUCTION].observed &&
              !all->regions[0].figures[TRACE_DATA_SETUP].observed);
    }
    for (uint32_t i = 0; t && i < trace_nmodules(t); i++) {
        const trace_module *m = trace_get_module(t, i);
        bool has_place = strchr(trace_module_name(t, i), ':') != NULL;
        CHECK_SAY(has_place == (m->line > 0) && has_place == (m->source != TRACE_NONE), "%s",
                  trace_module_name(t, i));
    }
    trace_close(t);
}

static void old_others(const char *folder)
{
    trace *t = open_old(folder, "mpi.paf");
    if (t) {
        CHECK(count_kind(t, TRACE_KIND_NONE) == 0 && count_kind(t, TRACE_KIND_MPI_CALL) > 0);
        CHECK(count_kind(t, TRACE_KIND_COMPUTATION_BEFORE) > 0 && count_key(t, TRACE_KEY_TAG) > 0);
    }
    trace_close(t);
    t = open_old(folder, "totals.paf");
    if (t) {
        CHECK(count_kind(t, TRACE_KIND_ROUTINE) > 0 && count_kind(t, TRACE_KIND_LOOP) > 0);
        CHECK(count_kind(t, TRACE_KIND_IO) > 0 && count_kind(t, TRACE_KIND_NONE) == 0);
        CHECK(count_key(t, TRACE_KEY_DEPTH) > 0);
    }
    trace_close(t);
    trace_close(open_old(folder, "ideal.paf"));
    trace_close(open_old(folder, "real.paf"));
}

void test_kinds(const char *folder, const char *old_folder)
{
    char path[PATH_SIZE];
    path_in(path, folder, "kinds.paf");
    round_trip(path);
    changed_bytes_do_no_harm(path);
    unknown_kinds_are_plain();
    roles_agree_with_clauses();
    impossible_constructs_are_refused(path);
    impossible_meanings_are_refused(path);
    changed_bytes_do_no_harm(path_in(path, old_folder, "totals.paf"));
    old_openmp(old_folder);
    old_others(old_folder);
}
