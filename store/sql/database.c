// SPDX-License-Identifier: MIT
//
// What all kinds of databases have in common: errors that stay, statements that are prepared once.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "store/sql/backend.h"

enum { MOST_PARAMETERS = 20 };

typedef struct {
    const char *text;
    void *statement;
    bool busy; // its rows are being read
} prepared;

struct db {
    const db_backend *kind;
    void *connection;
    char *error;
    bool in_transaction, read_only;
    ARRAY_OF(prepared) prepared;
    base_map by_text; // address of a text -> its place in `prepared`
};

struct db_rows {
    db *d;
    void *statement;
    size_t place; // in `prepared`, or SIZE_MAX: the statement ends with the rows
};

bool db_is_server(const char *where)
{
    return !strncmp(where, "postgresql://", 13) || !strncmp(where, "postgres://", 11) ||
           strstr(where, "dbname=") || strstr(where, "host=") == where;
}

const char *db_error(const db *d)
{
    return d->error;
}

// One line; the first error is the one that counts.
void db_fail(db *d, const char *format, ...)
{
    base_text text = {0};
    va_list arguments;
    if (d->error)
        return;
    va_start(arguments, format);
    text_add_arguments(&text, format, arguments);
    va_end(arguments);
    while (text.n && (text.at[text.n - 1] == '\n' || text.at[text.n - 1] == ' '))
        text.n--;
    d->error = text_finish(&text);
    for (char *p = d->error; *p; p++)
        if (*p == '\n')
            *p = ' ';
}

db *db_open(const char *where, db_mode mode, char **ret_error)
{
    db *d = base_allocate(1, sizeof *d);
    bool server = db_is_server(where);
    *ret_error = NULL;
    d->kind = server ? db_postgres() : &db_sqlite;
    d->read_only = mode == DB_READ;
    if (!d->kind)
        db_fail(d, "%s: this program was built without libpq, so it reaches no server", where);
    else
        d->connection = d->kind->open(d, where, mode);
    if (d->connection)
        return d;
    *ret_error = d->error;
    free(d);
    return NULL;
}

void db_close(db *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->prepared.n; i++)
        d->kind->release(d->prepared.at[i].statement);
    if (d->in_transaction)
        db_rollback(d);
    d->kind->close(d->connection);
    free(d->prepared.at);
    map_free(&d->by_text);
    free(d->error);
    free(d);
}

void db_limit_time(db *d, double seconds)
{
    d->kind->limit(d->connection, seconds);
}

void db_stop_when(db *d, bool (*stop)(void *data), void *data)
{
    d->kind->stop_when(d->connection, stop, data);
}

bool db_script(db *d, const char *text)
{
    return !d->error && d->kind->script(d, d->connection, text);
}

bool db_begin(db *d)
{
    return d->in_transaction = db_script(d, d->kind->begin);
}

bool db_look(db *d)
{
    return !d->kind->look || (d->in_transaction = db_script(d, d->kind->look));
}

void db_rollback(db *d)
{
    free(d->error);
    d->error = NULL;
    if (d->in_transaction)
        db_script(d, "ROLLBACK");
    d->in_transaction = false;
    free(d->error);
    d->error = NULL;
}

bool db_commit(db *d)
{
    bool ok = db_script(d, "COMMIT");
    if (!ok) {
        char *error = base_copy(d->error);
        db_rollback(d);
        d->error = error;
    }
    d->in_transaction = false;
    return ok;
}

bool db_has_table(db *d, const char *name)
{
    return db_number(d, 0, d->kind->tables, "s", name) > 0;
}

bool db_is_empty(db *d)
{
    return db_number(d, 1, d->kind->others, "") == 0;
}

// ---------------------------------------------------------------------------------------------
// Statements

// The place of a statement for this text that is not busy, or SIZE_MAX on an error.
static size_t find_prepared(db *d, const char *text, int nparameters)
{
    uint64_t key = (uint64_t)(uintptr_t)text, known = map_get(&d->by_text, key);
    if (known != MAP_ABSENT && !d->prepared.at[known].busy)
        return (size_t)known;
    void *statement = d->kind->prepare(d, d->connection, text, nparameters, false);
    if (!statement)
        return SIZE_MAX;
    ARRAY_PUSH(d->prepared, ((prepared){text, statement, false}));
    map_set(&d->by_text, key, d->prepared.n - 1);
    return d->prepared.n - 1;
}

static int read_parameters(const char *letters, va_list arguments, db_value *ret)
{
    int n = 0;
    for (; letters[n]; n++) {
        db_value *v = &ret[n];
        if (n == MOST_PARAMETERS)
            base_bug("too many parameters");
        switch (letters[n]) {
        case 'i':
        case 'o':
            v->i = va_arg(arguments, int64_t);
            v->kind = letters[n] == 'o' && v->i < 0 ? DB_NULL : DB_INTEGER;
            break;
        case 'd':
            v->d = va_arg(arguments, double);
            v->kind = isnan(v->d) ? DB_NULL : DB_REAL;
            break;
        case 's':
            v->s = va_arg(arguments, const char *);
            v->kind = v->s ? DB_TEXT : DB_NULL;
            break;
        default:
            base_bug("a letter that stands for no parameter");
        }
    }
    return n;
}

static db_rows *ask(db *d, const char *text, const char *letters, va_list arguments)
{
    db_value values[MOST_PARAMETERS];
    int n = read_parameters(letters, arguments, values);
    if (d->error)
        return NULL;
    size_t place = find_prepared(d, text, n);
    if (place == SIZE_MAX)
        return NULL;
    void *statement = d->prepared.at[place].statement;
    if (!d->kind->execute(d, statement, values, n)) {
        d->kind->reset(statement);
        return NULL;
    }
    d->prepared.at[place].busy = true;
    db_rows *r = base_allocate(1, sizeof *r);
    *r = (db_rows){d, statement, place};
    return r;
}

db_rows *db_ask(db *d, const char *text, const char *letters, ...)
{
    va_list arguments;
    va_start(arguments, letters);
    db_rows *r = ask(d, text, letters, arguments);
    va_end(arguments);
    return r;
}

db_rows *db_ask_once(db *d, const char *text, size_t n, const char *const *parameters)
{
    db_value *values = base_allocate(n, sizeof *values);
    void *statement = d->error ? NULL : d->kind->prepare(d, d->connection, text, (int)n, true);
    db_rows *r = NULL;
    for (size_t i = 0; i < n; i++)
        values[i] = (db_value){.kind = parameters[i] ? DB_TEXT : DB_NULL, .s = parameters[i]};
    if (statement && d->kind->execute(d, statement, values, (int)n)) {
        r = base_allocate(1, sizeof *r);
        *r = (db_rows){d, statement, SIZE_MAX};
    } else if (statement) {
        d->kind->release(statement);
    }
    free(values);
    return r;
}

bool db_do(db *d, const char *text, const char *letters, ...)
{
    va_list arguments;
    va_start(arguments, letters);
    db_rows *r = ask(d, text, letters, arguments);
    va_end(arguments);
    while (r && db_next(r))
        ;
    db_end(r);
    return !d->error;
}

int64_t db_number(db *d, int64_t otherwise, const char *text, const char *letters, ...)
{
    va_list arguments;
    va_start(arguments, letters);
    db_rows *r = ask(d, text, letters, arguments);
    va_end(arguments);
    if (r && db_next(r) && db_kind_of(r, 0) != DB_NULL)
        otherwise = db_integer(r, 0);
    db_end(r);
    return otherwise;
}

bool db_next(db_rows *r)
{
    return !r->d->error && r->d->kind->next(r->d, r->statement);
}

void db_end(db_rows *r)
{
    if (!r)
        return;
    if (r->place == SIZE_MAX) {
        r->d->kind->release(r->statement);
    } else {
        r->d->kind->reset(r->statement);
        r->d->prepared.at[r->place].busy = false;
    }
    free(r);
}

int db_columns(const db_rows *r)
{
    return r->d->kind->columns(r->statement);
}

const char *db_column_name(const db_rows *r, int column)
{
    return r->d->kind->name(r->statement, column);
}

db_kind db_kind_of(const db_rows *r, int column)
{
    return r->d->kind->value(r->statement, column).kind;
}

int64_t db_integer(const db_rows *r, int column)
{
    db_value v = r->d->kind->value(r->statement, column);
    return v.kind == DB_INTEGER ? v.i : v.kind == DB_REAL ? (int64_t)v.d : 0;
}

double db_real(const db_rows *r, int column)
{
    db_value v = r->d->kind->value(r->statement, column);
    return v.kind == DB_REAL ? v.d : v.kind == DB_INTEGER ? (double)v.i : NAN;
}

const char *db_text(const db_rows *r, int column)
{
    db_value v = r->d->kind->value(r->statement, column);
    return v.kind == DB_TEXT ? v.s : NULL;
}
