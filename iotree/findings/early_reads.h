// SPDX-License-Identifier: MIT
//
// What the files about early reads share: groups of tests, and the change that moves their waits.
#ifndef IOTREE_FINDINGS_EARLY_READS_H
#define IOTREE_FINDINGS_EARLY_READS_H

#include "iotree/findings/findings.h"
#include "iotree/findings/test_reads.h"

// Tests of one predicate that look into one argument.
typedef struct {
    uint32_t predicate, argument;
    bool decides;
    bool handed_on; // their clauses only hand on what they take apart, to the next step
    uint32_t all; // the group of all such tests of the predicate, plus one; 0: there are no others
    bool joined;  // it is such a group
    bool guard; // a guard that decides nothing: goals that get the value wait for it, others need
                // not
    uint64_t gained, nreads;
    int64_t longest;
    uint32_t example, variable, maker, test;
    uint32_t makers, last_maker;
} read_group;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    test_reader reader;
    clause_tests *by_clause;
    ARRAY_OF(clause_test) tests;
    ARRAY_OF(uint32_t) group_of; // by test
    ARRAY_OF(read_group) groups;
    uint64_t **costs; // by clause and pattern: of clauses that have patterns inside patterns
} early_search;

bool iot_is_in_group(const early_search *s, uint32_t test, uint32_t group);

// What the patterns of the clauses cost that have others inside (inner_reads.c); and do those
// inside cost more than the pattern around them?
void iot_weigh_inner_reads(early_search *s);
bool iot_waits_inside(const early_search *s, uint32_t clause, uint32_t pattern);

// The time of the last of the makers of these waits.
int64_t iot_latest_maker(const early_search *s, uint64_t first, uint64_t end);

// Could the clause of this reduction, without the value that the test takes apart, begin anything that
// does not wait for it all the same (begins.c)?
bool iot_begins_something(const early_search *s, uint32_t r, clause_test test);

// Does a guard look at one of these variables, by hole?
bool guards_look_at(const trace *t, uint32_t clause, uint8_t *holes);

// Does a loop wait for a state that another loop has changed, in other parts (own_parts.c)? Then the edit is
// to keep the parts in arguments of their own.
bool iot_waits_for_other_parts(const early_search *s, const read_group *g);
void iot_advise_own_parts(const early_search *s, candidate *x, const read_group *g);
// Adds a candidate with all of the groups that wait in this way for one state. The last n candidates are
// those of the groups.
void iot_join_own_parts(const early_search *s, candidates *list, const uint32_t *groups, uint32_t n);

// The number of the test that a pattern or a guard is; NO_TEST: none.
uint32_t test_in(const early_search *s, uint32_t clause, bool guard, uint32_t at);

// Leaves the waits of a group's tests out and gives them to whoever needs the value
// (moved_waits.c).
wait_change iot_move_waits(early_search *s, uint32_t group);

#endif
