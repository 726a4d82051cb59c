// SPDX-License-Identifier: MIT
//
// numbers: numbers, times, terms and places in the source as a reader expects to see them written.
// Every text that is returned is freed with g_free().
#ifndef PAF_NUMBERS_H
#define PAF_NUMBERS_H

#include "iotree/iotree.h"

#include <glib.h>

// "12,345".
char *paf_number(uint64_t n);
// A sentence of iotree's for reading: its counts have their thousands separated. Numbers in terms
// ("X - 100000"), in places (a.fl:1000) and in names stay as they are.
char *paf_sentence(const char *text);
// A number in little room: "9,999", "12k", "3.4M".
char *paf_short_number(uint64_t n);
// "1 process", "12 processes": `one` and `many` are the nouns.
char *paf_count(uint64_t n, const char *one, const char *many);
// A share in per cent, as a whole number unless that would say "none" or "all": "0.3 %", "< 0.1 %".
char *paf_percent(double part, double whole);
char *paf_duration(const trace *t, int64_t time); // "12,345 steps"
char *paf_work(const trace *t, uint64_t work);    // "3 reductions"; of a measured run: time
// For tables of text: "12345" steps or reductions; of a measured run time: "12.3 µs".
char *paf_amount(const trace *t, int64_t n);
char *paf_nanoseconds(int64_t n);              // "12.3 µs", "0"
char *paf_moment(const trace *t, int64_t time); // a time on the axis: "12,345"
// The same by a clock: steps, or nanoseconds as "12.3 ms". A tick is exact, for round numbers.
char *paf_tick_by(const trace *t, iot_clock clock, int64_t time);
// In nanoseconds, of a run that takes so long.
char *paf_tick_of(int64_t whole, int64_t time);
char *paf_moment_by(const trace *t, iot_clock clock, int64_t time);
char *paf_duration_by(const trace *t, iot_clock clock, int64_t time);

// Terms and goals with the bindings that existed at time `at`, abbreviated after `cells` cells. Different
// variables of one text have different names.
char *paf_term_text(const trace *t, trace_value value, int64_t at, uint32_t cells);
char *paf_goal_text(const trace *t, uint32_t goal, int64_t at, uint32_t cells);
// "S1 = [2|S2]"
char *paf_binding_text(const trace *t, uint32_t binding, int64_t at, uint32_t cells);

char *paf_predicate_name(const trace *t, uint32_t predicate); // "upd/5"
// "16 workers", "4 virtual workers on one thread" (fleng -seed).
char *paf_workers(const trace *t);
// "ideal machine - 279 reductions - span 66 - parallelism 4.2"
char *paf_run_summary(const iot *a);
// "bestpath-a.fl:15": where it comes from, or "built-in" if that is unknown.
char *paf_reduction_place(const trace *t, uint32_t reduction);

#endif
