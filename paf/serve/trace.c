// SPDX-License-Identifier: MIT
//
// The trace of a run, or one that was named beside the store: its page, and a part of a source.
// The file that a store names is only read if it is the one that was added: its digest says so.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotree/iotree.h"
#include "paf/model/model.h"
#include "paf/page/page.h"
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

// One trace at a time: an analysis takes as much memory as the process may have.
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

// The page that `paf export` writes, with a way back.
static void write_run(page *p, paf_model *m, const char *path)
{
    const char *run = http_value(p->r, "run"), *slash = strrchr(path, '/');
    const paf_page_run r = {m, slash ? slash + 1 : path};
    char *back = run ? page_link("run", "run", run, NULL) : base_copy("./");
    const paf_page_options options = {.back = back, .back_text = run ? "Run" : "Applications"};
    paf_page_write(p->out, &r, 1, &options);
    p->policy = base_format("%s; frame-ancestors 'none'", paf_page_policy());
    free(back);
}

static void tell(page *p, const char *path, const char *what)
{
    begin(p, "Trace");
    html_add(p->out, "<p>%s</p>\n<p>%s</p>\n", path, what);
    page_end(p);
}

static void write_history(page *p, const trace *t, const char *path)
{
    iot_partition *partition = iot_partition_default(t);
    iot *a = iot_analyse(t, partition, go_on, (void *)(uintptr_t)p->r);
    paf_model *m = a ? paf_model_create(a, go_on, (void *)(uintptr_t)p->r) : NULL;
    if (m)
        write_run(p, m, path);
    else
        page_fail(p, 503, "It was cancelled.");
    if (m)
        paf_model_destroy(m);
    iot_destroy(a);
    iot_partition_destroy(partition);
}

static void write_trace(page *p, const char *path)
{
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    if (!t)
        page_fail(p, 404, "%s", error ? error : path);
    else if (trace_nreductions(t) == 0)
        tell(p, path, "The file holds totals and no history: they are on the page of the run.");
    else if (trace_nreductions(t) > MOST_REDUCTIONS)
        tell(p, path, "The history is too long for a page: `paf FILE` opens it.");
    else if (error)
        tell(p, path, error);
    else
        write_history(p, t, path);
    if (t)
        trace_close(t);
    free(error);
}

void page_trace(page *p)
{
    char *path = find_path(p);
    if (path) {
        pthread_mutex_lock(&one);
        write_trace(p, path);
        pthread_mutex_unlock(&one);
    }
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
            char *text_of_line = base_copy_bytes(from, n);
            text_add_string(p->out, at == line ? "<mark>" : "");
            html_add(p->out, "<span class=\"line-number\">%5lld</span>  %s\n", (long long)at, text_of_line);
            text_add_string(p->out, at == line ? "</mark>" : "");
            free(text_of_line);
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
