// SPDX-License-Identifier: MIT
//
// A run into the database, in one transaction. Whoever is killed meanwhile leaves the store as it was.
// Numbers of rows are given here: the transaction keeps other writers out, so the next number is free.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/runs/store_private.h"
#include "store/sql/schema.h"

// Numbers that the rows of a run's places, functions and metrics have in the database.
typedef struct {
    db *d;
    const store_run *r;
    int64_t application, run;
    int64_t *places, *functions, *metrics;
} adding;

static int by_key(const void *x, const void *y)
{
    return strcmp(((const store_key *)x)->key, ((const store_key *)y)->key);
}

// "nodes=4,size=B", sorted by key; "" without keys. malloc'ed.
static char *condition_name(const store_run *r)
{
    store_key *keys = base_allocate(r->keys.n, sizeof *keys);
    base_text name = {0};
    for (size_t i = 0; i < r->keys.n; i++)
        keys[i] = r->keys.at[i];
    if (r->keys.n)
        qsort(keys, r->keys.n, sizeof *keys, by_key);
    text_add_string(&name, "");
    for (size_t i = 0; i < r->keys.n; i++)
        text_add_format(&name, "%s%s=%s", i ? "," : "", keys[i].key, keys[i].value);
    free(keys);
    return text_finish(&name);
}

static int64_t find_application(adding *a)
{
    db *d = a->d;
    int64_t id = db_number(d, 0, "SELECT id FROM application WHERE name = $1", "s", a->r->application);
    if (id || db_error(d))
        return id;
    id = 1 + db_number(d, 0, "SELECT MAX(id) FROM application", "");
    db_do(d, "INSERT INTO application (id, name) VALUES ($1, $2)", "is", id, a->r->application);
    return id;
}

static int64_t find_condition(adding *a)
{
    db *d = a->d;
    char *name = condition_name(a->r);
    int64_t id = db_number(d, 0, "SELECT id FROM condition WHERE application = $1 AND name = $2", "is",
                           a->application, name);
    if (!id && !db_error(d)) {
        id = 1 + db_number(d, 0, "SELECT MAX(id) FROM condition", "");
        db_do(d, "INSERT INTO condition (id, application, name) VALUES ($1, $2, $3)", "iis", id,
              a->application, name);
        for (size_t i = 0; i < a->r->keys.n; i++)
            db_do(d, "INSERT INTO condition_key (condition, key, value) VALUES ($1, $2, $3)", "iss", id,
                  a->r->keys.at[i].key, a->r->keys.at[i].value);
    }
    free(name);
    return id;
}

static int64_t add_run(adding *a)
{
    const store_run *r = a->r;
    int64_t condition = find_condition(a);
    int64_t trial =
        1 + db_number(a->d, 0, "SELECT MAX(trial) FROM run WHERE condition = $1", "i", condition);
    a->run = 1 + db_number(a->d, 0, "SELECT MAX(id) FROM run", "");
    db_do(a->d,
          "INSERT INTO run (id, condition, trial, source, origin, digest, date, machine, command, ending, "
          "unit, "
          "elapsed, user_time, system_time, work, span, path, enabled) "
          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 1)",
          "iiissssssssooooos", a->run, condition, trial, r->source, r->origin, r->digest, r->date,
          r->machine, r->command, r->ending, r->unit, r->elapsed, r->user, r->system, r->work, r->span, r->path);
    return trial;
}

static void add_places(adding *a)
{
    int64_t next = db_number(a->d, 0, "SELECT MAX(id) FROM place", "");
    for (size_t i = 0; i < a->r->places.n; i++) {
        const store_place *p = &a->r->places.at[i];
        a->places[i] = ++next;
        db_do(a->d, "INSERT INTO place (id, run, number, name) VALUES ($1, $2, $3, $4)", "iiis", next,
              a->run, p->number, p->name);
    }
}

static void add_functions(adding *a)
{
    db *d = a->d;
    int64_t next = db_number(d, 0, "SELECT MAX(id) FROM function", "");
    for (size_t i = 0; i < a->r->functions.n && !db_error(d); i++) {
        const store_function *f = &a->r->functions.at[i];
        int64_t id =
            db_number(d, 0,
                      "SELECT id FROM function WHERE application = $1 AND kind = $2 AND name = $3 AND "
                      "signature = $4 AND ordinal = $5",
                      "isssi", a->application, f->kind, f->name, f->signature, f->ordinal);
        if (!id)
            db_do(d,
                  "INSERT INTO function (id, application, kind, name, signature, ordinal) "
                  "VALUES ($1, $2, $3, $4, $5, $6)",
                  "iisssi", id = ++next, a->application, f->kind, f->name, f->signature, f->ordinal);
        if (*f->file)
            db_do(d, "INSERT INTO function_place (run, function, file, line) VALUES ($1, $2, $3, $4)",
                  "iisi", a->run, id, f->file, f->line);
        a->functions[i] = id;
    }
}

static void add_metrics(adding *a)
{
    db *d = a->d;
    int64_t next = db_number(d, 0, "SELECT MAX(id) FROM metric", "");
    for (size_t i = 0; i < a->r->metrics.n; i++) {
        const store_metric *m = &a->r->metrics.at[i];
        int64_t id = db_number(d, 0, "SELECT id FROM metric WHERE name = $1", "s", m->name);
        if (!id)
            db_do(d, "INSERT INTO metric (id, name, unit) VALUES ($1, $2, $3)", "iss", id = ++next, m->name,
                  m->unit);
        a->metrics[i] = id;
    }
}

static void add_figures(adding *a)
{
    db *d = a->d;
    const store_run *r = a->r;
    for (size_t i = 0; i < r->profiles.n && !db_error(d); i++) {
        const store_profile *p = &r->profiles.at[i];
        db_do(d,
              "INSERT INTO profile (run, function, place, calls, subcalls, inclusive_time, exclusive_time) "
              "VALUES ($1, $2, $3, $4, $5, $6, $7)",
              "iiidddd", a->run, a->functions[p->function], a->places[p->place], p->calls, p->subcalls,
              p->inclusive, p->exclusive);
    }
    for (size_t i = 0; i < r->measurements.n && !db_error(d); i++) {
        const store_measurement *m = &r->measurements.at[i];
        db_do(d,
              "INSERT INTO measurement (run, function, place, metric, inclusive, exclusive) "
              "VALUES ($1, $2, $3, $4, $5, $6)",
              "iiiidd", a->run, a->functions[m->function], a->places[m->place], a->metrics[m->metric],
              m->inclusive, m->exclusive);
    }
    for (size_t i = 0; i < r->messages.n && !db_error(d); i++) {
        const store_message *m = &r->messages.at[i];
        db_do(
            d,
            "INSERT INTO message (run, from_place, to_place, messages, bytes) VALUES ($1, $2, $3, $4, $5)",
            "iiioo", a->run, a->places[m->from], a->places[m->to], m->messages, m->bytes);
    }
}

static void add_sums(adding *a)
{
    db_do(a->d,
          "INSERT INTO function_sum SELECT run, function, COUNT(*), SUM(calls), SUM(subcalls), "
          "SUM(inclusive_time), SUM(exclusive_time), MAX(exclusive_time), MIN(exclusive_time) "
          "FROM profile WHERE run = $1 GROUP BY run, function",
          "i", a->run);
    db_do(a->d,
          "INSERT INTO metric_sum SELECT run, function, metric, SUM(inclusive), SUM(exclusive) "
          "FROM measurement WHERE run = $1 GROUP BY run, function, metric",
          "i", a->run);
}

static void add_workflow(adding *a)
{
    db *d = a->d;
    const store_run *r = a->r;
    for (size_t i = 0; i < r->jobs.n && !db_error(d); i++) {
        const store_job *j = &r->jobs.at[i];
        db_do(d,
              "INSERT INTO job (run, number, name, host, status, begin_time, end_time, user_time, "
              "system_time) "
              "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
              "iisssoooo", a->run, (int64_t)i + 1, j->name, j->host, j->status, j->begins, j->ends, j->user,
              j->system);
    }
    for (size_t i = 0; i < r->accesses.n && !db_error(d); i++) {
        const store_access *f = &r->accesses.at[i];
        db_do(d,
              "INSERT INTO file_access (run, number, job, file, access, calls, bytes, time_spent) "
              "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
              "iiossooo", a->run, (int64_t)i + 1, f->job < 0 ? f->job : f->job + 1, f->file, f->access,
              f->calls, f->bytes, f->time);
    }
}

// Whether the file is there already; then the error says as which run.
static bool find_known(adding *a)
{
    db_rows *r = db_ask(a->d,
                        "SELECT run, source, application, condition FROM runs WHERE run = "
                        "(SELECT id FROM run WHERE digest = $1)",
                        "s", a->r->digest);
    bool known = r && db_next(r);
    if (known)
        db_fail(a->d, "%s is in the store already: run %lld, %s of %s%s%s", a->r->source,
                (long long)db_integer(r, 0), db_text(r, 1), db_text(r, 2), *db_text(r, 3) ? " under " : "",
                db_text(r, 3));
    db_end(r);
    return known;
}

bool store_add(store *s, const store_run *r, int64_t *ret_trial, bool *ret_known)
{
    adding a = {.d = s->database, .r = r};
    *ret_known = false;
    if (!db_begin(a.d))
        return store_give_up(s);
    if (find_known(&a)) {
        *ret_known = true;
        return store_give_up(s);
    }
    a.places = base_allocate(r->places.n, sizeof *a.places);
    a.functions = base_allocate(r->functions.n, sizeof *a.functions);
    a.metrics = base_allocate(r->metrics.n, sizeof *a.metrics);
    a.application = find_application(&a);
    *ret_trial = add_run(&a);
    add_places(&a);
    add_functions(&a);
    add_metrics(&a);
    add_figures(&a);
    add_sums(&a);
    add_workflow(&a);
    store_note_change(a.d);
    free(a.places);
    free(a.functions);
    free(a.metrics);
    return db_commit(a.d) || store_give_up(s);
}
