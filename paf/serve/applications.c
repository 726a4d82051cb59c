// SPDX-License-Identifier: MIT
//
// The first page: applications, and traces that were named beside the store.
#include "paf/serve/page.h"

#include <stdio.h>
#include <stdlib.h>

static void add_files(page *p)
{
    if (!p->nfiles)
        return;
    text_add_string(p->out, "<h2>Files</h2><ul>");
    for (size_t i = 0; i < p->nfiles; i++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", i + 1);
        char *link = page_link("trace", "file", number, NULL);
        html_add(p->out, "<li><a href=\"%s\">%s</a></li>", link, p->files[i]);
        free(link);
    }
    text_add_string(p->out, "</ul>\n");
}

static void add_row(page *p, const store_answer *a)
{
    char *link = page_link("conditions", "application", store_answer_text(a, 0), NULL);
    html_add(p->out,
             "<tr><th scope=\"row\"><a href=\"%s\">%s</a></th><td class=\"number\">%lld</td>"
             "<td class=\"number\">%lld</td><td class=\"number\">%lld</td><td>%s</td></tr>\n",
             link, store_answer_text(a, 0), (long long)store_answer_integer(a, 1),
             (long long)store_answer_integer(a, 2), (long long)store_answer_integer(a, 3),
             store_answer_kind(a, 4) == STORE_TEXT ? store_answer_text(a, 4) : DASH);
    free(link);
}

void page_applications(page *p)
{
    size_t n = 0;
    page_begin(p, "Applications", NULL);
    add_files(p);
    store_answer *a =
        page_ask(p,
                 "SELECT name, (SELECT COUNT(*) FROM condition WHERE application = application.id), "
                 "(SELECT COUNT(*) FROM runs WHERE application_id = application.id), "
                 "(SELECT COUNT(*) FROM function WHERE application = application.id), "
                 "(SELECT MAX(date) FROM runs WHERE application_id = application.id) "
                 "FROM application ORDER BY name",
                 NULL);
    text_add_string(p->out, "<div class=\"wide\"><table><thead><tr><th scope=\"col\">Application</th>"
                            "<th scope=\"col\" class=\"number\">Conditions</th>"
                            "<th scope=\"col\" class=\"number\">Runs</th>"
                            "<th scope=\"col\" class=\"number\">Functions</th>"
                            "<th scope=\"col\">Last run</th></tr></thead><tbody>\n");
    for (; page_next(p, &a); n++)
        add_row(p, a);
    if (p->status)
        return;
    text_add_string(p->out, "</tbody></table></div>\n");
    if (!n)
        text_add_string(p->out,
                        "<p>The store has no runs yet: <code>paf store add FILE.paf</code> adds one.</p>");
    page_end(p);
}
