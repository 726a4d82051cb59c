// SPDX-License-Identifier: MIT
//
// Runs made of runs, as CUBE's algebra has them: the mean of a condition's trials, the difference of two
// conditions, and the merge of several (all functions and metrics; a figure that several have is the first
// one's). What comes out is a run like any other.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "store/runs/store_private.h"

typedef struct {
    store *s;
    store_run *r;
    double sign; // of the condition that is being read: it is added, or subtracted
    bool fills;  // only what no condition before it has
    int64_t condition, ntrials;
    base_map given; // hash of function, place and metric -> the condition whose figures these are
    size_t which;   // the condition that is being read
} deriving;

// Columns 0 to 7 of both questions: the function, its place in the source, and where it ran.
#define WHERE_IT_RAN                                                                                       \
    "function.kind, function.name, function.signature, function.ordinal, "                                 \
    "(SELECT MIN(p.file) FROM function_place p WHERE p.run = f.run AND p.function = f.function), "         \
    "(SELECT MIN(p.line) FROM function_place p WHERE p.run = f.run AND p.function = f.function), "         \
    "place.number, place.name, "

static void read_place(deriving *x, const db_rows *r, uint32_t *ret_function, uint32_t *ret_place)
{
    const char *file = db_text(r, 4);
    *ret_function = store_run_function(x->r, db_text(r, 0), db_text(r, 1), db_text(r, 2), db_integer(r, 3),
                                       file ? file : "", db_integer(r, 5));
    *ret_place = store_run_place(x->r, db_integer(r, 6), db_text(r, 7));
}

// All figures of a function at a place are from one condition.
static bool counts(deriving *x, uint32_t function, uint32_t place, uint32_t metric)
{
    uint64_t *at = map_at(&x->given, hash_word(hash_word(function, place), metric));
    if (*at == MAP_ABSENT)
        *at = x->which;
    return !x->fills || *at == x->which;
}

static void add_profile(deriving *x, const db_rows *r, uint32_t function, uint32_t place, double weight)
{
    if (counts(x, function, place, UINT32_MAX))
        store_run_profile(x->r, function, place, weight * db_real(r, 8), weight * db_real(r, 9),
                          weight * db_real(r, 10), weight * db_real(r, 11));
}

static void add_measurement(deriving *x, const db_rows *r, uint32_t function, uint32_t place, double weight)
{
    uint32_t metric = store_run_metric(x->r, db_text(r, 8), db_text(r, 9));
    if (counts(x, function, place, metric))
        store_run_measurement(x->r, function, place, metric, weight * db_real(r, 10),
                              weight * db_real(r, 11));
}

// Asks for the figures of the condition's runs, and adds each with the weight of one of its trials.
static void read_figures(deriving *x, const char *question,
                         void (*add)(deriving *, const db_rows *, uint32_t, uint32_t, double))
{
    double weight = x->sign / (double)x->ntrials;
    db_rows *r = db_ask(x->s->database, question, "i", x->condition);
    while (r && db_next(r)) {
        uint32_t function, place;
        read_place(x, r, &function, &place);
        add(x, r, function, place, weight);
    }
    db_end(r);
}

static const char profiles[] =
    "SELECT " WHERE_IT_RAN "f.calls, f.subcalls, f.inclusive_time, f.exclusive_time "
    "FROM profile f JOIN function ON function.id = f.function "
    "JOIN place ON place.id = f.place JOIN run ON run.id = f.run "
    "WHERE run.condition = $1 AND run.enabled = 1";

static const char measurements[] =
    "SELECT " WHERE_IT_RAN "metric.name, metric.unit, f.inclusive, f.exclusive "
    "FROM measurement f JOIN function ON function.id = f.function "
    "JOIN place ON place.id = f.place JOIN run ON run.id = f.run "
    "JOIN metric ON metric.id = f.metric "
    "WHERE run.condition = $1 AND run.enabled = 1";

// Adds a mean of the condition to a total; -1: nobody observed it, or the difference is below zero.
static int64_t combined(const deriving *x, int64_t total, bool first, double mean)
{
    if (isnan(mean))
        return x->fills ? total : -1;
    if (first)
        return (int64_t)llround(mean);
    if (x->fills)
        return total >= 0 ? total : (int64_t)llround(mean);
    return total < 0 || (double)total + x->sign * mean < 0
               ? -1
               : (int64_t)llround((double)total + x->sign * mean);
}

static void read_totals(deriving *x, bool first)
{
    store_run *run = x->r;
    db_rows *r = db_ask(x->s->database,
                        "SELECT AVG(1.0 * elapsed), AVG(1.0 * user_time), AVG(1.0 * system_time), "
                        "AVG(1.0 * work), AVG(1.0 * span), MIN(unit), MAX(unit) "
                        "FROM run WHERE condition = $1 AND enabled = 1",
                        "i", x->condition);
    if (r && db_next(r) && db_text(r, 5)) {
        const char *unit = strcmp(db_text(r, 5), "ns") ? "steps" : "ns";
        if (strcmp(db_text(r, 5), db_text(r, 6)) || (!first && strcmp(unit, run->unit)))
            db_fail(x->s->database, "some runs are in steps and some in seconds");
        run->unit = unit;
        run->elapsed = combined(x, run->elapsed, first, db_real(r, 0));
        run->user = combined(x, run->user, first, db_real(r, 1));
        run->system = combined(x, run->system, first, db_real(r, 2));
        run->work = combined(x, run->work, first, db_real(r, 3));
        run->span = combined(x, run->span, first, db_real(r, 4));
    }
    db_end(r);
}

// "difference of n=1 and n=2"; the digest says of which runs.
static void name_run(deriving *x, const char *word, const char *const *conditions, size_t n)
{
    base_text text = {0};
    text_add_format(&text, "%s of ", word);
    for (size_t i = 0; i < n; i++)
        text_add_format(&text, "%s%s", i ? " and " : "", conditions[i]);
    for (char *p = text_finish(&text); *p; p++)
        if (*p == ',')
            *p = ' '; // a comma ends a key's value
    free(x->r->source);
    x->r->source = text.at;
    store_run_set_key(x->r, "derived", text.at);
}

static void add_digest(base_text *digest, db *d, int64_t condition)
{
    db_rows *r =
        db_ask(d, "SELECT id FROM run WHERE condition = $1 AND enabled = 1 ORDER BY id", "i", condition);
    while (r && db_next(r))
        text_add_format(digest, " %lld", (long long)db_integer(r, 0));
    db_end(r);
    text_add_char(digest, ';');
}

static bool read_conditions(deriving *x, const char *application, store_derivation how,
                            const char *const *conditions, size_t n)
{
    static const char *const words[] = {
        [STORE_MEAN] = "mean", [STORE_DIFFERENCE] = "difference", [STORE_MERGE] = "merge"};
    db *d = x->s->database;
    base_text digest = {0};
    text_add_format(&digest, "%s:", words[how]);
    for (size_t i = 0; i < n && !db_error(d); i++) {
        store_found found = {0};
        if (!store_find_condition(x->s, application, conditions[i], &found))
            break;
        if (x->r->application && strcmp(x->r->application, found.application))
            db_fail(d, "%s and %s are different applications", x->r->application, found.application);
        free(x->r->application);
        x->r->application = found.application;
        x->condition = found.id;
        x->ntrials =
            db_number(d, 0, "SELECT COUNT(*) FROM run WHERE condition = $1 AND enabled = 1", "i", found.id);
        if (!x->ntrials)
            db_fail(d, "no trial of %s is enabled", found.name);
        x->sign = how == STORE_DIFFERENCE && i > 0 ? -1 : 1;
        x->fills = how == STORE_MERGE && i > 0;
        x->which = i;
        read_totals(x, i == 0);
        read_figures(x, profiles, add_profile);
        read_figures(x, measurements, add_measurement);
        add_digest(&digest, d, found.id);
        free(found.name);
    }
    x->r->digest = text_finish(&digest);
    name_run(x, words[how], conditions, n);
    return !db_error(d);
}

bool store_derive(store *s, const char *application, store_derivation how, const char *const *conditions,
                  size_t n, store_run **ret)
{
    deriving x = {.s = s, .r = store_run_create("", "derived")};
    *ret = NULL;
    bool good = read_conditions(&x, application, how, conditions, n);
    map_free(&x.given);
    if (!good) {
        store_run_destroy(x.r);
        return store_give_up(s);
    }
    *ret = x.r;
    return true;
}
