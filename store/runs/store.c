// SPDX-License-Identifier: MIT
//
// Opening the store, listing its runs, switching them on and off.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/runs/store_private.h"
#include "store/sql/schema.h"

char *store_default_path(void)
{
    const char *named = getenv("PAF_STORE"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (named && *named)
        return base_copy(named);
    char *folder = data && *data == '/' ? base_format("%s/paf", data)
                                        : base_format("%s/.local/share/paf", home && *home ? home : ".");
    for (char *p = folder + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        mkdir(folder, 0700);
        *p = '/';
    }
    mkdir(folder, 0700);
    char *path = base_format("%s/store.db", folder);
    free(folder);
    return path;
}

store *store_open(const char *where, store_mode mode, char **ret_error)
{
    static const db_mode modes[] = {
        [STORE_CREATE] = DB_CREATE, [STORE_WRITE] = DB_WRITE, [STORE_READ] = DB_READ};
    db *database = db_open(where, modes[mode], ret_error);
    if (!database)
        return NULL;
    if (!store_check_schema(database, modes[mode])) {
        *ret_error = base_format("%s: %s", db_is_server(where) ? "the server" : where, db_error(database));
        db_close(database);
        return NULL;
    }
    store *s = base_allocate(1, sizeof *s);
    s->database = database;
    return s;
}

bool store_bring_up(const char *where, char **ret_error)
{
    db *database = db_open(where, DB_WRITE, ret_error);
    if (!database)
        return false;
    bool good = store_check_schema(database, DB_WRITE);
    if (!good)
        *ret_error = base_format("%s: %s", db_is_server(where) ? "the server" : where, db_error(database));
    db_close(database);
    return good;
}

int64_t store_changes(store *s)
{
    int64_t changes = db_number(s->database, -1, "SELECT changes FROM store_version", "");
    if (db_error(s->database))
        store_give_up(s);
    return changes;
}

void store_stop_when(store *s, bool (*stop)(void *data), void *data)
{
    db_stop_when(s->database, stop, data);
}

void store_leave_out(store *s, const int64_t *runs, size_t n)
{
    s->left_out = runs;
    s->nleft_out = n;
}

void store_close(store *s)
{
    if (!s)
        return;
    db_close(s->database);
    free(s->error);
    free(s);
}

const char *store_error(const store *s)
{
    return s->error ? s->error : "";
}

bool store_give_up(store *s)
{
    free(s->error);
    s->error = base_copy(db_error(s->database) ? db_error(s->database) : "cannot write");
    db_rollback(s->database);
    return false;
}

static char *copy(const char *text)
{
    return text ? base_copy(text) : NULL;
}

// A number that was not observed is negative.
static int64_t number(const db_rows *r, int column)
{
    return db_kind_of(r, column) == DB_NULL ? -1 : db_integer(r, column);
}

bool store_list(store *s, const char *application, store_listed **ret, size_t *ret_n)
{
    ARRAY_OF(store_listed) runs = {0};
    db_rows *r = db_ask(
        s->database,
        "SELECT run, application, condition, trial, elapsed, span, unit, date, source, ending, enabled, "
        "condition_id, user_time + system_time, work, machine "
        "FROM runs WHERE application = $1 OR $2 = 1 ORDER BY application, condition, trial",
        "si", application ? application : "", (int64_t)!application);
    while (r && db_next(r))
        ARRAY_PUSH(runs, ((store_listed){
                             .id = db_integer(r, 0),
                             .application = copy(db_text(r, 1)),
                             .condition = copy(db_text(r, 2)),
                             .trial = db_integer(r, 3),
                             .elapsed = number(r, 4),
                             .span = number(r, 5),
                             .unit = copy(db_text(r, 6)),
                             .date = copy(db_text(r, 7)),
                             .source = copy(db_text(r, 8)),
                             .ending = copy(db_text(r, 9)),
                             .enabled = db_integer(r, 10) != 0,
                             .condition_id = db_integer(r, 11),
                             .cpu = number(r, 12),
                             .work = number(r, 13),
                             .machine = copy(db_text(r, 14)),
                         }));
    db_end(r);
    *ret = runs.at;
    *ret_n = runs.n;
    if (!db_error(s->database))
        return true;
    store_listed_free(runs.at, runs.n);
    *ret = NULL;
    *ret_n = 0;
    return store_give_up(s);
}

void store_listed_free(store_listed *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *texts[] = {runs[i].application, runs[i].condition, runs[i].unit,
                         runs[i].date,        runs[i].source,    runs[i].ending, runs[i].machine};
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++)
            free(texts[j]);
    }
    free(runs);
}

static bool expect_run(db *d, int64_t run)
{
    if (db_number(d, 0, "SELECT COUNT(*) FROM run WHERE id = $1", "i", run) == 0)
        db_fail(d, "there is no run %lld", (long long)run);
    return !db_error(d);
}

bool store_enable(store *s, int64_t run, bool enabled)
{
    db *d = s->database;
    if (db_begin(d) && expect_run(d, run))
        db_do(d, "UPDATE run SET enabled = $1 WHERE id = $2", "ii", (int64_t)enabled, run);
    store_note_change(d);
    return db_commit(d) || store_give_up(s);
}

// What a run alone has, tables that refer to others first. Functions and metrics stay.
bool store_remove(store *s, int64_t run)
{
    static const char *const texts[] = {
        "DELETE FROM message WHERE run = $1",     "DELETE FROM measurement WHERE run = $1",
        "DELETE FROM profile WHERE run = $1",     "DELETE FROM function_place WHERE run = $1",
        "DELETE FROM metric_sum WHERE run = $1",  "DELETE FROM function_sum WHERE run = $1",
        "DELETE FROM place WHERE run = $1",       "DELETE FROM job WHERE run = $1",
        "DELETE FROM file_access WHERE run = $1", "DELETE FROM run WHERE id = $1",
    };
    db *d = s->database;
    if (db_begin(d))
        expect_run(d, run);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        db_do(d, texts[i], "i", run);
    store_note_change(d);
    return db_commit(d) || store_give_up(s);
}
