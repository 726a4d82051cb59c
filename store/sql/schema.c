// SPDX-License-Identifier: MIT
#include "store/sql/schema.h"

// schema.sql; the build makes it.
extern const char store_schema_text[];

// From version i + 1 to the next one: statements, each set in a transaction of its own.
static const char *const migrations[] = {NULL};

static bool make(db *d)
{
    if (!db_begin(d))
        return false;
    // Another process may have been faster.
    if (!db_has_table(d, "store_version")) {
        db_script(d, store_schema_text);
        db_do(d, "INSERT INTO store_version (version) VALUES ($1)", "i", (int64_t)STORE_VERSION);
    }
    return db_commit(d);
}

static bool migrate(db *d, int64_t from)
{
    for (int64_t version = from; version < STORE_VERSION; version++) {
        if (!db_begin(d))
            return false;
        if (db_number(d, 0, "SELECT version FROM store_version", "") == version) {
            db_script(d, migrations[version - 1]);
            db_do(d, "UPDATE store_version SET version = $1", "i", version + 1);
        }
        if (!db_commit(d))
            return false;
    }
    return true;
}

bool store_check_schema(db *d, db_mode mode)
{
    if (!db_has_table(d, "store_version")) {
        if (db_error(d))
            return false;
        if (mode == DB_CREATE && db_is_empty(d))
            return make(d);
        db_fail(d, "the database holds no store of runs");
        return false;
    }
    int64_t version = db_number(d, 0, "SELECT version FROM store_version", "");
    if (version > STORE_VERSION)
        db_fail(d, "the store has version %lld, and this program knows versions up to %d",
                (long long)version, STORE_VERSION);
    else if (version < 1)
        db_fail(d, "the store does not tell its version");
    else if (version < STORE_VERSION && mode == DB_READ)
        db_fail(d, "the store has version %lld; add a run to it, or list it, to bring it to version %d",
                (long long)version, STORE_VERSION);
    else if (version < STORE_VERSION)
        return migrate(d, version);
    return !db_error(d);
}
