// SPDX-License-Identifier: MIT
//
// Which test of its clause read each binding that a reduction's commit read.
#ifndef IOTREE_FINDINGS_TEST_READS_H
#define IOTREE_FINDINGS_TEST_READS_H

#include "base/table.h"
#include "iotree/findings/clauses.h"

#define NO_TEST UINT32_MAX

// Of one clause: the test that each pattern of the head and each guard belong to, by numbers of the
// caller's; NO_TEST: none of interest. What is inside a pattern belongs to its test, too.
typedef struct {
    uint32_t *by_pattern, *by_guard;
} clause_tests;

typedef struct {
    uint32_t binding, test;
} noted_read;

typedef struct {
    uint32_t node, test;
    trace_value value;
} walk_step;

typedef struct {
    const trace *t;
    uint32_t reduction;           // that is looked at
    ARRAY_OF(noted_read) notes;   // the bindings that it followed
    base_map many;                // binding -> note, once they are many
    ARRAY_OF(walk_step) stack;    // scratch
    trace_value *arguments, *values; // scratch: of the goal; by variable of head and guards
    uint8_t *known;
    size_t narguments, nvariables;
    bool inner; // what is inside a pattern belongs to its own test, if it has one
} test_reader;

void test_reader_begin(test_reader *s, const trace *t);
void test_reader_end(test_reader *s);

// After this test_of_read() answers for the reads of this reduction, which is by the clause.
void read_tests(test_reader *s, uint32_t reduction, uint32_t clause, const clause_tests *tests);
// The one test that read the variable's binding; NO_TEST if others of the clause read it, too.
uint32_t test_of_read(const test_reader *s, uint32_t reduction, uint32_t variable);

// The waits of a read: [*ret_first, *next) of the graph; false if the read is no wait. *next is
// where to look for it: at first the first wait of the reduction.
bool waits_of_read(const trace *t, const wait_graph *g, uint32_t reduction, uint32_t variable,
                   uint64_t *next, uint64_t *ret_first);

#endif
