// SPDX-License-Identifier: MIT
//
// Two to six conditions, function by function: bars with their deviations, figures, what the trials say.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "paf/model/comparison_words.h"
#include "paf/serve/bars.h"
#include "paf/serve/chosen.h"
#include "store/expressions.h"

enum { FIRST = 10, LEAST_CONDITIONS = 2, MOST_CONDITIONS = 6 };

typedef struct {
    page *p;
    compared_conditions *of;
    const store_comparison *c;
    char **names;
    uint32_t *rows;
    size_t shown;
    double largest; // mean of what is shown
} comparison;

// ---------------------------------------------------------------------------------------------
// Above the table

static void add_sentences(const comparison *x)
{
    char *length = paf_length_sentence(x->c, x->names), *moved = paf_moved_sentence(x->c, x->names);
    html_add(x->p->out, "<p class=\"strong\">%s</p>\n", length);
    for (char *line = moved, *end; *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        char *one = base_copy_bytes(line, (size_t)(end - line));
        html_add(x->p->out, "<p>%s</p>\n", one);
        free(one);
        if (!*end)
            break;
    }
    for (size_t i = 0; i < x->c->nconditions; i++)
        if (x->c->conditions[i].nabnormal)
            html_add(x->p->out, "<p class=\"bad\">%zu of %zu trials of %s did not end normally</p>\n",
                     x->c->conditions[i].nabnormal, x->c->conditions[i].ntrials, x->names[i]);
    free(length);
    free(moved);
}

static void add_conditions(const comparison *x)
{
    text_add_string(x->p->out,
                    "<div class=\"wide\"><table><thead><tr><th scope=\"col\">Condition</th>"
                    "<th scope=\"col\" class=\"number\">Trials</th><th scope=\"col\" class=\"number\">"
                    "Elapsed</th><th scope=\"col\" class=\"number\">Processor time</th>"
                    "<th scope=\"col\" class=\"number\">Span</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < x->c->nconditions; i++) {
        const store_condition *k = &x->c->conditions[i];
        html_add(x->p->out,
                 "<tr><th scope=\"row\"><span class=\"swatch c%zu\"></span> %s</th><td class=\"number\">%zu"
                 "</td>",
                 i + 1, *k->name ? k->name : "(no keys)", k->ntrials);
        page_figure(x->p, "ns", &k->elapsed);
        page_figure(x->p, "ns", &k->cpu);
        page_figure(x->p, "steps", &k->span);
        text_add_string(x->p->out, "</tr>\n");
    }
    text_add_string(x->p->out, "</tbody></table></div>\n");
}

static void add_choice(page *p, const char *value, const char *now)
{
    html_add(p->out, "<option value=\"%s\"%s>%s</option>", value,
             now && !strcmp(value, now) ? " selected" : "", value);
}

// What is compared, and by what it is sorted.
static void add_form(const comparison *x)
{
    page *p = x->p;
    const char *metric = http_value(p->r, "metric"), *order = http_value(p->r, "rank");
    static const char *const usual[] = {"exclusive", "inclusive", "calls"};
    text_add_string(p->out, "<form action=\"compare\" class=\"line\">");
    page_hidden(p, "application");
    page_hidden(p, "c");
    page_hidden(p, "off");
    text_add_string(p->out, "<label>Figures <select name=\"metric\"><option value=\"\">usual</option>");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add_choice(p, usual[i], metric);
    store_answer *a = page_ask(p, "SELECT name FROM metric ORDER BY name", NULL);
    while (page_next(p, &a))
        add_choice(p, store_answer_text(a, 0), metric);
    text_add_string(p->out,
                    "</select></label> <label>Kind <select name=\"kind\"><option value=\"\">all</option>");
    a = page_ask(
        p,
        "SELECT DISTINCT kind FROM function WHERE application = (SELECT id FROM application WHERE name = "
        ":application) ORDER BY kind",
        "application", x->of->application, NULL);
    while (page_next(p, &a))
        add_choice(p, store_answer_text(a, 0), http_value(p->r, "kind"));
    html_add(p->out,
             "</select></label> <label>Order <input name=\"rank\" value=\"%s\" placeholder=\"m, or an "
             "expression of "
             "SQL\"></label> <button>Apply</button></form>\n",
             order ? order : "");
}

static void add_legend(const comparison *x)
{
    text_add_string(x->p->out,
                    "<div class=\"legend\" role=\"group\" aria-label=\"Conditions that are shown\">");
    for (size_t i = 0; i < x->c->nconditions; i++)
        html_add(x->p->out,
                 "<button type=\"button\" aria-pressed=\"true\" data-column=\"%zu\"><span class=\"swatch "
                 "c%zu\"></span> "
                 "%s</button> ",
                 i + 1, i + 1, x->names[i]);
    text_add_string(x->p->out, "</div>\n");
}

// ---------------------------------------------------------------------------------------------
// The table

static char *function_link(const comparison *x, const store_compared *f)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)f->id);
    char *link = page_link("function", "application", x->of->application, "function", number, NULL);
    return page_keep(x->p, page_keep(x->p, link, "c"), "off");
}

static void add_verdict(page *p, const store_compared *f)
{
    static const char *const words[] = {
        [STORE_NO_TEST] = "", [STORE_NOISE] = "noise", [STORE_DIFFERENT] = "different"};
    bool alone = f->only_slower || f->only_faster;
    const char *word = words[f->test.verdict];
    html_add(p->out, "<td>%s%s%s", word, *word && alone ? ", " : "", alone ? "one side only" : "");
    if (f->test.more && f->difference != 0)
        html_add(p->out, " <span title=\"so many more trials of each would tell\">+%u</span>",
                 f->test.more);
    text_add_string(p->out, "</td>");
}

static void add_number(page *p, double n)
{
    if (isnan(n))
        text_add_string(p->out, "<td class=\"number\">" DASH "</td>");
    else if (isinf(n))
        text_add_string(p->out, "<td class=\"number\">∞</td>");
    else
        html_add(p->out, "<td class=\"number\">%.3g</td>", n);
}

static void add_function(const comparison *x, const store_compared *f)
{
    page *p = x->p;
    char *name = paf_function_text(f), *link = function_link(x, f);
    html_add(p->out, "<tr><th scope=\"row\"><a href=\"%s\">%s</a> <small>%s</small></th>", link, name,
             f->kind);
    bars_begin(p, x->c->nconditions, name);
    for (size_t i = 0; i < x->c->nconditions; i++) {
        char *text = paf_mean_text(x->c->unit, &f->figures[i]);
        char *title = base_format("%s: %s", x->names[i], text);
        bars_add(p, i, &f->figures[i], x->largest, link, title);
        free(title);
        g_free(text);
    }
    bars_end(p);
    for (size_t i = 0; i < x->c->nconditions; i++) {
        char *text = paf_mean_text(x->c->unit, &f->figures[i]);
        html_add(p->out, "<td class=\"number k%zu\">%s</td>", i + 1, text);
        g_free(text);
    }
    page_amount(p, x->c->unit, f->difference);
    add_number(p, f->ratio);
    add_number(p, 100 * f->share);
    page_amount(p, x->c->unit, round(f->order));
    add_verdict(p, f);
    text_add_string(p->out, "</tr>\n");
    free(name);
    free(link);
}

static void add_headings(const comparison *x)
{
    text_add_string(x->p->out, "<thead><tr><th scope=\"col\">Function</th><th scope=\"col\">Bars</th>");
    for (size_t i = 0; i < x->c->nconditions; i++) {
        char order[32];
        snprintf(order, sizeof order, "c%zu", i + 1);
        char *link = page_with(x->p, "rank", order);
        html_add(x->p->out,
                 "<th scope=\"col\" class=\"number k%zu\"><span class=\"swatch c%zu\"></span> "
                 "<a href=\"%s\">%s</a></th>",
                 i + 1, i + 1, link, x->names[i]);
        free(link);
    }
    page_heading(x->p, "difference", "Difference", true, true);
    page_heading(x->p, "ratio", "Ratio", true, true);
    page_heading(x->p, "share", "Share, %", true, true);
    page_heading(x->p, "m", "m", true, true);
    text_add_string(x->p->out, "<th scope=\"col\">Trials say</th></tr></thead><tbody>\n");
}

static void add_more(const comparison *x)
{
    if (x->shown >= x->c->nfunctions)
        return;
    char number[32];
    snprintf(number, sizeof number, "%zu", x->shown * 5);
    char *more = page_with(x->p, "top", number), *all = page_with(x->p, "top", "all");
    html_add(x->p->out, "<p>%zu of %zu functions. <a href=\"%s\">More</a> <a href=\"%s\">All</a></p>\n",
             x->shown, x->c->nfunctions, more, all);
    free(more);
    free(all);
}

static void add_functions(comparison *x)
{
    bool turned = http_value(x->p->r, "rank_turned") != NULL;
    size_t n = x->c->nfunctions;
    for (size_t i = 0; turned && i < n / 2; i++) {
        uint32_t other = x->rows[i];
        x->rows[i] = x->rows[n - 1 - i];
        x->rows[n - 1 - i] = other;
    }
    for (size_t i = 0; i < x->shown; i++)
        for (size_t k = 0; k < x->c->nconditions; k++)
            x->largest = bars_largest(x->largest, &x->c->functions[x->rows[i]].figures[k]);
    if (x->c->nconditions > 2)
        html_add(x->p->out,
                 "<p>Difference, ratio, share and m are of %s and %s, the slowest and the fastest.</p>\n",
                 x->names[x->c->slower], x->names[x->c->faster]);
    text_add_string(x->p->out, "<div class=\"wide\"><table id=\"functions\">");
    add_headings(x);
    for (size_t i = 0; i < x->shown; i++)
        add_function(x, &x->c->functions[x->rows[i]]);
    text_add_string(x->p->out, "</tbody></table></div>\n");
    add_more(x);
}

static void add_messages(const comparison *x)
{
    char *link = page_keep(
        x->p, page_keep(x->p, page_link("messages", "application", x->of->application, NULL), "c"), "off");
    html_add(x->p->out, "<p><a href=\"%s\">Who sent to whom</a>, as a map of each condition</p>\n", link);
    free(link);
}

static void write_page(comparison *x)
{
    const char *top = http_value(x->p->r, "top");
    char *error = NULL, *back = page_link("conditions", "application", x->of->application, NULL);
    const char *order = http_value(x->p->r, "rank");
    x->shown = page_number(x->p, "top") ? (size_t)page_number(x->p, "top") : FIRST;
    if ((top && !strcmp(top, "all")) || x->shown > x->c->nfunctions)
        x->shown = x->c->nfunctions;
    back = page_keep(x->p, page_keep(x->p, back, "c"), "off");
    page_begin(x->p, "Comparison", "./", "Applications", back, x->of->application, NULL);
    if (!store_order(x->c, order && *order ? order : NULL, x->rows, &error)) {
        page_fail(x->p, 400, "%s", error);
    } else {
        add_sentences(x);
        add_conditions(x);
        add_messages(x);
        add_form(x);
        add_legend(x);
        if (!x->p->status)
            add_functions(x);
    }
    page_end(x->p);
    free(error);
    free(back);
}

static const char *unless_empty(const char *text)
{
    return text && *text ? text : NULL;
}

void page_compare(page *p)
{
    compared_conditions of;
    if (!compared_find(p, &of, LEAST_CONDITIONS, MOST_CONDITIONS))
        return;
    // Not the names of the table of conditions, whose form leads here.
    p->order = "rank";
    p->turned = "rank_turned";
    store_leave_out(p->s, of.off, of.noff);
    store_comparison *c =
        store_compare(p->s, of.application, (const char *const *)of.names, of.n,
                      unless_empty(http_value(p->r, "kind")), unless_empty(http_value(p->r, "metric")));
    if (c) {
        comparison x = {.p = p, .of = &of, .c = c};
        x.names = base_allocate(c->nconditions + 1, sizeof *x.names);
        x.rows = base_allocate(c->nfunctions, sizeof *x.rows);
        for (size_t i = 0; i < c->nconditions; i++)
            x.names[i] = paf_condition_name(c, i);
        write_page(&x);
        g_strfreev(x.names);
        free(x.rows);
        store_comparison_free(c);
    } else {
        page_store_failed(p);
    }
    compared_free(&of);
}
