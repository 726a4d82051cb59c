// SPDX-License-Identifier: MIT
//
// page: one page in HTML of one run or of two. Everything is within it: its data as JSON, one style and
// one script. Its policy admits these two by their hashes, and nothing from elsewhere.
//
// A server that makes its own pages can use the style (paf_page_style), the policy (paf_page_policy()) and
// the escaping (paf_page_escape()).
#ifndef PAF_PAGE_H
#define PAF_PAGE_H

#include "base/text.h"
#include "paf/model/model.h"

#include <jansson.h>

typedef struct {
    const char *text;
    size_t length;
    const char *hash; // "sha256-...", for a policy
} paf_page_part;

extern const paf_page_part paf_page_style, paf_page_script;

typedef struct {
    paf_model *m; // complete
    const char *title; // the file's name
} paf_page_run;

typedef struct {
    const char *back, *back_text; // a link at the top of the page, or NULL
    // Of two runs: what `paf compare --json` says of the findings of the first one, or NULL. Borrowed.
    json_t *comparison;
} paf_page_options;

// Appends the page of n runs, 1 or 2. Real time is made part of a model that can have it.
void paf_page_write(base_text *out, const paf_page_run *runs, uint32_t n, const paf_page_options *options);

// For the header Content-Security-Policy; within pages of files it is in a meta element. Static.
const char *paf_page_policy(void);
// Appends a text for an element or an attribute in double quotes: valid UTF-8, whatever it was, without
// control characters.
void paf_page_escape(base_text *out, const char *text);

#endif
