// SPDX-License-Identifier: MIT
//
// Counting checks. A failed one prints where and what; only the first few of a place are printed.
#ifndef PROFILER_TEST_CHECK_H
#define PROFILER_TEST_CHECK_H

#include <stdbool.h>

extern unsigned checks_passed, checks_failed;

bool check_at(bool good, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define CHECK(condition)     check_at((condition), __FILE__, __LINE__, "%s", #condition)
#define CHECK_SAY(good, ...) check_at((good), __FILE__, __LINE__, __VA_ARGS__)

// The tests, one function for each file.
void test_roundtrip(const char *folder);
void test_damage(const char *folder);
void test_refusals(const char *folder);
void test_figures(const char *folder);
void test_totals(const char *folder);
void test_regions(const char *folder);
void test_samples(const char *folder);
void test_summary(const char *folder);
void test_memory(const char *folder);
void test_narrow(const char *folder);
void test_kinds(const char *folder, const char *old_folder); // files of version 3
void test_format(const char *folder, const char *format_text_path);

#endif
