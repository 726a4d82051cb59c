// SPDX-License-Identifier: MIT
//
// The trace of a run, or one that was named beside the store: what was found in it, and a part of a source.
// The file that a store names is only read if it is the one that was added: its digest says so.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotree/findings.h"
#include "iotree/iotree.h"
#include "paf/say/numbers.h"
#include "paf/serve/page.h"
#include "profiler/summary.h"
#include "profiler/trace_reader.h"

enum { MOST_REDUCTIONS = 5000000, LINES_AROUND = 12 };

// The path of the trace that the address means; NULL and page_fail(). malloc'ed.
static char *find_path(page *p)
{
    int64_t file = page_number(p, "file");
    if (file > 0 && (size_t)file <= p->nfiles)
        return base_copy(p->files[file - 1]);
    if (!page_number(p, "run")) {
        page_fail(p, 404, "The address names no run.");
        return NULL;
    }
    char *path = NULL, *digest = NULL, *error = NULL;
    store_answer *a = page_ask(p, "SELECT path, digest FROM run WHERE id = :run AND path IS NOT NULL",
                               "run", http_value(p->r, "run"), NULL);
    while (page_next(p, &a))
        if (!path) {
            path = base_copy(store_answer_text(a, 0));
            digest = base_copy(store_answer_text(a, 1));
        }
    store_run *now = store_run_create("", "");
    if (!path)
        page_fail(p, 404, "The run has no trace.");
    else if (!store_run_stamp(now, path, &error))
        page_fail(p, 404, "The trace is not where it was: %s", error);
    else if (strcmp(now->digest, digest))
        page_fail(p, 404, "%s is not the trace any more that was added.", path);
    if (p->status) {
        free(path);
        path = NULL;
    }
    store_run_destroy(now);
    free(digest);
    free(error);
    return path;
}

static void begin(page *p, const char *title)
{
    const char *run = http_value(p->r, "run");
    char *back = run ? page_link("run", "run", run, NULL) : NULL;
    if (back)
        page_begin(p, title, "./", "Applications", back, "Run", NULL);
    else
        page_begin(p, title, "./", "Applications", NULL);
    free(back);
}

static bool go_on(void *data, double fraction)
{
    (void)fraction;
    return !http_is_abandoned(data);
}

static void add_findings(page *p, const iot *a)
{
    uint32_t n = iot_nfindings(a, false);
    char *summary = paf_run_summary(a);
    html_add(p->out, "<p class=\"strong\">%s</p>\n<h2>Findings</h2>\n", summary);
    g_free(summary);
    if (!n)
        text_add_string(p->out, "<p>No change was found that saves 5 % or more.</p>");
    text_add_string(p->out, "<ol>");
    for (uint32_t i = 0; i < n; i++) {
        const iot_finding *f = iot_get_finding(a, false, i);
        html_add(p->out, "<li>%s", f->text);
        if (*f->advice)
            html_add(p->out, "<p>Change: %s</p>", f->advice);
        text_add_string(p->out, "</li>\n");
    }
    text_add_string(p->out, "</ol>\n");
}

static void add_history(page *p, const trace *t)
{
    if (trace_nreductions(t) == 0) {
        text_add_string(p->out,
                        "<p>The file holds totals and no history: they are on the page of the run.</p>");
        return;
    }
    if (trace_nreductions(t) > MOST_REDUCTIONS) {
        text_add_string(p->out,
                        "<p>The history is too long for a page: <code>paf FILE</code> opens it.</p>");
        return;
    }
    iot_partition *partition = iot_partition_default(t);
    iot *a = iot_analyse(t, partition, go_on, (void *)(uintptr_t)p->r);
    if (a)
        add_findings(p, a);
    else
        page_fail(p, 503, "It was cancelled.");
    iot_destroy(a);
    iot_partition_destroy(partition);
}

void page_trace(page *p)
{
    char *path = find_path(p), *error = NULL;
    trace *t = path ? trace_open(path, NULL, NULL, &error) : NULL;
    if (t) {
        begin(p, "Trace");
        html_add(p->out, "<p>%s</p>\n", path);
        if (error)
            html_add(p->out, "<p class=\"bad\">%s</p>\n", error);
        add_history(p, t);
        page_end(p);
        trace_close(t);
    } else if (path) {
        page_fail(p, 404, "%s", error ? error : path);
    }
    free(error);
    free(path);
}

// ---------------------------------------------------------------------------------------------
// Source

static void add_lines(page *p, const char *text, int64_t line)
{
    int64_t at = 1;
    text_add_string(p->out, "<pre class=\"source\">");
    for (const char *from = text; *from && at <= line + LINES_AROUND; at++) {
        size_t n = strcspn(from, "\n");
        if (at >= line - LINES_AROUND) {
            char *one = base_copy_bytes(from, n);
            text_add_string(p->out, at == line ? "<mark>" : "");
            html_add(p->out, "<span class=\"line-number\">%5lld</span>  %s\n", (long long)at, one);
            text_add_string(p->out, at == line ? "</mark>" : "");
            free(one);
        }
        from += n + (from[n] == '\n');
    }
    text_add_string(p->out, "</pre>\n");
}

static const char *source_text(const trace *t, const char *file)
{
    for (uint32_t i = 0; i < trace_nsources(t); i++) {
        const trace_source *source = trace_get_source(t, i);
        if (!strcmp(trace_name(t, source->name), file))
            return trace_name(t, source->text);
    }
    return NULL;
}

// Where the function stands in this run. file: malloc'ed, NULL if that is not known.
static int64_t find_line(page *p, char **ret_file)
{
    int64_t line = 0;
    store_answer *a =
        page_ask(p, "SELECT file, line FROM function_place WHERE run = :run AND function = :function",
                 "run", http_value(p->r, "run"), "function", http_value(p->r, "function"), NULL);
    *ret_file = NULL;
    while (page_next(p, &a)) {
        free(*ret_file);
        *ret_file = base_copy(store_answer_text(a, 0));
        line = store_answer_integer(a, 1);
    }
    return line;
}

void page_source(page *p)
{
    char *file = NULL, *title = NULL;
    if (!page_number(p, "run") || !page_number(p, "function")) {
        page_fail(p, 404, "The address names no function of a run.");
        return;
    }
    int64_t line = find_line(p, &file);
    char *path = file ? find_path(p) : NULL;
    trace *t = path ? trace_open_tables(path) : NULL;
    const char *text = t ? source_text(t, file) : NULL;
    if (!file)
        page_fail(p, 404, "Where the function stands in this run is not known.");
    if (!p->status) {
        title = base_format("%s:%lld", file, (long long)line);
        begin(p, title);
        if (text)
            add_lines(p, text, line);
        else
            text_add_string(p->out, "<p>The trace does not have this source.</p>\n");
        page_end(p);
    }
    if (t)
        trace_close(t);
    free(title);
    free(path);
    free(file);
}
