// SPDX-License-Identifier: MIT
//
// bars: a cell with a bar for each condition, one below the other; a line shows the deviation.
#ifndef PAF_SERVE_BARS_H
#define PAF_SERVE_BARS_H

#include "paf/serve/page.h"

void bars_begin(page *p, size_t n, const char *label);
// which: the condition, from 0. largest: of all bars that are compared by eye. link: where it leads; may be
// NULL.
void bars_add(page *p, size_t which, const store_figure *f, double largest, const char *link,
              const char *title);
void bars_end(page *p);
double bars_largest(double largest, const store_figure *f); // with this one

#endif
