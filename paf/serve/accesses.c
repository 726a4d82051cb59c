// SPDX-License-Identifier: MIT
//
// How a run accessed files: a row for each file, in any order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paf/serve/page.h"

enum { FIRST = 100 };

static const struct {
    const char *name, *title, *by;
    bool number;
} columns[] = {
    {"file", "File", "file", false}, {"access", "Accesses", "2", false}, {"calls", "Calls", "3", true},
    {"bytes", "Bytes", "4", true},   {"time", "Time", "5", true},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

// "ORDER BY ...": its words are of the table, never of the address.
static char *order_of(const page *p)
{
    const char *wanted = http_value(p->r, "order");
    bool turned = http_value(p->r, "turned") != NULL;
    size_t at = COLUMNS - 1;
    for (size_t i = 0; i < COLUMNS; i++)
        if (wanted && !strcmp(columns[i].name, wanted))
            at = i;
    bool down = columns[at].number != turned;
    return base_format("ORDER BY %s %s, file", columns[at].by, down ? "DESC" : "ASC");
}

static void add_headings(page *p)
{
    text_add_string(p->out, "<div class=\"wide\"><table><thead><tr>");
    for (size_t i = 0; i < COLUMNS; i++)
        page_heading(p, columns[i].name, columns[i].title, columns[i].number, columns[i].number);
    text_add_string(p->out, "</tr></thead><tbody>\n");
}

static size_t add_rows(page *p, const char *run, size_t most)
{
    char *order = order_of(p);
    char *question =
        base_format("SELECT file, COUNT(*), SUM(calls), SUM(bytes), SUM(time_spent), MIN(access), "
                    "MAX(access) FROM file_access WHERE run = :run GROUP BY file %s",
                    order);
    store_answer *a = page_ask(p, question, "run", run, NULL);
    size_t n = 0;
    for (; page_next(p, &a); n++) {
        if (n >= most)
            continue;
        bool one = store_answer_integer(a, 1) == 1;
        html_add(p->out, "<tr><th scope=\"row\">%s</th><td>%s%s%s</td>", store_answer_text(a, 0),
                 store_answer_text(a, 5), one ? "" : " … ", one ? "" : store_answer_text(a, 6));
        for (int i = 2; i < 4; i++)
            if (store_answer_kind(a, i) == STORE_NULL)
                text_add_string(p->out, "<td class=\"number\">" DASH "</td>");
            else
                html_add(p->out, "<td class=\"number\">%.15g</td>", store_answer_real(a, i));
        page_amount(p, "ns", store_answer_real(a, 4));
        text_add_string(p->out, "</tr>\n");
    }
    free(question);
    free(order);
    return n;
}

void page_accesses(page *p)
{
    const char *run = http_value(p->r, "run"), *top = http_value(p->r, "top");
    if (!page_number(p, "run")) {
        page_fail(p, 404, "The address names no run.");
        return;
    }
    char *title = base_format("Files of run %s", run), *back = page_link("run", "run", run, NULL);
    size_t most = top && !strcmp(top, "all") ? SIZE_MAX : FIRST;
    page_begin(p, title, "./", "Applications", back, "Run", NULL);
    add_headings(p);
    size_t n = add_rows(p, run, most);
    text_add_string(p->out, "</tbody></table></div>\n");
    if (n > most) {
        char *all = page_with(p, "top", "all");
        html_add(p->out, "<p>%zu of %zu files. <a href=\"%s\">All</a></p>\n", most, n, all);
        free(all);
    }
    if (!p->status && !n)
        text_add_string(p->out, "<p>No access to a file was recorded.</p>\n");
    page_end(p);
    free(title);
    free(back);
}
