// SPDX-License-Identifier: MIT
//
// Counting checks. A failed one prints its place and its figures.
#ifndef TESTS_IOTREE_CHECK_H
#define TESTS_IOTREE_CHECK_H

#include <stdint.h>

#include "iotree/iotree.h"

extern int npassed, nfailed;

void check_at(const char *file, int line, int ok, const char *what);
void check_number_at(const char *file, int line, int64_t got, int64_t want, const char *what);
// Frees got.
void check_text_at(const char *file, int line, char *got, const char *want);

#define CHECK(condition)      check_at(__FILE__, __LINE__, (condition), #condition)
#define CHECK_IS(got, want)   check_number_at(__FILE__, __LINE__, (got), (want), #got)
#define CHECK_TEXT(got, want) check_text_at(__FILE__, __LINE__, (got), (want))

// The processes of a module with their trees as text, as the specification prints them.
char *trees_text(const iot *a, uint32_t module);
// Everything by the partition, the default one if NULL.
iot *analyse(const trace *t, const char *partition);
void check_no_error(char *error);

void test_partition(void);
void test_terms(void);
void test_trees(void);
void test_prices(void);
void check_unchanged(const iot *a); // test_prices.c
void test_simulation(uint32_t rounds);
void test_random(uint32_t rounds); // naive.c

#endif
