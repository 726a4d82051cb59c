// SPDX-License-Identifier: MIT
//
// page: what the pages share. A page writes its text to `out` between page_begin() and page_end().
#ifndef PAF_SERVE_PAGE_H
#define PAF_SERVE_PAGE_H

#include "paf/http/html.h"
#include "paf/http/server.h"
#include "store/comparison.h"
#include "store/query.h"

typedef struct {
    const http_request *r;
    store *s;
    const char *const *files;
    size_t nfiles;
    base_text *out;
    const char *order, *turned; // parameters that sort the page's table
    int status;                 // 0: all is well
    char *policy;               // see http_answer
    bool passing;               // not to be kept
} page;

// title: of the page. The way here: pairs of an address and a text, NULL after the last one.
void page_begin(page *p, const char *title, ...) __attribute__((sentinel));
void page_end(page *p);
// Takes back what was written; the page says instead what is wrong.
void page_fail(page *p, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The same with the store's error.
void page_store_failed(page *p);

// ---- Parameters and addresses

// The number of a parameter, from 1 on; 0 if it is none.
int64_t page_number(const page *p, const char *name);
// All numbers of parameters of this name. free().
int64_t *page_numbers(const page *p, const char *name, size_t *ret_n);
// The address of a page with parameters: pairs of a name and a value (NULL: left out), NULL after the last
// one. To be escaped like any text. free().
char *page_link(const char *path, ...) __attribute__((sentinel));
// This page with another value of one parameter; NULL: without it. free().
char *page_with(const page *p, const char *name, const char *value);
// Adds all parameters of this name to an address that page_link() made.
char *page_keep(const page *p, char *link, const char *name);
// The same as fields of a form that nobody sees.
void page_hidden(page *p, const char *name);

// ---- Answers of the store

// A question with parameters: pairs of a name and a value, NULL after the last one. NULL:
// page_store_failed() was called.
store_answer *page_ask(page *p, const char *question, ...) __attribute__((sentinel));
// The next row; false after the last one, and then the answer has ended, and if it was an error
// page_failed() is true.
bool page_next(page *p, store_answer **a);

// ---- Cells

// The heading of a column by which rows are sorted: a link. down: largest first.
void page_heading(page *p, const char *order, const char *text, bool number, bool down);
void page_amount(page *p, const char *unit, double n); // a cell; NaN: a dash
void page_figure(page *p, const char *unit, const store_figure *f);

#define DASH "–"

// ---- Pages

void page_applications(page *p);
void page_conditions(page *p);
void page_compare(page *p);
void page_messages(page *p);
void page_function(page *p);
void page_run(page *p);
void page_trace(page *p);
void page_source(page *p);
void page_jobs(page *p);
void page_accesses(page *p);
void page_sql(page *p);

#endif
