// SPDX-License-Identifier: MIT
//
// Lines, words and numbers of a report (private to the importers).
#ifndef KPX_IMPORT_PRIVATE_H
#define KPX_IMPORT_PRIVATE_H

#include "kpx-bridge/reports/import.h"
#include "base/table.h"

enum { KPX_MOST_WORDS = 24 };

// A report that is being read. Words point into `text`.
typedef struct {
    const char *bytes, *at, *end;
    uint32_t line;
    char *text;
    size_t capacity;
    char *words[KPX_MOST_WORDS];
    uint32_t n;       // number of words; further words of a line are ignored
    char half[64];    // a word that was split from another one
    kpx_totals *totals;
    char *error;
} kpx_reading;

void kpx_rewind(kpx_reading *r);
bool kpx_next_line(kpx_reading *r); // false at the end
bool kpx_bad_line(kpx_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool kpx_has(const kpx_reading *r, const char *text); // the line contains it
bool kpx_is_title(const kpx_reading *r); // of a table of ktool: it has `<<<`
// Whether the line has no data: blank, a rule, a remark.
bool kpx_is_remark(const kpx_reading *r);

// A word as a number. `what` names the column in the error. `-` and stars are KPX_UNOBSERVED.
bool kpx_get_count(kpx_reading *r, const char *word, const char *what, int64_t *ret);
// 0: unobserved.
bool kpx_get_small(kpx_reading *r, const char *word, const char *what, uint32_t *ret);
// A number with decimals, times 10^power.
bool kpx_get_decimal(kpx_reading *r, const char *word, const char *what, int power, int64_t *ret);
const char *kpx_get_name(const char *word); // NULL for `-`
// A source without its folder: the text of what has that name here becomes part of the trace, and a
// report must not choose what that is.
const char *kpx_get_file(const char *word);

bool kpx_import_ktool(kpx_reading *r);
bool kpx_import_mtool(kpx_reading *r);

#endif
