// SPDX-License-Identifier: MIT
#include "paf/serve/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paf/model/comparison_words.h"

#include <glib.h>

static void frame(page *p, const char *title)
{
    html_add(p->out,
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s – Paf</title>\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
             "<meta name=\"color-scheme\" content=\"light dark\">"
             "<link rel=\"stylesheet\" href=\"style.css\"><link rel=\"icon\" href=\"icon.svg\">"
             "<script src=\"script.js\" defer></script></head>\n"
             "<body><a class=\"skip\" href=\"#main\">To the content</a>\n"
             "<header><nav aria-label=\"Pages\"><a href=\"./\">Applications</a> <a "
             "href=\"sql\">SQL</a></nav></header>\n",
             title);
}

void page_begin(page *p, const char *title, ...)
{
    va_list way;
    const char *address;
    frame(p, title);
    text_add_string(p->out, "<main id=\"main\">\n");
    va_start(way, title);
    for (bool first = true; (address = va_arg(way, const char *)); first = false)
        html_add(p->out, "%s<a href=\"%s\">%s</a>", first ? "" : " / ", address, va_arg(way, const char *));
    va_end(way);
    html_add(p->out, "<h1>%s</h1>\n", title);
}

void page_end(page *p)
{
    if (!p->status)
        text_add_string(p->out, "</main></body></html>\n");
}

void page_fail(page *p, int status, const char *format, ...)
{
    va_list arguments;
    base_text why = {0};
    if (p->status)
        return; // the first error is the one that counts
    va_start(arguments, format);
    text_add_arguments(&why, format, arguments);
    va_end(arguments);
    p->out->n = 0;
    frame(p, status == 404 ? "Not found" : "No answer");
    html_add(p->out,
             "<main id=\"main\"><h1>%s</h1>\n<p class=\"bad\" role=\"alert\">%s</p></main></body></html>\n",
             status == 404 ? "Not found" : "No answer", text_finish(&why));
    p->status = status;
    p->passing = true;
    free(why.at);
}

void page_store_failed(page *p)
{
    page_fail(p, 400, "%s", store_error(p->s));
}

// ---------------------------------------------------------------------------------------------
// Parameters and addresses

static int64_t number_of(const char *text)
{
    char *end;
    long long n = text && *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : 0;
    return n > 0 && !*end ? n : 0;
}

int64_t page_number(const page *p, const char *name)
{
    return number_of(http_value(p->r, name));
}

int64_t *page_numbers(const page *p, const char *name, size_t *ret_n)
{
    int64_t *numbers = base_allocate(p->r->nparameters, sizeof *numbers);
    *ret_n = 0;
    for (size_t i = 0; i < p->r->nparameters; i++)
        if (!strcmp(p->r->parameters[i].name, name) && number_of(p->r->parameters[i].value))
            numbers[(*ret_n)++] = number_of(p->r->parameters[i].value);
    return numbers;
}

static void add_parameter(base_text *link, const char *name, const char *value)
{
    text_add_char(link, memchr(link->at, '?', link->n) ? '&' : '?');
    html_add_part(link, name);
    text_add_char(link, '=');
    html_add_part(link, value);
}

char *page_link(const char *path, ...)
{
    base_text link = {0};
    va_list pairs;
    const char *name;
    text_add_string(&link, path);
    va_start(pairs, path);
    while ((name = va_arg(pairs, const char *))) {
        const char *value = va_arg(pairs, const char *);
        if (value)
            add_parameter(&link, name, value);
    }
    va_end(pairs);
    return text_finish(&link);
}

char *page_with(const page *p, const char *name, const char *value)
{
    base_text link = {0};
    text_add_string(&link, *p->r->path ? p->r->path : "./");
    for (size_t i = 0; i < p->r->nparameters; i++)
        if (strcmp(p->r->parameters[i].name, name))
            add_parameter(&link, p->r->parameters[i].name, p->r->parameters[i].value);
    if (value)
        add_parameter(&link, name, value);
    return text_finish(&link);
}

char *page_keep(const page *p, char *link, const char *name)
{
    base_text more = {0};
    text_add_string(&more, link);
    for (size_t i = 0; i < p->r->nparameters; i++)
        if (!strcmp(p->r->parameters[i].name, name))
            add_parameter(&more, name, p->r->parameters[i].value);
    free(link);
    return text_finish(&more);
}

void page_hidden(page *p, const char *name)
{
    for (size_t i = 0; i < p->r->nparameters; i++)
        if (!strcmp(p->r->parameters[i].name, name))
            html_add(p->out, "<input type=\"hidden\" name=\"%s\" value=\"%s\">", name,
                     p->r->parameters[i].value);
}

// ---------------------------------------------------------------------------------------------
// Answers

enum { MOST_VALUES = 8 };

store_answer *page_ask(page *p, const char *question, ...)
{
    store_key values[MOST_VALUES];
    size_t n = 0;
    va_list pairs;
    va_start(pairs, question);
    for (const char *name; (name = va_arg(pairs, const char *)) && n < MOST_VALUES; n++)
        values[n] = (store_key){(char *)(uintptr_t)name, (char *)(uintptr_t)va_arg(pairs, const char *)};
    va_end(pairs);
    store_answer *a = p->status ? NULL : store_ask(p->s, question, values, n, 30);
    if (!a)
        page_store_failed(p);
    return a;
}

bool page_next(page *p, store_answer **a)
{
    if (*a && !p->status && store_answer_next(*a))
        return true;
    if (*a && store_answer_error(*a))
        page_fail(p, 400, "%s", store_answer_error(*a));
    if (*a)
        store_answer_end(*a);
    *a = NULL;
    return false;
}

// ---------------------------------------------------------------------------------------------
// Cells

// This page sorted by a column, or by the same one the other way round.
static char *sorted_link(const page *p, const char *order, bool turned)
{
    http_parameter *parameters = base_allocate(p->r->nparameters + 1, sizeof *parameters);
    http_request r = {.path = p->r->path, .parameters = parameters};
    const page other = {.r = &r};
    for (size_t i = 0; i < p->r->nparameters; i++)
        if (strcmp(p->r->parameters[i].name, p->turned))
            parameters[r.nparameters++] = p->r->parameters[i];
    if (turned)
        parameters[r.nparameters++] = (http_parameter){p->turned, "1"};
    char *link = page_with(&other, p->order, order);
    free(parameters);
    return link;
}

void page_heading(page *p, const char *order, const char *text, bool number, bool down)
{
    const char *now = http_value(p->r, p->order);
    bool here = now && !strcmp(now, order), turned = here && http_value(p->r, p->turned);
    char *link = sorted_link(p, order, here && !turned);
    bool falls = here && (down != turned);
    html_add(p->out, "<th scope=\"col\"%s%s><a href=\"%s\">%s</a>%s</th>", number ? " class=number" : "",
             !here   ? ""
             : falls ? " aria-sort=descending"
                     : " aria-sort=ascending",
             link, text,
             !here   ? ""
             : falls ? " ▾"
                     : " ▴");
    free(link);
}

void page_amount(page *p, const char *unit, double n)
{
    char *text = isnan(n) || isinf(n) ? g_strdup(isnan(n) ? DASH
                                                 : n > 0  ? "∞"
                                                          : "−∞")
                                      : paf_store_amount(unit, n);
    html_add(p->out, "<td class=\"number\">%s</td>", text);
    g_free(text);
}

void page_figure(page *p, const char *unit, const store_figure *f)
{
    char *text = isnan(f->mean) ? g_strdup(DASH) : paf_mean_text(unit, f);
    html_add(p->out, "<td class=\"number\">%s</td>", text);
    g_free(text);
}
