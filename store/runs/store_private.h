// SPDX-License-Identifier: MIT
#ifndef STORE_PRIVATE_H
#define STORE_PRIVATE_H

#include "store/sql/database.h"
#include "store/store.h"

struct store {
    db *database;
    char *error; // of the last call that failed
    const int64_t *left_out; // runs, the caller's
    size_t nleft_out;
};

// Rolls back and keeps the database's error as the store's. Always false.
bool store_give_up(store *s);

// A condition; its texts are malloc'ed.
typedef struct {
    char *application, *name;
    int64_t id;
} store_found;

// The condition that has all keys of `wanted`, "nodes=4,size=B"; of several the one that has no others.
// application: NULL if the store has one only. False, with an error in the database, unless there is one; the
// texts of *ret are to be freed in any case.
bool store_find_condition(store *s, const char *application, const char *wanted, store_found *ret);

#endif
