// SPDX-License-Identifier: MIT
//
// Questions that somebody wrote. `:name` becomes $1, $2, ...; values go to the database as parameters,
// never as a part of the text.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/query.h"
#include "store/runs/store_private.h"
#include "store/sql/schema.h"

struct store_answer {
    store *s;
    db_rows *rows;
};

typedef struct {
    base_text text;
    ARRAY_OF(char *) names; // of $1, $2, ...
} translated;

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// The number of a parameter, from 1.
static size_t parameter(translated *x, const char *name, size_t n)
{
    for (size_t i = 0; i < x->names.n; i++)
        if (strlen(x->names.at[i]) == n && !strncmp(x->names.at[i], name, n))
            return i + 1;
    ARRAY_PUSH(x->names, base_copy_bytes(name, n));
    return x->names.n;
}

// The end of a quoted text or a comment that begins here; `at` itself if none does.
static const char *skip_quoted(const char *at)
{
    const char *end = NULL;
    if (*at == '\'' || *at == '"') {
        end = strchr(at + 1, *at);
        return end ? end + 1 : at + strlen(at);
    }
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    return at;
}

static void translate(translated *x, const char *text)
{
    for (const char *at = text; *at;) {
        const char *quoted = skip_quoted(at);
        if (quoted > at) {
            text_add(&x->text, at, (size_t)(quoted - at));
            at = quoted;
        } else if (at[0] == ':' && at[1] == ':') { // a cast of PostgreSQL
            text_add_string(&x->text, "::");
            at += 2;
        } else if (at[0] == ':' && is_name_char(at[1]) && !isdigit((unsigned char)at[1])) {
            size_t n = 1;
            while (is_name_char(at[1 + n]))
                n++;
            text_add_format(&x->text, "$%zu", parameter(x, at + 1, n));
            at += 1 + n;
        } else {
            text_add_char(&x->text, *at++);
        }
    }
    text_finish(&x->text);
}

char **store_parameters(const char *text, size_t *ret_n)
{
    translated x = {0};
    translate(&x, text);
    free(x.text.at);
    *ret_n = x.names.n;
    return x.names.at;
}

static const char *value_of(store *s, const char *name, const store_key *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(values[i].key, name))
            return values[i].value;
    db_fail(s->database, "the question has a parameter :%s, and no value is given (--with %s=VALUE)", name,
            name);
    return NULL;
}

static void check_names(store *s, const translated *x, const store_key *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool used = false;
        for (size_t j = 0; j < x->names.n; j++)
            used |= !strcmp(x->names.at[j], values[i].key);
        if (!used)
            db_fail(s->database, "the question has no parameter :%s", values[i].key);
    }
}

store_answer *store_ask(store *s, const char *text, const store_key *values, size_t nvalues, double seconds)
{
    translated x = {0};
    translate(&x, text);
    const char **parameters = base_allocate(x.names.n, sizeof *parameters);
    for (size_t i = 0; i < x.names.n; i++)
        parameters[i] = value_of(s, x.names.at[i], values, nvalues);
    check_names(s, &x, values, nvalues);
    db_limit_time(s->database, seconds);
    db_look(s->database);
    db_rows *rows = db_ask_once(s->database, x.text.at, x.names.n, parameters);
    store_answer *a = NULL;
    if (rows) {
        a = base_allocate(1, sizeof *a);
        *a = (store_answer){s, rows};
    } else {
        db_limit_time(s->database, 0);
        store_give_up(s);
    }
    for (size_t i = 0; i < x.names.n; i++)
        free(x.names.at[i]);
    free(x.names.at);
    free(x.text.at);
    free(parameters);
    return a;
}

int store_answer_columns(const store_answer *a)
{
    return db_columns(a->rows);
}

const char *store_answer_name(const store_answer *a, int column)
{
    return db_column_name(a->rows, column);
}

bool store_answer_next(store_answer *a)
{
    return db_next(a->rows);
}

store_kind store_answer_kind(const store_answer *a, int column)
{
    static const store_kind kinds[] = {[DB_NULL] = STORE_NULL,
                                       [DB_INTEGER] = STORE_INTEGER,
                                       [DB_REAL] = STORE_REAL,
                                       [DB_TEXT] = STORE_TEXT};
    return kinds[db_kind_of(a->rows, column)];
}

int64_t store_answer_integer(const store_answer *a, int column)
{
    return db_integer(a->rows, column);
}

double store_answer_real(const store_answer *a, int column)
{
    return db_real(a->rows, column);
}

const char *store_answer_text(const store_answer *a, int column)
{
    return db_text(a->rows, column);
}

const char *store_answer_error(const store_answer *a)
{
    return db_error(a->s->database);
}

void store_answer_end(store_answer *a)
{
    db_end(a->rows);
    db_limit_time(a->s->database, 0);
    db_rollback(a->s->database);
    free(a);
}

bool store_keep_query(store *s, const char *name, const char *text)
{
    db *d = s->database;
    if (db_begin(d))
        db_do(d, "DELETE FROM saved_query WHERE name = $1", "s", name);
    if (*text)
        db_do(d, "INSERT INTO saved_query (name, text) VALUES ($1, $2)", "ss", name, text);
    store_note_change(d);
    return db_commit(d) || store_give_up(s);
}

char *store_kept_query(store *s, const char *name)
{
    char *text = NULL;
    db_rows *r = db_ask(s->database, "SELECT text FROM saved_query WHERE name = $1", "s", name);
    if (r && db_next(r))
        text = base_copy(db_text(r, 0));
    db_end(r);
    if (!text)
        db_fail(s->database, "no question is kept under the name %s", name);
    if (!text)
        store_give_up(s);
    return text;
}
