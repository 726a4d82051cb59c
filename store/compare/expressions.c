// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/expressions.h"
#include "store/sql/database.h"

static const char fixed_names[] =
    "kind, name, signature, ordinal, slower, faster, difference, ratio, share, m, p";

char *store_expression_names(const store_comparison *c)
{
    base_text text = {0};
    text_add_string(&text, fixed_names);
    for (size_t i = 0; i < c->nconditions; i++)
        text_add_format(&text, ", c%zu", i + 1);
    return text_finish(&text);
}

// A number as SQL reads it, exactly.
static void add_number(base_text *text, double n)
{
    if (isnan(n))
        text_add_string(text, ", NULL");
    else if (isinf(n))
        text_add_string(text, n > 0 ? ", 9e999" : ", -9e999");
    else
        text_add_format(text, ", %.17g", n);
}

static void add_row(db *d, const store_comparison *c, size_t i)
{
    const store_compared *f = &c->functions[i];
    const double numbers[] = {f->figures[c->slower].mean,
                              f->figures[c->faster].mean,
                              f->difference,
                              f->ratio,
                              f->share,
                              f->order,
                              f->test.p};
    base_text text = {0};
    text_add_format(&text, "INSERT INTO compared SELECT %zu, $1, $2, $3, %lld", i, (long long)f->ordinal);
    for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
        add_number(&text, numbers[j]);
    for (size_t j = 0; j < c->nconditions; j++)
        add_number(&text, f->figures[j].mean);
    const char *texts[] = {f->kind, f->name, f->signature};
    db_rows *r = db_ask_once(d, text_finish(&text), 3, texts);
    while (r && db_next(r))
        ;
    db_end(r);
    free(text.at);
}

static void fill(db *d, const store_comparison *c)
{
    base_text text = {0};
    char *names = store_expression_names(c);
    text_add_format(&text, "CREATE TABLE compared (number, %s)", names);
    db_script(d, text_finish(&text));
    db_script(d, "BEGIN");
    for (size_t i = 0; i < c->nfunctions && !db_error(d); i++)
        add_row(d, c, i);
    db_script(d, "COMMIT");
    db_script(d, "PRAGMA query_only = ON");
    free(names);
    free(text.at);
}

static void ask(db *d, const char *expression, double *ret, size_t n)
{
    // Two columns in all: an expression with a comma of its own is none.
    char *text = base_format("SELECT number, (%s) FROM compared ORDER BY number", expression);
    db_rows *r = db_ask_once(d, text, 0, NULL);
    while (r && db_next(r))
        if ((size_t)db_integer(r, 0) < n)
            ret[db_integer(r, 0)] = db_real(r, 1);
    db_end(r);
    free(text);
}

bool store_evaluate(const store_comparison *c, const char *expression, double *ret, char **ret_error)
{
    db *d = db_open(":memory:", DB_CREATE, ret_error);
    if (!d)
        return false;
    for (size_t i = 0; i < c->nfunctions; i++)
        ret[i] = NAN;
    fill(d, c);
    db_limit_time(d, 10);
    ask(d, expression, ret, c->nfunctions);
    if (db_error(d)) {
        char *names = store_expression_names(c);
        *ret_error = base_format("`%s`: %s (names: %s)", expression, db_error(d), names);
        free(names);
    }
    db_close(d);
    return !*ret_error;
}

// A function with its value; those without one come last.
typedef struct {
    uint32_t row;
    double value;
} ordered;

static int by_value(const void *x, const void *y)
{
    const ordered *a = x, *b = y;
    if (isnan(a->value) || isnan(b->value))
        return isnan(a->value) - isnan(b->value);
    return a->value > b->value ? -1 : a->value < b->value ? 1 : a->row < b->row ? -1 : 1;
}

bool store_order(const store_comparison *c, const char *expression, uint32_t *ret, char **ret_error)
{
    size_t n = c->nfunctions;
    bool by_m = !expression || !strcmp(expression, "m");
    for (uint32_t i = 0; i < n; i++)
        ret[i] = i;
    if (by_m || !n)
        return true;
    double *values = base_allocate(n, sizeof *values);
    ordered *order = base_allocate(n, sizeof *order);
    bool good = store_evaluate(c, expression, values, ret_error);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (ordered){i, values[i]};
    if (good)
        qsort(order, n, sizeof *order, by_value);
    for (uint32_t i = 0; i < n; i++)
        ret[i] = order[i].row;
    free(values);
    free(order);
    return good;
}
