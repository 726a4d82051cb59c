// SPDX-License-Identifier: MIT
//
// words: numbers and things as a reader expects to see them written.
#ifndef PAF_WORDS_H
#define PAF_WORDS_H

#include "iotree/iotree.h"

#include <glib.h>

// "12,345". All results are to be freed with g_free().
char *paf_number(uint64_t n);
// The same where room is scarce: "9,999", "12k", "3.4M".
char *paf_short_number(uint64_t n);
// "1 process", "12 processes": `one` and `many` are the nouns.
char *paf_count(uint64_t n, const char *one, const char *many);
// Of a whole, in per cent: a whole number unless that would say "none" or "all" ("0.3 %").
char *paf_percent(double part, double whole);
// "12,345 steps" or "1.25 ms", by the clock of the trace.
char *paf_duration(const trace *t, int64_t time);
// A time on the axis, short.
char *paf_moment(const trace *t, int64_t time);

char *paf_predicate_name(const trace *t, uint32_t predicate); // "upd/5"
// "ideal machine - 279 reductions - span 66 - parallelism 4.2"
char *paf_run_summary(const iot *a);
// "bestpath-a.fl:15" of a reduction's clause, or "built-in".
char *paf_reduction_place(const trace *t, uint32_t reduction);

#endif
