// SPDX-License-Identifier: MIT
//
// Two or more conditions, function by function. The database sums over places; means, tests and the order
// are made here, the same for every kind of database.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "store/comparison.h"
#include "store/runs/store_private.h"

// A function while its figures are collected: the trials of all conditions, one after the other.
typedef struct {
    int64_t id;
    store_compared *of;
    double *trials;
} collected;

typedef struct {
    store_comparison c; // first, so that the caller's pointer is this one
    store_condition *conditions;
    store_compared *functions;
    ARRAY_OF(collected) rows;
    base_map by_id;
    size_t ntrials;      // of all conditions
    size_t *first_trial; // of each condition
    char *unit;
    bool time;     // of the figures: shares of a total make sense
    base_map runs; // number of a run -> its place among all trials
    ARRAY_OF(double *) kept;
} comparing;

static double *keep(comparing *x, size_t n)
{
    double *at = base_allocate(n ? n : 1, sizeof *at);
    ARRAY_PUSH(x->kept, at);
    return at;
}

store_figure store_figure_of(const double *trials, size_t n)
{
    store_figure f = {n, trials, NAN, NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += trials[i];
    if (!n)
        return f;
    f.mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (trials[i] - f.mean) * (trials[i] - f.mean);
    if (n > 1)
        f.deviation = sqrt(squares / (double)(n - 1));
    return f;
}

// ---------------------------------------------------------------------------------------------
// Conditions by name

static bool fail(store *s, char *text)
{
    db_fail(s->database, "%s", text);
    free(text);
    return false;
}

static bool name_condition(store *s, const char *application, const char *wanted, store_condition *ret)
{
    store_found found = {0};
    bool good = store_find_condition(s, application, wanted, &found);
    *ret = (store_condition){.application = found.application, .name = found.name, .id = found.id};
    return good;
}

static double column(const db_rows *r, int at)
{
    return db_real(r, at);
}

static bool is_left_out(const store *s, int64_t run)
{
    for (size_t i = 0; i < s->nleft_out; i++)
        if (s->left_out[i] == run)
            return true;
    return false;
}

// Reads the trials of a condition. What one of them lacks none of them has.
static void read_trials(comparing *x, store *s, size_t which)
{
    store_condition *c = &x->conditions[which];
    size_t n = (size_t)db_number(
        s->database, 0, "SELECT COUNT(*) FROM run WHERE condition = $1 AND enabled = 1", "i", c->id);
    double *elapsed = keep(x, n), *span = keep(x, n), *cpu = keep(x, n), places = 0, work = 0;
    bool units = true;
    db_rows *r = db_ask(s->database,
                        "SELECT id, elapsed, span, user_time + system_time, unit, work, ending, "
                        "(SELECT COUNT(*) FROM place WHERE place.run = run.id) "
                        "FROM run WHERE condition = $1 AND enabled = 1 ORDER BY trial",
                        "i", c->id);
    x->first_trial[which] = x->ntrials;
    for (size_t i = 0; r && i < n && db_next(r);) {
        if (is_left_out(s, db_integer(r, 0)))
            continue;
        map_set(&x->runs, (uint64_t)db_integer(r, 0), x->ntrials++);
        elapsed[i] = column(r, 1), span[i] = column(r, 2), cpu[i] = column(r, 3);
        if (!c->unit)
            c->unit = base_copy(db_text(r, 4));
        units &= !strcmp(c->unit, db_text(r, 4));
        work += column(r, 5);
        places += column(r, 7);
        c->nabnormal += db_text(r, 6) && strcmp(db_text(r, 6), "normal");
        c->ntrials = ++i;
    }
    db_end(r);
    if (!units)
        db_fail(s->database, "%s has trials in steps and trials in seconds", c->name);
    if (!c->ntrials)
        db_fail(s->database, "no trial of %s is enabled", c->name);
    c->elapsed = store_figure_of(elapsed, c->ntrials);
    c->span = store_figure_of(span, c->ntrials);
    c->cpu = store_figure_of(cpu, c->ntrials);
    c->total =
        isnan(c->elapsed.mean) ? work / (double)c->ntrials : c->elapsed.mean * places / (double)c->ntrials;
}

static bool may_compare(comparing *x, store *s)
{
    for (size_t i = 0; i < x->c.nconditions && !db_error(s->database); i++) {
        const store_condition *a = &x->conditions[0], *b = &x->conditions[i];
        if (strcmp(a->application, b->application))
            return fail(
                s, base_format("%s and %s are different applications", a->application, b->application));
        if (strcmp(a->unit, b->unit))
            return fail(s, base_format("%s has times in %s, %s in %s: these are different quantities",
                                       a->name, strcmp(a->unit, "ns") ? "steps" : "seconds", b->name,
                                       strcmp(b->unit, "ns") ? "steps" : "seconds"));
        for (size_t j = 0; j < i; j++)
            if (x->conditions[j].id == b->id)
                return fail(s, base_format("%s is named twice", b->name));
    }
    return !db_error(s->database);
}

static store_figure length_of(const store_condition *c)
{
    return isnan(c->elapsed.mean) ? c->span : c->elapsed;
}

// The ideal machine counts steps, and counts the same every time: nothing there is noise.
static store_test test_of(const comparing *x, store_figure a, store_figure b)
{
    if (!strcmp(x->conditions[0].unit, "steps"))
        return (store_test){STORE_NO_TEST, NAN, 0};
    return store_rank_test(a.trials, a.ntrials, b.trials, b.ntrials);
}

static void choose_sides(comparing *x)
{
    store_comparison *c = &x->c;
    for (size_t i = 1; i < c->nconditions; i++) {
        double length = length_of(&x->conditions[i]).mean;
        if (length > length_of(&x->conditions[c->slower]).mean)
            c->slower = i;
        if (length < length_of(&x->conditions[c->faster]).mean)
            c->faster = i;
    }
    c->alike = c->slower == c->faster;
    if (c->alike)
        c->slower = 0, c->faster = 1;
    c->test = test_of(x, length_of(&x->conditions[c->slower]), length_of(&x->conditions[c->faster]));
}

// ---------------------------------------------------------------------------------------------
// Functions

static collected *find_function(comparing *x, const db_rows *r)
{
    uint64_t *at = map_at(&x->by_id, (uint64_t)db_integer(r, 1));
    if (*at == MAP_ABSENT) {
        *at = x->rows.n;
        ARRAY_PUSH(x->rows, ((collected){.id = db_integer(r, 1), .trials = keep(x, x->ntrials)}));
        collected *new = &x->rows.at[x->rows.n - 1];
        new->of = base_allocate(1, sizeof *new->of);
        *new->of = (store_compared){.id = db_integer(r, 1),
                                    .kind = base_copy(db_text(r, 3)),
                                    .name = base_copy(db_text(r, 4)),
                                    .signature = base_copy(db_text(r, 5)),
                                    .ordinal = db_integer(r, 6)};
    }
    return &x->rows.at[*at];
}

#define SUMS(WHAT, FROM)                                                                                   \
    "SELECT f.run, f.function, f." WHAT                                                                    \
    ", function.kind, function.name, function.signature, function.ordinal "                                \
    "FROM " FROM " f JOIN function ON function.id = f.function JOIN run ON run.id = f.run "                \
    "WHERE run.condition = $1 AND run.enabled = 1 "

static db_rows *ask_figures(db *d, int64_t condition, const char *metric)
{
    if (!metric || !strcmp(metric, "exclusive"))
        return db_ask(d, SUMS("exclusive_time", "function_sum"), "i", condition);
    if (!strcmp(metric, "inclusive"))
        return db_ask(d, SUMS("inclusive_time", "function_sum"), "i", condition);
    if (!strcmp(metric, "calls"))
        return db_ask(d, SUMS("calls", "function_sum"), "i", condition);
    return db_ask(
        d, SUMS("exclusive", "metric_sum") "AND f.metric = (SELECT id FROM metric WHERE name = $2)", "is",
        condition, metric);
}

static void read_functions(comparing *x, store *s, const char *kind, const char *metric)
{
    for (size_t i = 0; i < x->c.nconditions && !db_error(s->database); i++) {
        db_rows *r = ask_figures(s->database, x->conditions[i].id, metric);
        while (r && db_next(r)) {
            uint64_t trial = map_get(&x->runs, (uint64_t)db_integer(r, 0));
            if ((kind && strcmp(kind, db_text(r, 3))) || trial == MAP_ABSENT || db_kind_of(r, 2) == DB_NULL)
                continue;
            find_function(x, r)->trials[trial] = db_real(r, 2);
        }
        db_end(r);
    }
}

// Times have the unit of the runs; a metric has its own. Of runs on the ideal machine what matters is who
// was on the critical path, and shares are of the span.
static void choose_unit(comparing *x, store *s, const char **metric_at)
{
    if (!*metric_at && !strcmp(x->conditions[0].unit, "steps")) {
        *metric_at = "critical";
        x->time = true;
        for (size_t i = 0; i < x->c.nconditions; i++)
            x->conditions[i].total = x->conditions[i].span.mean;
        x->unit = base_copy("steps");
        x->c.unit = x->unit;
        return;
    }
    const char *metric = *metric_at;
    x->time = !metric || !strcmp(metric, "exclusive") || !strcmp(metric, "inclusive");
    if (x->time) {
        x->unit = base_copy(x->conditions[0].unit);
    } else if (!strcmp(metric, "calls")) {
        x->unit = base_copy("calls");
    } else {
        base_text known = {0};
        db_rows *r = db_ask(s->database, "SELECT name, unit FROM metric ORDER BY name", "");
        text_add_string(&known, "exclusive, inclusive, calls");
        while (r && db_next(r)) {
            text_add_format(&known, ", %s", db_text(r, 0));
            if (!strcmp(db_text(r, 0), metric))
                x->unit = base_copy(db_text(r, 1));
        }
        db_end(r);
        text_finish(&known);
        if (!x->unit)
            db_fail(s->database, "there is no metric %s (there are %s)", metric, known.at);
        free(known.at);
    }
    x->c.unit = x->unit;
}

static double order_of(double a, double b)
{
    return a == b ? 0 : b <= 0 ? a : a <= 0 ? -b : a * log(a / b);
}

static void judge(comparing *x, const collected *row)
{
    const store_comparison *c = &x->c;
    store_compared *f = row->of;
    store_figure *figures = base_allocate(c->nconditions, sizeof *figures);
    for (size_t i = 0; i < c->nconditions; i++)
        figures[i] = store_figure_of(row->trials + x->first_trial[i], x->conditions[i].ntrials);
    const store_figure *a = &figures[c->slower], *b = &figures[c->faster];
    f->figures = figures;
    f->difference = a->mean - b->mean;
    f->ratio = b->mean > 0 ? a->mean / b->mean : a->mean > 0 ? INFINITY : 1;
    f->share =
        x->time && x->conditions[c->slower].total > 0 ? a->mean / x->conditions[c->slower].total : NAN;
    f->order = order_of(a->mean, b->mean);
    f->only_slower = b->mean <= 0 && a->mean > 0;
    f->only_faster = a->mean <= 0 && b->mean > 0;
    f->test = test_of(x, *a, *b);
}

static int by_order(const void *x, const void *y)
{
    const store_compared *a = x, *b = y;
    if (a->order != b->order)
        return a->order > b->order ? -1 : 1;
    int names = strcmp(a->name, b->name);
    return names ? names : a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
}

static void find_most(store_comparison *c)
{
    c->most_slower = c->most_faster = c->most_different = SIZE_MAX;
    for (size_t i = 0; i < c->nfunctions; i++) {
        const store_compared *f = &c->functions[i];
        if (c->most_slower == SIZE_MAX ||
            f->figures[c->slower].mean > c->functions[c->most_slower].figures[c->slower].mean)
            c->most_slower = i;
        if (c->most_faster == SIZE_MAX ||
            f->figures[c->faster].mean > c->functions[c->most_faster].figures[c->faster].mean)
            c->most_faster = i;
        if (c->most_different == SIZE_MAX ||
            fabs(f->difference) > fabs(c->functions[c->most_different].difference))
            c->most_different = i;
    }
}

static void free_compared(store_compared *f)
{
    free(f->kind);
    free(f->name);
    free(f->signature);
    free((void *)f->figures);
}

// Modules have the time of their predicates, call paths that of the routines at their ends: only one of the
// two is shown unless a kind is asked for.
static bool is_finer(const char *kind)
{
    return !strcmp(kind, "predicate") || !strcmp(kind, "routine");
}

static bool is_coarser(const char *kind)
{
    return !strcmp(kind, "module") || !strcmp(kind, "call path");
}

static bool is_nothing(const comparing *x, const collected *row)
{
    for (size_t i = 0; i < x->ntrials; i++)
        if (row->trials[i] != 0)
            return false;
    return true;
}

static void sort_functions(comparing *x, bool all_kinds)
{
    bool repeats = false;
    x->functions = base_allocate(x->rows.n, sizeof *x->functions);
    for (size_t i = 0; i < x->rows.n; i++)
        repeats |= is_finer(x->rows.at[i].of->kind);
    for (size_t i = 0; i < x->rows.n; i++) {
        store_compared *f = x->rows.at[i].of;
        if ((all_kinds && repeats && is_coarser(f->kind)) || is_nothing(x, &x->rows.at[i])) {
            free_compared(f);
        } else {
            judge(x, &x->rows.at[i]);
            x->functions[x->c.nfunctions++] = *f;
        }
        free(f);
    }
    x->rows.n = 0;
    if (x->c.nfunctions)
        qsort(x->functions, x->c.nfunctions, sizeof *x->functions, by_order);
    x->c.functions = x->functions;
    find_most(&x->c);
}

store_comparison *store_compare(store *s, const char *application, const char *const *conditions, size_t n,
                                const char *kind, const char *metric)
{
    comparing *x = base_allocate(1, sizeof *x);
    x->conditions = base_allocate(n, sizeof *x->conditions);
    x->first_trial = base_allocate(n, sizeof *x->first_trial);
    x->c.conditions = x->conditions;
    x->c.nconditions = n;
    x->c.test.p = NAN;
    for (size_t i = 0; i < n && !db_error(s->database); i++)
        if (name_condition(s, application, conditions[i], &x->conditions[i]))
            read_trials(x, s, i);
    if (may_compare(x, s)) {
        choose_sides(x);
        choose_unit(x, s, &metric);
        read_functions(x, s, kind, metric);
    }
    if (!db_error(s->database)) {
        sort_functions(x, !kind);
        return &x->c;
    }
    store_give_up(s);
    store_comparison_free(&x->c);
    return NULL;
}

void store_comparison_free(store_comparison *c)
{
    comparing *x = (comparing *)c;
    if (!x)
        return;
    for (size_t i = 0; i < c->nconditions; i++)
        free(x->conditions[i].application), free(x->conditions[i].name), free(x->conditions[i].unit);
    for (size_t i = 0; i < c->nfunctions; i++)
        free_compared(&x->functions[i]);
    for (size_t i = 0; i < x->rows.n; i++)
        free_compared(x->rows.at[i].of), free(x->rows.at[i].of);
    for (size_t i = 0; i < x->kept.n; i++)
        free(x->kept.at[i]);
    free(x->kept.at);
    free(x->conditions);
    free(x->unit);
    free(x->first_trial);
    free(x->functions);
    free(x->rows.at);
    map_free(&x->by_id);
    map_free(&x->runs);
    free(x);
}
