// SPDX-License-Identifier: MIT
//
// A store on a server, by libpq. Values travel as text.
#include "store/sql/backend.h"

#ifndef STORE_POSTGRES
const db_backend *db_postgres(void)
{
    return NULL;
}
#else

#include <libpq-fe.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Types of columns, as the server numbers them.
enum {
    TYPE_INT8 = 20,
    TYPE_INT2 = 21,
    TYPE_INT4 = 23,
    TYPE_FLOAT4 = 700,
    TYPE_FLOAT8 = 701,
    TYPE_NUMERIC = 1700
};
enum { MILLISECONDS_A_LOOK = 50, MOST_DIGITS = 32, MOST_NUMBERS = 20 };

typedef struct {
    PGconn *handle;
    uint64_t nstatements;
    bool (*stop)(void *data); // NULL: nobody is asked
    void *stop_data;
} connection;

typedef struct {
    connection *on;
    char name[24]; // of the prepared statement; "": the unnamed one
    const char *text;
    PGresult *result;
    int row;
} query;

// Notices ("there is already a transaction") are nobody's answer.
static void ignore_notice(void *data, const char *text)
{
    (void)data, (void)text;
}

static void complain(db *d, const connection *c, const PGresult *result)
{
    const char *text = result ? PQresultErrorMessage(result) : PQerrorMessage(c->handle);
    db_fail(d, "%s", text && *text ? text : "the server does not answer");
}

static bool is_ok(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static bool postgres_script(db *d, void *data, const char *text)
{
    connection *c = data;
    PGresult *result = PQexec(c->handle, text);
    bool ok = is_ok(result);
    if (!ok)
        complain(d, c, result);
    PQclear(result);
    return ok;
}

static void *postgres_open(db *d, const char *where, db_mode mode)
{
    connection *c = base_allocate(1, sizeof *c);
    c->handle = PQconnectdb(where);
    PQsetNoticeProcessor(c->handle, ignore_notice, NULL);
    if (PQstatus(c->handle) != CONNECTION_OK)
        complain(d, c, NULL);
    else
        postgres_script(d, c,
                        mode == DB_READ
                            ? "SET default_transaction_read_only = on; SET client_encoding = 'UTF8'"
                            : "SET lock_timeout = '60s'; SET client_encoding = 'UTF8'");
    if (!db_error(d))
        return c;
    PQfinish(c->handle);
    free(c);
    return NULL;
}

static void postgres_close(void *data)
{
    connection *c = data;
    PQfinish(c->handle);
    free(c);
}

static void postgres_limit(void *data, double seconds)
{
    connection *c = data;
    char text[64];
    snprintf(text, sizeof text, "SET statement_timeout = %lld", (long long)(seconds * 1000));
    PQclear(PQexec(c->handle, text));
}

static void *postgres_prepare(db *d, void *data, const char *text, int nparameters, bool once)
{
    connection *c = data;
    query *q = base_allocate(1, sizeof *q);
    *q = (query){.on = c, .text = text};
    if (!once)
        snprintf(q->name, sizeof q->name, "s%llu", (unsigned long long)++c->nstatements);
    PGresult *result = PQprepare(c->handle, q->name, text, once ? nparameters : 0, NULL);
    bool ok = is_ok(result);
    if (!ok)
        complain(d, c, result);
    PQclear(result);
    if (ok)
        return q;
    free(q);
    return NULL;
}

static void postgres_reset(void *data)
{
    query *q = data;
    PQclear(q->result);
    q->result = NULL;
}

static void postgres_release(void *data)
{
    postgres_reset(data);
    free(data);
}

static const char *as_text(const db_value *v, char *digits)
{
    switch (v->kind) {
    case DB_NULL:
        return NULL;
    case DB_INTEGER:
        snprintf(digits, MOST_DIGITS, "%lld", (long long)v->i);
        return digits;
    case DB_REAL:
        snprintf(digits, MOST_DIGITS, "%.17g", v->d);
        return digits;
    case DB_TEXT:
        return v->s;
    }
    return NULL;
}

static void postgres_stop_when(void *data, bool (*stop)(void *), void *stop_data)
{
    connection *c = data;
    c->stop = stop;
    c->stop_data = stop_data;
}

static void cancel(const connection *c)
{
    char reason[256];
    PGcancel *how = PQgetCancel(c->handle);
    if (how)
        PQcancel(how, reason, sizeof reason);
    PQfreeCancel(how);
}

// The answer of the statement that was sent, whose asker may lose interest meanwhile.
static PGresult *await(const connection *c)
{
    bool cancelled = false;
    while (PQconsumeInput(c->handle) && PQisBusy(c->handle)) {
        struct pollfd server = {.fd = PQsocket(c->handle), .events = POLLIN};
        if (poll(&server, 1, MILLISECONDS_A_LOOK) == 0 && !cancelled && c->stop && c->stop(c->stop_data)) {
            cancel(c);
            cancelled = true;
        }
    }
    PGresult *last = NULL;
    for (PGresult *result; (result = PQgetResult(c->handle));) {
        PQclear(last);
        last = result;
    }
    return last;
}

static bool postgres_execute(db *d, void *data, const db_value *parameters, int n)
{
    query *q = data;
    char(*digits)[MOST_DIGITS] = base_allocate((size_t)n, sizeof *digits);
    const char **texts = base_allocate((size_t)n, sizeof *texts);
    for (int i = 0; i < n; i++)
        texts[i] = as_text(&parameters[i], digits[i]);
    bool sent = PQsendQueryPrepared(q->on->handle, q->name, n, texts, NULL, NULL, 0);
    q->result = sent ? await(q->on) : NULL;
    q->row = -1;
    free(texts);
    free(digits);
    if (is_ok(q->result))
        return true;
    complain(d, q->on, q->result);
    return false;
}

static bool postgres_next(db *d, void *data)
{
    query *q = data;
    (void)d;
    return ++q->row < PQntuples(q->result);
}

static int postgres_columns(void *data)
{
    return PQnfields(((query *)data)->result);
}

static const char *postgres_name(void *data, int column)
{
    return PQfname(((query *)data)->result, column);
}

static db_value postgres_value(void *data, int column)
{
    const query *q = data;
    if (PQgetisnull(q->result, q->row, column))
        return (db_value){.kind = DB_NULL};
    const char *text = PQgetvalue(q->result, q->row, column);
    switch (PQftype(q->result, column)) {
    case TYPE_INT8:
    case TYPE_INT4:
    case TYPE_INT2:
        return (db_value){.kind = DB_INTEGER, .i = strtoll(text, NULL, 10)};
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
    case TYPE_NUMERIC:
        return (db_value){.kind = DB_REAL, .d = strtod(text, NULL)};
    }
    return (db_value){.kind = DB_TEXT, .s = text};
}

// A second writer waits until the first one ends. Readers wait for nobody. Of a server's database the
// store takes what it needs, whatever else is there.
static const db_backend postgres = {
    .open = postgres_open,
    .close = postgres_close,
    .limit = postgres_limit,
    .stop_when = postgres_stop_when,
    .script = postgres_script,
    .begin = "BEGIN; SELECT pg_advisory_xact_lock(70980070)",
    .look = "BEGIN READ ONLY",
    .tables = "SELECT COUNT(to_regclass($1))",
    .others = "SELECT 0",
    .prepare = postgres_prepare,
    .release = postgres_release,
    .execute = postgres_execute,
    .next = postgres_next,
    .reset = postgres_reset,
    .columns = postgres_columns,
    .name = postgres_name,
    .value = postgres_value,
};

const db_backend *db_postgres(void)
{
    return &postgres;
}
#endif
