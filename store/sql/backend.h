// SPDX-License-Identifier: MIT
//
// What a kind of database does for database.c. A function that fails leaves a text with db_fail().
#ifndef STORE_BACKEND_H
#define STORE_BACKEND_H

#include "store/sql/database.h"

typedef struct {
    db_kind kind; // DB_NULL, DB_INTEGER, DB_REAL or DB_TEXT
    union {
        int64_t i;
        double d;
        const char *s;
    };
} db_value;

typedef struct {
    void *(*open)(db *d, const char *where, db_mode mode);
    void (*close)(void *connection);
    void (*limit)(void *connection, double seconds);
    // To be asked while a question is answered; NULL: nobody.
    void (*stop_when)(void *connection, bool (*stop)(void *data), void *data);
    bool (*script)(db *d, void *connection, const char *text);
    const char *begin;  // text that begins a transaction that writes
    const char *look;   // and one that does not; NULL: none is needed
    const char *tables; // question: how many tables have the name $1?
    const char *others; // question: how many tables are there?
    // A statement that can be executed often. `once`: it must not change anything.
    void *(*prepare)(db *d, void *connection, const char *text, int nparameters, bool once);
    void (*release)(void *statement);
    bool (*execute)(db *d, void *statement, const db_value *parameters, int n);
    bool (*next)(db *d, void *statement); // false: no more rows, or an error
    void (*reset)(void *statement);       // after the last row
    int (*columns)(void *statement);
    const char *(*name)(void *statement, int column);
    db_value (*value)(void *statement, int column);
} db_backend;

extern const db_backend db_sqlite;
extern const db_backend *db_postgres(void); // NULL: built without it

#endif
