// SPDX-License-Identifier: MIT
//
// Any question in SQL, and those that were kept. The database refuses what is no question; who leaves the
// page, or presses its button, cancels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paf/serve/page.h"

enum { MOST_ROWS = 1000, MOST_BYTES = 8 << 20, SECONDS = 30, WITH = 5 }; // WITH: letters of "with_"

// Values of parameters: "with_NAME" of the address.
static store_key *values_of(const page *p, size_t *ret_n)
{
    store_key *values = base_allocate(p->r->nparameters, sizeof *values);
    *ret_n = 0;
    for (size_t i = 0; i < p->r->nparameters; i++)
        if (!strncmp(p->r->parameters[i].name, "with_", WITH))
            values[(*ret_n)++] = (store_key){(char *)(uintptr_t)p->r->parameters[i].name + WITH,
                                             (char *)(uintptr_t)p->r->parameters[i].value};
    return values;
}

static void add_kept(page *p)
{
    store_answer *a = page_ask(p, "SELECT name FROM saved_query ORDER BY name", NULL);
    bool any = false;
    for (; page_next(p, &a); any = true) {
        char *link = page_link("sql", "query", store_answer_text(a, 0), NULL);
        text_add_string(p->out, any ? "" : "<h2>Kept questions</h2><ul>");
        html_add(p->out, "<li><a href=\"%s\">%s</a></li>", link, store_answer_text(a, 0));
        free(link);
    }
    text_add_string(p->out, any ? "</ul>\n"
                                : "<p><code>paf store sql --keep NAME</code> keeps a question here.</p>\n");
}

static void add_form(page *p, const char *text, char *const *names, size_t n)
{
    html_add(p->out,
             "<form action=\"sql\" id=\"question\"><label for=\"text\">A question about the tables and "
             "views of the "
             "store, as SELECT</label><textarea id=\"text\" name=\"text\" rows=\"6\" spellcheck=\"false\" "
             "autocapitalize=\"off\">%s</textarea>\n",
             text);
    for (size_t i = 0; i < n; i++) {
        char *field = base_format("with_%s", names[i]);
        const char *value = http_value(p->r, field);
        html_add(p->out, "<label>:%s <input name=\"%s\" value=\"%s\"></label> ", names[i], field,
                 value ? value : "");
        free(field);
    }
    text_add_string(
        p->out, "<p class=\"actions\"><button>Ask</button> <button type=\"button\" id=\"cancel\" hidden>"
                "Cancel</button> <span id=\"asking\" role=\"status\"></span></p></form>\n");
}

static void add_cell(page *p, const store_answer *a, int column)
{
    switch (store_answer_kind(a, column)) {
    case STORE_NULL:
        text_add_string(p->out, "<td class=\"number\">" DASH "</td>");
        return;
    case STORE_INTEGER:
        html_add(p->out, "<td class=\"number\">%lld</td>", (long long)store_answer_integer(a, column));
        return;
    case STORE_REAL:
        html_add(p->out, "<td class=\"number\">%.10g</td>", store_answer_real(a, column));
        return;
    case STORE_TEXT:
        html_add(p->out, "<td>%s</td>", store_answer_text(a, column));
    }
}

static void add_answer(page *p, store_answer *a)
{
    int columns = store_answer_columns(a);
    size_t n = 0, before = p->out->n;
    text_add_string(p->out, "<div class=\"wide\" id=\"answer\"><table><thead><tr>");
    for (int i = 0; i < columns; i++)
        html_add(p->out, "<th scope=\"col\">%s</th>", store_answer_name(a, i));
    text_add_string(p->out, "</tr></thead><tbody>\n");
    while (n < MOST_ROWS && p->out->n - before < MOST_BYTES && store_answer_next(a)) {
        text_add_string(p->out, "<tr>");
        for (int i = 0; i < columns; i++)
            add_cell(p, a, i);
        text_add_string(p->out, "</tr>\n");
        n++;
    }
    text_add_string(p->out, "</tbody></table></div>\n");
    bool more = n == MOST_ROWS || p->out->n - before >= MOST_BYTES;
    if (!store_answer_error(a)) {
        html_add(p->out, "<p>%zu rows", n);
        text_add_string(p->out, more ? "; <code>paf store sql</code> shows all</p>\n" : "</p>\n");
        return;
    }
    p->out->n = before;
    html_add(p->out, "<p class=\"bad\" role=\"alert\">%s</p>\n", store_answer_error(a));
    p->passing = true;
}

static void ask(page *p, const char *text)
{
    size_t n;
    store_key *values = values_of(p, &n);
    store_answer *a = store_ask(p->s, text, values, n, SECONDS);
    if (a) {
        add_answer(p, a);
        store_answer_end(a);
    } else {
        html_add(p->out, "<p class=\"bad\" role=\"alert\">%s</p>\n", store_error(p->s));
        p->passing = true;
    }
    free(values);
}

void page_sql(page *p)
{
    const char *query = http_value(p->r, "query"), *given = http_value(p->r, "text");
    char *kept = query ? store_kept_query(p->s, query) : NULL;
    const char *text = kept ? kept : given ? given : "";
    size_t n = 0, nvalues;
    if (query && !kept) {
        page_store_failed(p);
        return;
    }
    char **names = store_parameters(text, &n);
    store_key *values = values_of(p, &nvalues);
    page_begin(p, "SQL", NULL);
    add_form(p, text, names, n);
    if (*text && nvalues >= n)
        ask(p, text);
    else if (n)
        text_add_string(p->out, "<p>The question has parameters: give each a value.</p>\n");
    add_kept(p);
    page_end(p);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    free(values);
    free(kept);
}
