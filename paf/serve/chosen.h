// SPDX-License-Identifier: MIT
//
// chosen: the conditions that an address names: application, `c` for each of them, `off` for runs that are
// left out.
#ifndef PAF_SERVE_CHOSEN_H
#define PAF_SERVE_CHOSEN_H

#include "paf/serve/page.h"

typedef struct {
    const char *application;
    char **names; // of the conditions
    int64_t *ids;
    size_t n;
    int64_t *off;
    size_t noff;
} compared_conditions;

// False, and page_fail() was called, unless the address names `least` to `most` conditions that are there.
bool compared_find(page *p, compared_conditions *ret, size_t least, size_t most);
void compared_free(compared_conditions *c);
bool compared_leaves_out(const compared_conditions *c, int64_t run);

#endif
