// SPDX-License-Identifier: MIT
//
// The conditions of an application: a table of means over trials with the columns that were chosen, in any
// order, without the runs that were left out; some of them are chosen to be compared.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paf/serve/page.h"

typedef struct {
    const store_listed *runs; // of this condition
    size_t n;
    store_figure figures[4];
    double *trials[4];
} row;

typedef struct {
    page *p;
    const char *application;
    store_listed *runs;
    size_t nruns;
    ARRAY_OF(row) rows;
    ARRAY_OF(char *) keys; // of conditions: a column each
    int64_t *off;
    size_t noff;
} conditions;

static const struct {
    const char *name, *title, *unit;
} figures[] = {
    {"elapsed", "Elapsed", "ns"},
    {"cpu", "Processor time", "ns"},
    {"work", "Work", NULL},
    {"span", "Span", "steps"},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static bool is_off(const conditions *c, const store_listed *r)
{
    for (size_t i = 0; i < c->noff; i++)
        if (c->off[i] == r->id)
            return true;
    return !r->enabled;
}

// Work of runs on the ideal machine is reductions, of others time.
static const char *unit_of(const row *r, size_t figure)
{
    return figures[figure].unit ? figures[figure].unit : r->runs->unit;
}

// What one trial lacks all of them lack.
static void sum_up(const conditions *c, row *r)
{
    for (size_t k = 0; k < FIGURES; k++) {
        size_t n = 0;
        bool known = true;
        r->trials[k] = base_allocate(r->n, sizeof *r->trials[k]);
        for (size_t i = 0; i < r->n; i++) {
            const int64_t values[] = {r->runs[i].elapsed, r->runs[i].cpu, r->runs[i].work, r->runs[i].span};
            if (is_off(c, &r->runs[i]))
                continue;
            known &= values[k] >= 0;
            r->trials[k][n++] = (double)values[k];
        }
        r->figures[k] = store_figure_of(r->trials[k], known ? n : 0);
    }
}

static const char *find_key(const char *name, const char *key, size_t *ret_n)
{
    size_t length = strlen(key);
    for (const char *at = name; *at;) {
        size_t n = strcspn(at, ",");
        if (n > length && !strncmp(at, key, length) && at[length] == '=') {
            *ret_n = n - length - 1;
            return at + length + 1;
        }
        at += n + (at[n] == ',');
    }
    *ret_n = 0;
    return "";
}

static void add_keys(conditions *c, const char *name)
{
    for (const char *at = name; *at;) {
        size_t n = strcspn(at, ","), length = strcspn(at, "=,");
        bool known = length == n; // not of the form KEY=VALUE
        for (size_t i = 0; i < c->keys.n; i++)
            known |= strlen(c->keys.at[i]) == length && !strncmp(c->keys.at[i], at, length);
        if (!known)
            ARRAY_PUSH(c->keys, base_copy_bytes(at, length));
        at += n + (at[n] == ',');
    }
}

static void group(conditions *c)
{
    for (size_t i = 0, n; i < c->nruns; i += n) {
        for (n = 1; i + n < c->nruns && c->runs[i + n].condition_id == c->runs[i].condition_id;)
            n++;
        row r = {.runs = &c->runs[i], .n = n};
        sum_up(c, &r);
        ARRAY_PUSH(c->rows, r);
        add_keys(c, r.runs->condition);
    }
}

// ---------------------------------------------------------------------------------------------
// Columns and order

// Column i: keys, then figures. All are shown unless some are chosen.
static bool is_shown(const conditions *c, size_t column)
{
    bool chosen = false, any = false;
    const char *name = column < c->keys.n ? c->keys.at[column] : figures[column - c->keys.n].name;
    char prefix = column < c->keys.n ? 'k' : 'f';
    for (size_t i = 0; i < c->p->r->nparameters; i++) {
        const http_parameter *x = &c->p->r->parameters[i];
        if (strcmp(x->name, "column"))
            continue;
        any = true;
        chosen |= x->value[0] == prefix && x->value[1] == ':' && !strcmp(x->value + 2, name);
    }
    return chosen || !any;
}

static char *column_value(const conditions *c, size_t column)
{
    return column < c->keys.n ? base_format("k:%s", c->keys.at[column])
                              : base_format("f:%s", figures[column - c->keys.n].name);
}

typedef struct {
    const conditions *of;
    size_t column; // SIZE_MAX: how many trials
    bool down;
} order;

static int by_key_value(const order *o, const row *a, const row *b)
{
    size_t na, nb;
    const char *key = o->of->keys.at[o->column];
    const char *x = find_key(a->runs->condition, key, &na), *y = find_key(b->runs->condition, key, &nb);
    char *end_x, *end_y;
    double i = strtod(x, &end_x), j = strtod(y, &end_y);
    if (na && nb && end_x == x + na && end_y == y + nb)
        return i < j ? -1 : i > j;
    int same = memcmp(x, y, na < nb ? na : nb);
    return same ? same : na < nb ? -1 : na > nb;
}

// What is not known comes last, in either direction.
static int by_column(const void *x, const void *y, void *data)
{
    const row *a = x, *b = y;
    const order *o = data;
    int before;
    if (o->column < o->of->keys.n) {
        before = by_key_value(o, a, b);
    } else if (o->column == SIZE_MAX) {
        before = a->n < b->n ? -1 : a->n > b->n;
    } else {
        double i = a->figures[o->column - o->of->keys.n].mean,
               j = b->figures[o->column - o->of->keys.n].mean;
        if (isnan(i) || isnan(j))
            return isnan(i) - isnan(j);
        before = i < j ? -1 : i > j;
    }
    return before ? (o->down ? -before : before) : strcmp(a->runs->condition, b->runs->condition);
}

static void sort(conditions *c)
{
    const char *wanted = http_value(c->p->r, "order");
    bool turned = http_value(c->p->r, "turned") != NULL;
    if (!wanted || !c->rows.n)
        return;
    order o = {c, SIZE_MAX, !turned};
    for (size_t i = 0; i < c->keys.n + FIGURES; i++) {
        char *value = column_value(c, i);
        if (!strcmp(value, wanted))
            o = (order){c, i, i < c->keys.n ? turned : !turned};
        free(value);
    }
    qsort_r(c->rows.at, c->rows.n, sizeof *c->rows.at, by_column, &o);
}

// ---------------------------------------------------------------------------------------------
// The form

static void add_choices(const conditions *c)
{
    base_text *out = c->p->out;
    text_add_string(out, "<fieldset class=\"choices\"><legend>Columns</legend>");
    for (size_t i = 0; i < c->keys.n + FIGURES; i++) {
        char *value = column_value(c, i);
        html_add(out, "<label><input type=\"checkbox\" name=\"column\" value=\"%s\"%s> %s</label> ", value,
                 is_shown(c, i) ? " checked" : "",
                 i < c->keys.n ? c->keys.at[i] : figures[i - c->keys.n].title);
        free(value);
    }
    text_add_string(out, "<button>Apply</button></fieldset>\n");
}

static void add_headings(const conditions *c)
{
    text_add_string(c->p->out, "<thead><tr><th scope=\"col\">Compare</th>");
    for (size_t i = 0; i < c->keys.n + FIGURES; i++) {
        char *value = column_value(c, i);
        if (is_shown(c, i))
            page_heading(c->p, value, i < c->keys.n ? c->keys.at[i] : figures[i - c->keys.n].title,
                         i >= c->keys.n, i >= c->keys.n);
        free(value);
    }
    page_heading(c->p, "trials", "Trials", false, true);
    text_add_string(c->p->out, "</tr></thead>\n");
}

// The trials of a condition, each with a box that leaves it out.
static void add_trials(const conditions *c, const row *r)
{
    base_text *out = c->p->out;
    size_t used = 0;
    for (size_t i = 0; i < r->n; i++)
        used += !is_off(c, &r->runs[i]);
    html_add(out, "<td><details%s><summary>%zu", used < r->n ? " open" : "", used);
    if (used < r->n)
        html_add(out, " of %zu", r->n);
    text_add_string(out, "</summary><ul class=\"trials\">");
    for (size_t i = 0; i < r->n; i++) {
        const store_listed *run = &r->runs[i];
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)run->id);
        char *link = page_link("run", "run", number, NULL);
        html_add(out, "<li><a href=\"%s\">run %s</a> ", link, number);
        if (run->enabled)
            html_add(out, "<label><input type=\"checkbox\" name=\"off\" value=\"%s\"%s> leave out</label>",
                     number, is_off(c, run) ? " checked" : "");
        else
            text_add_string(out, "(disabled)");
        text_add_string(out, "</li>");
        free(link);
    }
    text_add_string(out, "</ul></details></td>");
}

static bool is_chosen(const conditions *c, int64_t id)
{
    size_t n;
    int64_t *chosen = page_numbers(c->p, "c", &n);
    bool found = false;
    for (size_t i = 0; i < n; i++)
        found |= chosen[i] == id;
    free(chosen);
    return found;
}

static void add_row(const conditions *c, const row *r)
{
    base_text *out = c->p->out;
    const char *name = *r->runs->condition ? r->runs->condition : "(no keys)";
    html_add(out,
             "<tr><td><input type=\"checkbox\" name=\"c\" value=\"%lld\" aria-label=\"compare %s\"%s></td>",
             (long long)r->runs->condition_id, name, is_chosen(c, r->runs->condition_id) ? " checked" : "");
    for (size_t i = 0; i < c->keys.n; i++) {
        size_t n;
        const char *value = find_key(r->runs->condition, c->keys.at[i], &n);
        char *text = base_copy_bytes(value, n);
        if (is_shown(c, i))
            html_add(out, "<td>%s</td>", n ? text : DASH);
        free(text);
    }
    for (size_t i = 0; i < FIGURES; i++)
        if (is_shown(c, c->keys.n + i))
            page_figure(c->p, unit_of(r, i), &r->figures[i]);
    add_trials(c, r);
    text_add_string(out, "</tr>\n");
}

static void write_page(conditions *c)
{
    base_text *out = c->p->out;
    html_add(out, "<form action=\"conditions\"><input type=\"hidden\" name=\"application\" value=\"%s\">\n",
             c->application);
    page_hidden(c->p, "order");
    page_hidden(c->p, "turned");
    add_choices(c);
    text_add_string(
        out, "<div class=\"wide\"><table><caption>Means over the trials, ± the standard deviation of one"
             "</caption>");
    add_headings(c);
    text_add_string(out, "<tbody>\n");
    for (size_t i = 0; i < c->rows.n; i++)
        add_row(c, &c->rows.at[i]);
    text_add_string(
        out, "</tbody></table></div>\n<p class=\"actions\"><button formaction=\"compare\">Compare 2 to 6 "
             "conditions</button> <button>Leave out the runs that are marked</button></p></form>\n");
}

void page_conditions(page *p)
{
    conditions c = {.p = p, .application = http_value(p->r, "application")};
    if (!c.application || !store_list(p->s, c.application, &c.runs, &c.nruns)) {
        page_fail(p, 404, "The address names no application.");
        return;
    }
    c.off = page_numbers(p, "off", &c.noff);
    group(&c);
    sort(&c);
    page_begin(p, c.application, "./", "Applications", NULL);
    write_page(&c);
    if (!c.nruns)
        page_fail(p, 404, "The store has no runs of %s.", c.application);
    page_end(p);
    for (size_t i = 0; i < c.rows.n; i++)
        for (size_t k = 0; k < FIGURES; k++)
            free(c.rows.at[i].trials[k]);
    for (size_t i = 0; i < c.keys.n; i++)
        free(c.keys.at[i]);
    free(c.keys.at);
    free(c.rows.at);
    free(c.off);
    store_listed_free(c.runs, c.nruns);
}
