// SPDX-License-Identifier: MIT
//
// What the files that make findings share. Findings of Fleng programs and of measured runs have
// nothing else in common.
#ifndef IOTREE_FINDINGS_H
#define IOTREE_FINDINGS_H

#include "iotree/findings/candidate.h"
#include "iotree/graph/model.h"

// Rounded, but never to "all" or "none" when that is not so.
int iot_percent(uint64_t part, uint64_t whole);
// "3.1 ms". malloc'ed.
char *iot_time_text(uint64_t nanoseconds);
// "120 steps", of a measured run "3.1 ms". malloc'ed.
char *iot_amount_text(const iot *a, int64_t amount);

// Notes, whose texts are malloc'ed.
typedef struct {
    ARRAY_OF(iot_note) list;
} notes;
void iot_note_run(const iot *a, notes *n);      // notes.c: how it ended, races, losses
void iot_note_measured(const iot *a, notes *n); // measured.c
void iot_note_dropped(const iot *a, notes *n);  // measured.c

// Detectors; shapes.h has those of loops.
void iot_find_late_outputs(const iot *a, candidates *c);
void iot_find_late_flows(const iot *a, candidates *c);
void iot_find_late_parts(const iot *a, candidates *c);
void iot_find_guard_order(const iot *a, candidates *c);
void iot_find_tests_in_turn(const iot *a, candidates *c);
void iot_find_short_circuits(const iot *a, candidates *c);
void iot_find_early_reads(const iot *a, candidates *c);
void iot_find_started_late(const iot *a, candidates *c);
void iot_find_made_again(const iot *a, candidates *c);
void iot_find_mere_waits(const iot *a, candidates *c);
// Adds, of clauses of which several items come late, a candidate with all of them; to be called when
// all others are there. Does one of them alone come to that span, within `own` steps?
void iot_find_late_together(const iot *a, const wait_graph *g, candidates *c);
bool iot_one_saves_as_much(const candidates *c, const candidate *joint, double own);
// Adds, for early reads by clauses that call each other, a candidate with all of them; then, too.
void iot_find_in_turn(const iot *a, const wait_graph *g, candidates *c);
void iot_find_measured(const iot *a, candidates *c); // measured_causes.c

// "; the last one is boat/4 with 3 in argument 2, 18 of 20 times": of rounds that wait for several
// at the reader (a predicate), the one that comes last. malloc'ed, "" if it is not mostly one.
char *iot_holder_text(const iot *a, uint32_t reader);

// Gives the constructs of the line equal shares for all threads of their teams, as costs of
// activities. Returns how many constructs.
typedef struct replay replay;
uint32_t iot_make_even(const iot *a, const replay *r, const char *file, uint32_t line,
                       int64_t *costs); // measured_causes.c

void iot_ensure_unneeded(iot *a); // late_aliases.c
void iot_destroy_causes(iot *a);

#endif
