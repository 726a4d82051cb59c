// SPDX-License-Identifier: MIT
//
// `paf export -o FILE.html`: one run, or two compared, as a page.
#ifndef PAF_EXPORT_PAGE_H
#define PAF_EXPORT_PAGE_H

#include <stdio.h>

#include "paf/model/model.h"

typedef struct {
    const char *path;
    trace *t;
    iot *a;
    paf_model *m; // complete
} paf_page_source;

// n: 1 or 2.
void paf_export_page(const paf_page_source *sources, int n, FILE *file);

#endif
