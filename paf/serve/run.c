// SPDX-License-Identifier: MIT
//
// A run: what is known of it, its functions with most time, and where to go on.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "paf/model/comparison_words.h"
#include "paf/serve/page.h"

enum { SHOWN = 20 };

static const struct {
    const char *title;
    int kind; // 't' text, 'n' nanoseconds, 'u' in the unit of the run, 's' steps
} facts[] = {{"Application", 't'}, {"Condition", 't'}, {"Trial", 'i'}, {"Ended", 't'},   {"Date", 't'},
             {"Machine", 't'},     {"Command", 't'},   {"From", 't'},  {"Elapsed", 'n'}, {"User time", 'n'},
             {"System time", 'n'}, {"Work", 'u'},      {"Span", 's'}};
enum { FACTS = sizeof facts / sizeof *facts };

static void add_fact(page *p, const store_answer *a, int i, const char *unit)
{
    html_add(p->out, "<dt>%s</dt>", facts[i].title);
    if (store_answer_kind(a, i) == STORE_NULL) {
        text_add_string(p->out, "<dd>" DASH "</dd>");
    } else if (facts[i].kind == 't') {
        html_add(p->out, "<dd>%s</dd>", store_answer_text(a, i));
    } else if (facts[i].kind == 'i') {
        html_add(p->out, "<dd>%lld</dd>", (long long)store_answer_integer(a, i));
    } else {
        const char *of = facts[i].kind == 'n' ? "ns" : facts[i].kind == 's' ? "steps" : unit;
        char *text = paf_store_amount(of, store_answer_real(a, i));
        html_add(p->out, "<dd>%s%s</dd>", text,
                 strcmp(of, "ns") ? facts[i].kind == 's' ? " steps" : " reductions" : "");
        g_free(text);
    }
}

static void add_facts(page *p, const store_answer *a)
{
    const char *unit = store_answer_text(a, FACTS);
    text_add_string(p->out, "<dl>");
    for (int i = 0; i < FACTS; i++)
        add_fact(p, a, i, unit);
    text_add_string(p->out, "</dl>\n");
}

// Rows that a table has of the run.
static long long count(page *p, const char *question, const char *run)
{
    long long n = 0;
    store_answer *a = page_ask(p, question, "run", run, NULL);
    while (page_next(p, &a))
        n = (long long)store_answer_integer(a, 0);
    return n;
}

static void add_link(page *p, const char *path, const char *run, const char *format, long long n)
{
    char *link = page_link(path, "run", run, NULL), *text = base_format(format, n);
    html_add(p->out, "<li><a href=\"%s\">%s</a></li>", link, text);
    free(link);
    free(text);
}

static void add_links(page *p, const char *run, bool traced)
{
    long long jobs = count(p, "SELECT COUNT(*) FROM job WHERE run = :run", run);
    long long accesses = count(p, "SELECT COUNT(*) FROM file_access WHERE run = :run", run);
    text_add_string(p->out, "<ul>");
    if (traced)
        add_link(p, "trace", run, "The trace: its history and findings", 0);
    if (jobs)
        add_link(p, "jobs", run, "%lld jobs, as a chart of time", jobs);
    if (accesses)
        add_link(p, "accesses", run, "%lld kinds of accesses to files", accesses);
    text_add_string(p->out, "</ul>\n");
}

static void add_functions(page *p, const char *run, const char *application, const char *unit)
{
    bool steps = !strcmp(unit, "steps");
    store_answer *a =
        page_ask(p,
                 "SELECT function.id, function.kind, function.name, function.signature, function.ordinal, "
                 "f.calls, f.inclusive_time, f.exclusive_time, f.places, f.most_time FROM function_of_run "
                 "f JOIN function ON function.id = f.function WHERE f.run = :run "
                 "ORDER BY f.exclusive_time IS NULL, f.exclusive_time DESC, f.calls DESC LIMIT 20",
                 "run", run, NULL);
    text_add_string(
        p->out, "<h2>Functions with most time</h2><div class=\"wide\"><table><thead><tr><th scope=\"col\">"
                "Function</th><th scope=\"col\">Kind</th><th scope=\"col\" class=\"number\">Calls</th>"
                "<th scope=\"col\" class=\"number\">Inclusive</th><th scope=\"col\" class=\"number\">"
                "Exclusive</th><th scope=\"col\" class=\"number\">Places</th><th scope=\"col\" "
                "class=\"number\">Most at a place</th></tr></thead><tbody>\n");
    while (page_next(p, &a)) {
        char number[32], *name;
        const store_compared f = {.name = base_copy(store_answer_text(a, 2)),
                                  .signature = base_copy(store_answer_text(a, 3)),
                                  .ordinal = store_answer_integer(a, 4)};
        snprintf(number, sizeof number, "%lld", (long long)store_answer_integer(a, 0));
        char *link = page_link("function", "application", application, "function", number, NULL);
        html_add(p->out, "<tr><th scope=\"row\"><a href=\"%s\">%s</a></th>", link,
                 name = paf_function_text(&f));
        html_add(p->out, "<td>%s</td><td class=\"number\">%.10g</td>", store_answer_text(a, 1),
                 store_answer_kind(a, 5) == STORE_NULL ? 0.0 : store_answer_real(a, 5));
        page_amount(p, unit, store_answer_real(a, 6));
        page_amount(p, unit, store_answer_real(a, 7));
        html_add(p->out, "<td class=\"number\">%lld</td>", (long long)store_answer_integer(a, 8));
        page_amount(p, unit, store_answer_real(a, 9));
        text_add_string(p->out, "</tr>\n");
        free(link);
        free(name);
        free(f.name);
        free(f.signature);
    }
    text_add_string(p->out, steps ? "</tbody></table></div><p>Figures are steps.</p>\n"
                                  : "</tbody></table></div>\n");
}

void page_run(page *p)
{
    const char *run = http_value(p->r, "run");
    char *application = NULL, *unit = NULL, *back = NULL;
    bool traced = false;
    store_answer *a = NULL;
    if (!page_number(p, "run")) {
        page_fail(p, 404, "The address names no run.");
        return;
    }
    a = page_ask(
        p,
        "SELECT runs.application, runs.condition, runs.trial, runs.ending, runs.date, runs.machine, "
        "run.command, runs.source, runs.elapsed, runs.user_time, runs.system_time, runs.work, runs.span, "
        "runs.unit, run.path FROM runs JOIN run ON run.id = runs.run WHERE runs.run = :run",
        "run", run, NULL);
    while (page_next(p, &a)) {
        char *title = base_format("Run %s", run);
        application = base_copy(store_answer_text(a, 0));
        unit = base_copy(store_answer_text(a, FACTS));
        traced = store_answer_kind(a, FACTS + 1) == STORE_TEXT;
        back = page_link("conditions", "application", application, NULL);
        page_begin(p, title, "./", "Applications", back, application, NULL);
        add_facts(p, a);
        free(title);
    }
    if (!application)
        page_fail(p, 404, "The store has no run %s.", run);
    if (!p->status)
        add_links(p, run, traced);
    if (!p->status)
        add_functions(p, run, application, unit);
    page_end(p);
    free(application);
    free(unit);
    free(back);
}
