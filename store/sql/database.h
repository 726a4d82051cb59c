// SPDX-License-Identifier: MIT
//
// A database of SQL: a file of SQLite, or PostgreSQL on a server. Both get the same texts, with parameters
// $1, $2, ...; what differs between them is in sqlite.c and postgres.c and nowhere else.
//
// Errors stay: after the first one every call does nothing and fails until db_rollback(), so a caller may
// ask several things and look once. db_error() says what was wrong.
//
// Letters say what parameters are, one each: i int64_t, d double (NaN: NULL), s const char * (NULL: NULL),
// o int64_t of which a negative one is NULL.
#ifndef STORE_DATABASE_H
#define STORE_DATABASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct db db;
typedef struct db_rows db_rows;

typedef enum {
    DB_CREATE, // read and write; a file that is not there is made
    DB_WRITE,
    DB_READ, // whatever a text says, nothing is changed and no other file is opened
} db_mode;

// where: a file, or "postgresql://..." or "host=... dbname=...". NULL and *ret_error (malloc'ed).
db *db_open(const char *where, db_mode mode, char **ret_error);
void db_close(db *d); // may be NULL; an open transaction is rolled back
bool db_is_server(const char *where);

// How long a question may take, in seconds; 0: for ever.
void db_limit_time(db *d, double seconds);
// A question ends with an error when `stop` says so; NULL: nobody is asked.
void db_stop_when(db *d, bool (*stop)(void *data), void *data);
// NULL: all is well. Otherwise one line, which is the database's until the next call.
const char *db_error(const db *d);
// An error of the caller's own, kept like those of the database.
void db_fail(db *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

// One writer at a time: a second one waits for the first to end, for a minute at most.
bool db_begin(db *d);
// A transaction in which nothing can be changed, whatever a text says. To be rolled back.
bool db_look(db *d);
bool db_commit(db *d);   // on an error it rolls back, and the error stays
void db_rollback(db *d); // also forgets the error

bool db_has_table(db *d, const char *name);
bool db_is_empty(db *d); // no table of anybody
// Several statements without parameters and answers, with semicolons between them.
bool db_script(db *d, const char *text);
// One statement. Its text is prepared once: it must stay where it is as long as the database is open.
bool db_do(db *d, const char *text, const char *letters, ...);
// The number in the first column of the first row, or `otherwise` if there is no row or it is NULL.
int64_t db_number(db *d, int64_t otherwise, const char *text, const char *letters, ...);

// Rows of an answer, to be ended by db_end(); NULL on an error. Several answers may be read at once.
db_rows *db_ask(db *d, const char *text, const char *letters, ...);
// The same for a text that is used once, with all parameters as text.
db_rows *db_ask_once(db *d, const char *text, size_t n, const char *const *parameters);
bool db_next(db_rows *r); // false: no more rows, or an error
void db_end(db_rows *r);  // may be NULL
int db_columns(const db_rows *r);
const char *db_column_name(const db_rows *r, int column);

typedef enum { DB_NULL, DB_INTEGER, DB_REAL, DB_TEXT } db_kind;
db_kind db_kind_of(const db_rows *r, int column);
int64_t db_integer(const db_rows *r, int column);  // 0 for NULL
double db_real(const db_rows *r, int column);      // NaN for NULL
const char *db_text(const db_rows *r, int column); // NULL for NULL; good until db_next()

#endif
