// SPDX-License-Identifier: MIT
#ifndef STORE_PRIVATE_H
#define STORE_PRIVATE_H

#include "store/sql/database.h"
#include "store/store.h"

struct store {
    db *database;
    char *error; // of the last call that failed
};

// Rolls back and keeps the database's error as the store's. Always false.
bool store_give_up(store *s);

#endif
