// SPDX-License-Identifier: MIT
//
// A store in a file, by SQLite.
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/sql/backend.h"

enum {
    WAIT_FOR_WRITER = 60000,     // milliseconds
    INSTRUCTIONS_A_LOOK = 20000, // of SQLite's machine, between two looks at the clock
};

typedef struct {
    sqlite3 *handle;
    double until; // monotonic seconds; 0: for ever
    double seconds;
    bool (*stop)(void *data); // NULL: nobody is asked
    void *stop_data;
    bool stopped;
} connection;

typedef struct {
    connection *on;
    sqlite3_stmt *statement;
} query;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int must_end(void *data)
{
    connection *c = data;
    c->stopped = c->stop && c->stop(c->stop_data);
    return c->stopped || (c->until > 0 && now() > c->until);
}

static void complain(db *d, connection *c)
{
    if (sqlite3_errcode(c->handle) == SQLITE_INTERRUPT && c->stopped)
        db_fail(d, "it was cancelled");
    else if (sqlite3_errcode(c->handle) == SQLITE_INTERRUPT)
        db_fail(d, "it took longer than %g seconds", c->seconds);
    else if (sqlite3_errcode(c->handle) == SQLITE_AUTH)
        db_fail(
            d,
            "only questions are allowed: SELECT, or WITH ... SELECT, on the tables and views of the store");
    else
        db_fail(d, "%s", sqlite3_errmsg(c->handle));
}

// What a text may do in a store that is only read.
static int authorize(void *data, int action, const char *a, const char *b, const char *base,
                     const char *inner)
{
    (void)data, (void)a, (void)base, (void)inner;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return b && !sqlite3_stricmp(b, "load_extension") ? SQLITE_DENY : SQLITE_OK;
    }
    return SQLITE_DENY;
}

static void *sqlite_open(db *d, const char *where, db_mode mode)
{
    connection *c = base_allocate(1, sizeof *c);
    int flags = mode == DB_READ    ? SQLITE_OPEN_READONLY
                : mode == DB_WRITE ? SQLITE_OPEN_READWRITE
                                   : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (mode != DB_CREATE && access(where, F_OK) != 0) {
        db_fail(d, "%s: there is no such store", where);
        free(c);
        return NULL;
    }
    if (sqlite3_open_v2(where, &c->handle, flags, NULL) != SQLITE_OK) {
        db_fail(d, "%s: %s", where, c->handle ? sqlite3_errmsg(c->handle) : "out of memory");
        sqlite3_close(c->handle);
        free(c);
        return NULL;
    }
    sqlite3_extended_result_codes(c->handle, 0);
    sqlite3_busy_timeout(c->handle, WAIT_FOR_WRITER);
    sqlite3_progress_handler(c->handle, INSTRUCTIONS_A_LOOK, must_end, c);
    char *error = NULL;
    if (sqlite3_exec(c->handle, "PRAGMA foreign_keys = ON; SELECT COUNT(*) FROM sqlite_master", NULL, NULL,
                     &error)) {
        db_fail(d, "%s: %s", where, error ? error : "cannot be read");
        sqlite3_free(error);
        sqlite3_close(c->handle);
        free(c);
        return NULL;
    }
    if (mode == DB_READ)
        sqlite3_set_authorizer(c->handle, authorize, NULL);
    return c;
}

static void sqlite_close(void *data)
{
    connection *c = data;
    sqlite3_close(c->handle);
    free(c);
}

static void sqlite_limit(void *data, double seconds)
{
    connection *c = data;
    c->seconds = seconds;
    c->until = seconds > 0 ? now() + seconds : 0;
}

static void sqlite_stop_when(void *data, bool (*stop)(void *), void *stop_data)
{
    connection *c = data;
    c->stop = stop;
    c->stop_data = stop_data;
}

static bool sqlite_script(db *d, void *data, const char *text)
{
    connection *c = data;
    if (sqlite3_exec(c->handle, text, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    complain(d, c);
    return false;
}

static void *sqlite_prepare(db *d, void *data, const char *text, int nparameters, bool once)
{
    connection *c = data;
    sqlite3_stmt *statement = NULL;
    const char *rest = NULL;
    if (sqlite3_prepare_v2(c->handle, text, -1, &statement, &rest) != SQLITE_OK) {
        complain(d, c);
        return NULL;
    }
    if (!statement)
        db_fail(d, "the text has no statement");
    else if (rest[strspn(rest, " \t\r\n;")])
        db_fail(d, "one statement is allowed, and here is another one: %.40s",
                rest + strspn(rest, " \t\r\n;"));
    else if (once && sqlite3_bind_parameter_count(statement) != nparameters)
        db_fail(d, "the text has %d parameters, and %d values are given",
                sqlite3_bind_parameter_count(statement), nparameters);
    if (db_error(d)) {
        sqlite3_finalize(statement);
        return NULL;
    }
    query *q = base_allocate(1, sizeof *q);
    *q = (query){c, statement};
    return q;
}

static void sqlite_release(void *data)
{
    query *q = data;
    sqlite3_finalize(q->statement);
    free(q);
}

static bool bind(query *q, int at, const db_value *v)
{
    switch (v->kind) {
    case DB_NULL:
        return sqlite3_bind_null(q->statement, at) == SQLITE_OK;
    case DB_INTEGER:
        return sqlite3_bind_int64(q->statement, at, v->i) == SQLITE_OK;
    case DB_REAL:
        return sqlite3_bind_double(q->statement, at, v->d) == SQLITE_OK;
    case DB_TEXT:
        return sqlite3_bind_text(q->statement, at, v->s, -1, SQLITE_TRANSIENT) == SQLITE_OK;
    }
    return false;
}

// $1 is a name for SQLite, and gets its number in the order in which names appear.
static bool sqlite_execute(db *d, void *data, const db_value *parameters, int n)
{
    query *q = data;
    char name[16];
    for (int i = 0; i < n; i++) {
        sqlite3_snprintf(sizeof name, name, "$%d", i + 1);
        int at = sqlite3_bind_parameter_index(q->statement, name);
        if (at && !bind(q, at, &parameters[i])) {
            complain(d, q->on);
            return false;
        }
    }
    return true;
}

static bool sqlite_next(db *d, void *data)
{
    query *q = data;
    int status = sqlite3_step(q->statement);
    if (status == SQLITE_ROW)
        return true;
    if (status != SQLITE_DONE)
        complain(d, q->on);
    return false;
}

static void sqlite_reset(void *data)
{
    query *q = data;
    sqlite3_reset(q->statement);
    sqlite3_clear_bindings(q->statement);
}

static int sqlite_columns(void *data)
{
    return sqlite3_column_count(((query *)data)->statement);
}

static const char *sqlite_name(void *data, int column)
{
    return sqlite3_column_name(((query *)data)->statement, column);
}

static db_value sqlite_value(void *data, int column)
{
    sqlite3_stmt *s = ((query *)data)->statement;
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER:
        return (db_value){.kind = DB_INTEGER, .i = sqlite3_column_int64(s, column)};
    case SQLITE_FLOAT:
        return (db_value){.kind = DB_REAL, .d = sqlite3_column_double(s, column)};
    case SQLITE_NULL:
        return (db_value){.kind = DB_NULL};
    }
    return (db_value){.kind = DB_TEXT, .s = (const char *)sqlite3_column_text(s, column)};
}

const db_backend db_sqlite = {
    .open = sqlite_open,
    .close = sqlite_close,
    .limit = sqlite_limit,
    .stop_when = sqlite_stop_when,
    .script = sqlite_script,
    .begin = "BEGIN IMMEDIATE",
    .tables = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = $1",
    .others = "SELECT COUNT(*) FROM sqlite_master",
    .prepare = sqlite_prepare,
    .release = sqlite_release,
    .execute = sqlite_execute,
    .next = sqlite_next,
    .reset = sqlite_reset,
    .columns = sqlite_columns,
    .name = sqlite_name,
    .value = sqlite_value,
};
