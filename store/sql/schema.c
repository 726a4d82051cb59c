// SPDX-License-Identifier: MIT
#include "store/sql/schema.h"

// schema.sql and views.sql; the build makes them.
extern const char store_schema_text[], store_views_text[];

// From version i + 1 to the next one. Views are not mentioned: they are made anew after the last step.
static const char *const migrations[] = {
    "ALTER TABLE store_version ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;"
    "ALTER TABLE run ADD COLUMN path TEXT;"
    "CREATE INDEX function_place_of_function ON function_place (function, run);"
    "CREATE TABLE function_sum (run BIGINT NOT NULL REFERENCES run (id), function BIGINT NOT NULL REFERENCES "
    "function (id), places BIGINT NOT NULL, calls DOUBLE PRECISION, subcalls DOUBLE PRECISION, inclusive_time "
    "DOUBLE PRECISION, exclusive_time DOUBLE PRECISION, most_time DOUBLE PRECISION, least_time DOUBLE "
    "PRECISION, PRIMARY KEY (run, function));"
    "INSERT INTO function_sum SELECT run, function, COUNT(*), SUM(calls), SUM(subcalls), SUM(inclusive_time), "
    "SUM(exclusive_time), MAX(exclusive_time), MIN(exclusive_time) FROM profile GROUP BY run, function;"
    "CREATE TABLE metric_sum (run BIGINT NOT NULL REFERENCES run (id), function BIGINT NOT NULL REFERENCES "
    "function (id), metric BIGINT NOT NULL REFERENCES metric (id), inclusive DOUBLE PRECISION, exclusive "
    "DOUBLE PRECISION, PRIMARY KEY (run, function, metric));"
    "INSERT INTO metric_sum SELECT run, function, metric, SUM(inclusive), SUM(exclusive) FROM measurement "
    "GROUP BY run, function, metric",
};

static const char drop_views[] = "DROP VIEW IF EXISTS condition_mean; DROP VIEW IF EXISTS function_of_condition; "
                                 "DROP VIEW IF EXISTS function_of_run; DROP VIEW IF EXISTS runs";

static bool make(db *d)
{
    if (!db_begin(d))
        return false;
    // Another process may have been faster.
    if (!db_has_table(d, "store_version")) {
        db_script(d, store_schema_text);
        db_script(d, store_views_text);
        db_do(d, "INSERT INTO store_version (version, changes) VALUES ($1, 0)", "i", (int64_t)STORE_VERSION);
    }
    return db_commit(d);
}

// All steps in one transaction.
static bool migrate(db *d)
{
    if (!db_begin(d))
        return false;
    int64_t from = db_number(d, 0, "SELECT version FROM store_version", "");
    if (from < STORE_VERSION) {
        db_script(d, drop_views);
        for (int64_t version = from; version < STORE_VERSION; version++)
            db_script(d, migrations[version - 1]);
        db_script(d, store_views_text);
        db_do(d, "UPDATE store_version SET version = $1", "i", (int64_t)STORE_VERSION);
    }
    return db_commit(d);
}

bool store_note_change(db *d)
{
    return db_do(d, "UPDATE store_version SET changes = changes + 1", "");
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
        db_fail(d, "the store has version %lld, and cannot be brought to version %d", (long long)version,
                STORE_VERSION);
    else if (version < STORE_VERSION)
        return migrate(d);
    return !db_error(d);
}
