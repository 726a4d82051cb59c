// SPDX-License-Identifier: MIT
//
// `paf store sql`: any question about the store, as a table, CSV or JSON; questions that are kept.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "base/text.h"
#include "paf/commands/store_command.h"
#include "store/query.h"

static const char help[] =
    "usage: paf store sql [OPTION...] 'SELECT ...'\n"
    "       paf store sql [OPTION...] --query NAME\n"
    "Asks the store; docs/store.md has its tables and views. Nothing is changed, whatever the text says.\n"
    "\n"
    "      --with NAME=VALUE  value of the parameter `:NAME`; may be given several times\n"
    "      --keep NAME        keeps the text under a name, and asks it if all parameters have values\n"
    "      --query NAME       a text that was kept\n"
    "      --forget NAME      takes it away\n"
    "      --seconds N        the answer may take so long (default: 30; 0: for ever)\n"
    "      --json, --csv      in another form\n"
    "      --raw              CSV: texts as they are\n" PAF_STORE_HELP
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0; 1 the database refuses or is too slow; 2 usage.\n";

typedef struct {
    const char *keep, *query, *forget, *where;
    paf_texts with;
    int64_t seconds;
    bool json, csv, raw;
    ARRAY_OF(store_key) values;
} sql_options;

static void print_cell(paf_table *table, const store_answer *a, int column)
{
    switch (store_answer_kind(a, column)) {
    case STORE_NULL:
        paf_table_add(table, "-");
        return;
    case STORE_INTEGER:
        paf_table_add(table, "%lld", (long long)store_answer_integer(a, column));
        return;
    case STORE_REAL:
        paf_table_add(table, "%.10g", store_answer_real(a, column));
        return;
    case STORE_TEXT:
        break;
    }
    paf_store_add_name(table, store_answer_text(a, column));
}

// Columns of numbers are aligned to the right, as the first row tells them.
static void print_text(store_answer *a)
{
    int n = store_answer_columns(a);
    bool more = store_answer_next(a);
    if (!more && store_answer_error(a))
        return; // no titles above an error
    char *alignment = g_strnfill((gsize)n, 'l');
    for (int i = 0; more && i < n; i++)
        if (store_answer_kind(a, i) == STORE_INTEGER || store_answer_kind(a, i) == STORE_REAL)
            alignment[i] = 'r';
    paf_table *table = paf_table_create(alignment);
    for (int i = 0; i < n; i++)
        paf_store_add_name(table, store_answer_name(a, i));
    for (; more; more = store_answer_next(a))
        for (int i = 0; i < n; i++)
            print_cell(table, a, i);
    paf_table_print(table);
    g_free(alignment);
}

static void print_csv_row(const store_answer *a, int n)
{
    for (int i = 0; i < n; i++) {
        char after = i + 1 < n ? ',' : '\n';
        switch (store_answer_kind(a, i)) {
        case STORE_NULL:
            putchar(after);
            break;
        case STORE_INTEGER:
            printf("%lld%c", (long long)store_answer_integer(a, i), after);
            break;
        case STORE_REAL:
            printf("%.15g%c", store_answer_real(a, i), after);
            break;
        case STORE_TEXT:
            paf_csv_text(store_answer_text(a, i), after);
        }
    }
}

static void print_csv(store_answer *a)
{
    int n = store_answer_columns(a);
    for (int i = 0; i < n; i++)
        paf_csv_text(store_answer_name(a, i), i + 1 < n ? ',' : '\n');
    while (store_answer_next(a))
        print_csv_row(a, n);
}

static json_t *json_cell(const store_answer *a, int column)
{
    switch (store_answer_kind(a, column)) {
    case STORE_NULL:
        return json_null();
    case STORE_INTEGER:
        return json_integer(store_answer_integer(a, column));
    case STORE_REAL:
        return isfinite(store_answer_real(a, column)) ? json_real(store_answer_real(a, column))
                                                      : json_null();
    case STORE_TEXT:
        return paf_json_text(store_answer_text(a, column));
    }
    return json_null();
}

static void print_json(store_answer *a)
{
    json_t *answer = paf_json_answer(), *columns = json_array(), *rows = json_array();
    int n = store_answer_columns(a);
    for (int i = 0; i < n; i++)
        json_array_append_new(columns, paf_json_text(store_answer_name(a, i)));
    while (store_answer_next(a)) {
        json_t *row = json_array();
        for (int i = 0; i < n; i++)
            json_array_append_new(row, json_cell(a, i));
        json_array_append_new(rows, row);
    }
    json_object_set_new(answer, "columns", columns);
    json_object_set_new(answer, "rows", rows);
    if (store_answer_error(a))
        json_decref(answer);
    else
        paf_json_print(answer);
}

static int ask(store *s, const sql_options *o, const char *text)
{
    store_answer *a = store_ask(s, text, o->values.at, o->values.n, (double)o->seconds);
    int status = COMMAND_OK;
    if (!a)
        return paf_store_failed("store sql", s);
    if (o->json)
        print_json(a);
    else if (o->csv)
        print_csv(a);
    else
        print_text(a);
    if (store_answer_error(a)) {
        paf_complain("store sql", "%s", store_answer_error(a));
        status = COMMAND_NOTHING;
    }
    store_answer_end(a);
    return status;
}

static bool read_values(sql_options *o)
{
    for (size_t i = 0; i < o->with.n; i++) {
        char *key = base_copy(o->with.at[i]), *equals = strchr(key, '=');
        if (!equals || equals == key) {
            paf_complain("store sql", "--with: `%s` is no NAME=VALUE", key);
            free(key);
            return false;
        }
        *equals = 0;
        ARRAY_PUSH(o->values, ((store_key){key, equals + 1}));
    }
    return true;
}

// Keeps or forgets a question.
static int change(const sql_options *o, const char *text)
{
    store *s = paf_open_store("store sql", o->where, STORE_WRITE);
    int status = COMMAND_OK;
    if (!s)
        return COMMAND_NOTHING;
    if (!store_keep_query(s, o->forget ? o->forget : o->keep, o->forget ? "" : text))
        status = paf_store_failed("store sql", s);
    store_close(s);
    return status;
}

static int run(const sql_options *o, const char *text)
{
    store *s = paf_open_store("store sql", o->where, STORE_READ);
    int status = COMMAND_NOTHING;
    if (!s)
        return status;
    char *kept = o->query ? store_kept_query(s, o->query) : NULL;
    if (o->query && !kept)
        status = paf_store_failed("store sql", s);
    else
        status = ask(s, o, kept ? kept : text);
    free(kept);
    store_close(s);
    return status;
}

int paf_store_sql(int argc, char **argv)
{
    sql_options o = {.seconds = 30};
    const paf_option options[] = {{"with", 0, PAF_OPTION_TEXTS, {.texts = &o.with}, 0},
                                  {"keep", 0, PAF_OPTION_TEXT, {.text = &o.keep}, 0},
                                  {"query", 0, PAF_OPTION_TEXT, {.text = &o.query}, 0},
                                  {"forget", 0, PAF_OPTION_TEXT, {.text = &o.forget}, 0},
                                  {"seconds", 0, PAF_OPTION_NUMBER, {.number = &o.seconds}, 0},
                                  {"json", 0, PAF_OPTION_FLAG, {.flag = &o.json}, 0},
                                  {"csv", 0, PAF_OPTION_FLAG, {.flag = &o.csv}, 0},
                                  {"raw", 0, PAF_OPTION_FLAG, {.flag = &o.raw}, 0},
                                  {"store", 0, PAF_OPTION_TEXT, {.text = &o.where}, 0},
                                  {0}};
    const paf_usage usage = {"store sql", help, options, 0, 1};
    int status;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    const char *text = optind < argc ? argv[optind] : NULL;
    if (o.keep && !*o.keep) {
        paf_complain("store sql", "--keep takes a name");
        return COMMAND_USAGE;
    }
    if (!text == !(o.query || o.forget) || (o.keep && !text)) {
        paf_complain("store sql", "either a question, or --query NAME (`paf store sql --help`)");
        return COMMAND_USAGE;
    }
    if (o.raw)
        paf_csv_keep_raw();
    status = read_values(&o) ? COMMAND_OK : COMMAND_USAGE;
    if (status == COMMAND_OK && (o.keep || o.forget))
        status = change(&o, text);
    if (status == COMMAND_OK && !o.forget && (!o.keep || o.values.n || !strchr(text, ':')))
        status = run(&o, text);
    for (size_t i = 0; i < o.values.n; i++)
        free(o.values.at[i].key);
    free(o.values.at);
    free(o.with.at);
    return status;
}
