// SPDX-License-Identifier: MIT
//
// A workflow as a chart of time: a row for each job, or rows for each host, in which jobs that do not
// overlap share a row. Addresses say which stretch of time is shown, so links zoom and pan.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "paf/model/comparison_words.h"
#include "paf/serve/page.h"

enum {
    WIDTH = 900,
    ROW = 14,
    LABELS = 170,
    MOST_ROWS = 300,
    MOST_JOBS = 200000,
    TABLE_ROWS = 50,
    LABEL_LETTERS = 22
};

typedef struct {
    char *name, *host, *status;
    int64_t begins, ends;
    size_t row;
} job;

typedef struct {
    page *p;
    const char *run;
    ARRAY_OF(job) jobs;
    size_t unknown; // without times
    bool by_job;
    int64_t from, to, last;        // that are shown; and the end of all
    ARRAY_OF(const char *) labels; // of rows
} chart;

static int64_t integer(const store_answer *a, int column)
{
    return store_answer_kind(a, column) == STORE_NULL ? -1 : store_answer_integer(a, column);
}

static char *text_of(const store_answer *a, int column)
{
    return base_copy(store_answer_kind(a, column) == STORE_NULL ? "" : store_answer_text(a, column));
}

static void read_jobs(chart *c)
{
    store_answer *a = page_ask(c->p,
                               "SELECT name, host, status, begin_time, end_time FROM job WHERE run = :run "
                               "ORDER BY begin_time, number",
                               "run", c->run, NULL);
    while (page_next(c->p, &a)) {
        int64_t begins = integer(a, 3), ends = integer(a, 4);
        if (begins < 0 || ends < begins || c->jobs.n >= MOST_JOBS) {
            c->unknown++;
            continue;
        }
        ARRAY_PUSH(c->jobs, ((job){text_of(a, 0), text_of(a, 1), text_of(a, 2), begins, ends, 0}));
        c->last = ends > c->last ? ends : c->last;
    }
}

static void choose_stretch(chart *c)
{
    const char *from = http_value(c->p->r, "from"), *to = http_value(c->p->r, "to");
    c->from = from ? strtoll(from, NULL, 10) : 0;
    c->to = to ? strtoll(to, NULL, 10) : c->last;
    if (c->from < 0 || c->from >= c->last)
        c->from = 0;
    if (c->to <= c->from || c->to > c->last)
        c->to = c->last;
}

// ---------------------------------------------------------------------------------------------
// Rows

static int by_host(const void *x, const void *y, void *data)
{
    const job *jobs = data, *a = &jobs[*(const size_t *)x], *b = &jobs[*(const size_t *)y];
    int hosts = strcmp(a->host, b->host);
    return hosts                    ? hosts
           : a->begins != b->begins ? (a->begins < b->begins ? -1 : 1)
                                    : (*(const size_t *)x < *(const size_t *)y ? -1 : 1);
}

// Ends of the rows of a host, as a heap with the earliest on top: each job takes the row that is free
// first.
typedef struct {
    int64_t end;
    size_t row;
} lane;

static void sink(lane *lanes, size_t n)
{
    for (size_t i = 0, k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && lanes[k + 1].end < lanes[k].end;
        if (lanes[i].end <= lanes[k].end)
            return;
        lane other = lanes[i];
        lanes[i] = lanes[k];
        lanes[k] = other;
    }
}

static void rise(lane *lanes, size_t i)
{
    for (size_t up; i > 0 && lanes[up = (i - 1) / 2].end > lanes[i].end; i = up) {
        lane other = lanes[i];
        lanes[i] = lanes[up];
        lanes[up] = other;
    }
}

static void place_by_host(chart *c)
{
    size_t n = c->jobs.n, nlanes = 0;
    size_t *order = base_allocate(n, sizeof *order);
    lane *lanes = base_allocate(n, sizeof *lanes);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    if (n)
        qsort_r(order, n, sizeof *order, by_host, c->jobs.at);
    for (size_t i = 0; i < n; i++) {
        job *j = &c->jobs.at[order[i]];
        if (i > 0 && strcmp(j->host, c->jobs.at[order[i - 1]].host))
            nlanes = 0;
        if (nlanes > 0 && lanes[0].end <= j->begins) {
            j->row = lanes[0].row;
            lanes[0].end = j->ends;
            sink(lanes, nlanes);
        } else {
            j->row = c->labels.n;
            ARRAY_PUSH(c->labels, nlanes ? "" : *j->host ? j->host : "(one machine)");
            lanes[nlanes] = (lane){j->ends, j->row};
            rise(lanes, nlanes++);
        }
    }
    free(order);
    free(lanes);
}

static void place_by_job(chart *c)
{
    for (size_t i = 0; i < c->jobs.n; i++) {
        job *j = &c->jobs.at[i];
        j->row = SIZE_MAX;
        if (j->ends < c->from || j->begins > c->to)
            continue;
        j->row = c->labels.n;
        ARRAY_PUSH(c->labels, j->name);
    }
}

// ---------------------------------------------------------------------------------------------
// Picture

static double x_of(const chart *c, int64_t t)
{
    double share = c->to > c->from ? (double)(t - c->from) / (double)(c->to - c->from) : 0;
    return LABELS + fmin(1, fmax(0, share)) * (WIDTH - LABELS);
}

static char *span_text(const job *j)
{
    char *begins = paf_store_amount("ns", (double)j->begins),
         *takes = paf_store_amount("ns", (double)(j->ends - j->begins));
    char *text = base_format("%s%s%s: begins at %s, takes %s%s%s", j->name, *j->host ? " on " : "", j->host,
                             begins, takes, *j->status ? ", " : "", j->status);
    g_free(begins);
    g_free(takes);
    return text;
}

static bool is_good(const job *j)
{
    return !*j->status || !strcmp(j->status, "0") || !g_ascii_strcasecmp(j->status, "completed") ||
           !g_ascii_strcasecmp(j->status, "done");
}

static void draw_axis(const chart *c, size_t height)
{
    for (int i = 0; i <= 4; i++) {
        int64_t t = c->from + (c->to - c->from) / 4 * i;
        char *text = paf_store_amount("ns", (double)t);
        double x = x_of(c, t);
        html_add(c->p->out,
                 "<path class=\"grid\" d=\"M%.1f 0V%zu\"/><text class=\"tick\" x=\"%.1f\" y=\"%zu\" "
                 "text-anchor=\"%s\">%s</text>",
                 x, height, x, height + 12,
                 i == 0   ? "start"
                 : i == 4 ? "end"
                          : "middle",
                 text);
        g_free(text);
    }
}

// A job that is less than a pixel after the one that was drawn before in its row is not drawn: nobody sees
// it.
static void draw_jobs(const chart *c, size_t rows)
{
    double *drawn = base_allocate(rows, sizeof *drawn);
    for (size_t i = 0; i < c->jobs.n; i++) {
        const job *j = &c->jobs.at[i];
        if (j->row >= rows || j->ends < c->from || j->begins > c->to)
            continue;
        double x = x_of(c, j->begins), end = fmax(x_of(c, j->ends), x + 0.7);
        if (end < drawn[j->row] + 0.4)
            continue;
        drawn[j->row] = end;
        char *text = span_text(j);
        html_add(
            c->p->out,
            "<rect class=\"%s\" x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>",
            is_good(j) ? "job" : "job failed", x, j->row * ROW + 1, end - x, ROW - 2, text);
        free(text);
    }
    free(drawn);
}

static char *short_label(const char *text)
{
    glong n = g_utf8_validate(text, -1, NULL) ? g_utf8_strlen(text, -1) : 0;
    if (n <= LABEL_LETTERS)
        return base_copy(text);
    const char *rest = g_utf8_offset_to_pointer(text, n - LABEL_LETTERS + 1);
    return base_format("…%s", rest);
}

static void draw(const chart *c)
{
    size_t rows = c->labels.n < MOST_ROWS ? c->labels.n : MOST_ROWS, height = rows * ROW;
    html_add(c->p->out,
             "<div class=\"wide\"><svg class=\"chart\" width=\"%d\" height=\"%zu\" viewBox=\"0 0 %d %zu\" "
             "role=\"img\" "
             "aria-label=\"%zu jobs over time; the longest are in the table below\">",
             WIDTH, height + 18, WIDTH, height + 18, c->jobs.n);
    draw_axis(c, height);
    for (size_t i = 0; i < rows; i++) {
        char *label = short_label(c->labels.at[i]);
        html_add(c->p->out, "<text class=\"label\" x=\"0\" y=\"%zu\">%s</text>", i * ROW + ROW - 4, label);
        free(label);
    }
    draw_jobs(c, rows);
    text_add_string(c->p->out, "</svg></div>\n");
    if (rows < c->labels.n)
        html_add(c->p->out, "<p>%zu of %zu rows; a shorter stretch of time has fewer.</p>\n", rows,
                 c->labels.n);
}

// ---------------------------------------------------------------------------------------------
// Around the picture

static void add_zoom(const chart *c, const char *text, double from, double to)
{
    char a[32], b[32];
    double length = fmin(to - from, (double)c->last);
    from = fmax(0, fmin(from, (double)c->last - length));
    snprintf(a, sizeof a, "%lld", (long long)from);
    snprintf(b, sizeof b, "%lld", (long long)(from + length));
    char *link = page_link("jobs", "run", c->run, "by", c->by_job ? "job" : NULL, "from", a, "to", b, NULL);
    html_add(c->p->out, "<a href=\"%s\">%s</a> ", link, text);
    free(link);
}

static void add_controls(const chart *c)
{
    double length = (double)(c->to - c->from), from = (double)c->from, to = (double)c->to;
    char *other = page_with(c->p, "by", c->by_job ? NULL : "job");
    html_add(c->p->out, "<p class=\"line\"><a href=\"%s\">%s</a> · ", other,
             c->by_job ? "By host" : "By job");
    add_zoom(c, "Earlier", from - length / 2, to - length / 2);
    add_zoom(c, "Later", from + length / 2, to + length / 2);
    if (length >= 8)
        add_zoom(c, "Zoom in", from + length / 4, to - length / 4);
    add_zoom(c, "Zoom out", from - length / 2, to + length / 2);
    add_zoom(c, "All", 0, (double)c->last);
    text_add_string(c->p->out, "</p>\n");
    free(other);
}

static int by_length(const void *x, const void *y)
{
    const job *a = x, *b = y;
    int64_t i = a->ends - a->begins, k = b->ends - b->begins;
    return i > k ? -1 : i < k ? 1 : strcmp(a->name, b->name);
}

// The longest jobs; sorts them all.
static void add_table(chart *c)
{
    if (c->jobs.n)
        qsort(c->jobs.at, c->jobs.n, sizeof *c->jobs.at, by_length);
    text_add_string(c->p->out,
                    "<h2>Longest jobs</h2><div class=\"wide\"><table><thead><tr><th scope=\"col\">Job</th>"
                    "<th scope=\"col\">Host</th><th scope=\"col\">Status</th><th scope=\"col\" "
                    "class=\"number\">Begins</th><th scope=\"col\" class=\"number\">Takes</th></tr></thead>"
                    "<tbody>\n");
    for (size_t i = 0; i < c->jobs.n && i < TABLE_ROWS; i++) {
        const job *j = &c->jobs.at[i];
        html_add(c->p->out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td>", j->name, j->host,
                 j->status);
        page_amount(c->p, "ns", (double)j->begins);
        page_amount(c->p, "ns", (double)(j->ends - j->begins));
        text_add_string(c->p->out, "</tr>\n");
    }
    text_add_string(c->p->out, "</tbody></table></div>\n");
}

void page_jobs(page *p)
{
    const char *by = http_value(p->r, "by");
    chart c = {.p = p, .run = http_value(p->r, "run"), .by_job = by && !strcmp(by, "job")};
    if (!page_number(p, "run")) {
        page_fail(p, 404, "The address names no run.");
        return;
    }
    char *title = base_format("Jobs of run %s", c.run), *back = page_link("run", "run", c.run, NULL);
    page_begin(p, title, "./", "Applications", back, "Run", NULL);
    read_jobs(&c);
    choose_stretch(&c);
    if (!p->status && c.jobs.n) {
        (c.by_job ? place_by_job : place_by_host)(&c);
        add_controls(&c);
        draw(&c);
        if (c.unknown)
            html_add(p->out, "<p>%zu more jobs have not begun or not ended, or are too many.</p>\n",
                     c.unknown);
        add_table(&c);
    } else if (!p->status) {
        text_add_string(p->out, "<p>No job with its times was recorded.</p>\n");
    }
    page_end(p);
    for (size_t i = 0; i < c.jobs.n; i++)
        free(c.jobs.at[i].name), free(c.jobs.at[i].host), free(c.jobs.at[i].status);
    free(c.jobs.at);
    free(c.labels.at);
    free(title);
    free(back);
}
