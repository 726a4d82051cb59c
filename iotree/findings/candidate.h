// SPDX-License-Identifier: MIT
//
// A candidate is what a detector believes to be a cause: a place in the program, a mechanism, the
// change to the run that removes it. findings.c prices all candidates at once, drops those that
// save too little, joins those of one cause, orders them by saving and makes the sentences final.
//
// A detector is one function `iot_find_...(const iot *a, candidates *c)` in a file of its own and a
// line in the table of findings.c. It does not decide what is shown; it must not propose to remove
// useful work.
#ifndef IOTREE_FINDINGS_CANDIDATE_H
#define IOTREE_FINDINGS_CANDIDATE_H

#include "base/array.h"
#include "base/text.h"
#include "iotree/findings.h"
#include "iotree/prices/waits.h"

// The change brings what it says, and yet may be no cause: an iteration that waits for the state of
// its loop may be meant to. LIKELY: it could begin work that does not need the state. It is part of
// a sure cause that it overlaps. DOUBTFUL: nothing but the loop's own steps would begin sooner
// (overlap.c). Shown only among all findings.
typedef enum { SURE, LIKELY, DOUBTFUL } candidate_doubt;

typedef struct {
    iot_finding_kind kind;
    iot_location place;
    ARRAY_OF(iot_location) also;
    uint32_t reduction; // an example, where a click goes; or IOT_NONE
    uint32_t clause;    // trace index, or IOT_NONE
    uint32_t item;      // of the clause's body: what comes late; or IOT_NONE
    bool joint;         // all late items of the clause (late_together.c)
    // Two repairs at once: it must save at least this share of the run, and much more than the candidates of
    // its kind and place do by themselves. 0: one repair.
    double at_least;
    // How its price is found: by `change` (arrays are owned by the candidate, malloc'ed), unless
    // has_span. An array of costs is large: a detector gives it to a few candidates at most.
    wait_change change;
    bool by_arrival; // `change` lets merges take what is there first; the price leaves out what
                     // that saves by itself
    bool has_span;
    uint32_t number; // of a measured run its cause; else the candidate's own, once pairs are looked for
    int64_t span_without;
    bool estimate; // the price is labelled "about"
    candidate_doubt doubt;
    // The loop that waits for values, a predicate, if its doubt may come from what it begins sooner without
    // them (overlap.c), which is asked again where another change is made, too; and how long it waits, on
    // average. Else IOT_NONE.
    uint32_t waiting_loop;
    double mean_wait;
    bool out; // no cause after all: it is not shown
    // Of two causes that hide each other (pairs.h): the number of the other one, or IOT_NONE, and what
    // the run takes without both.
    uint32_t partner;
    int64_t pair_span;
    // The sentence without its price, and the edit, both malloc'ed. "desk/2 (bank.fl:27) takes one
    // customer at a time: it waits for Fee from charge/3 (bank.fl:41) and does not use it".
    char *text;
    char *advice;
    // malloc'ed, what the price is said to be without: "without that wait", "as a tree". NULL:
    // "without it".
    char *condition;
} candidate;

typedef struct candidates {
    ARRAY_OF(candidate) list;
    // Places whose waits are the program's meaning: what one at a time may have, the order of
    // output. No candidate that leaves out a wait there is kept.
    ARRAY_OF(iot_location) meant;
    // Places at which a thing that is lent is waited for or given back (lent.c). No candidate is kept there
    // that leaves out the wait, or gives it back sooner.
    ARRAY_OF(iot_location) lent;
    // Of a measured run, whose candidates have their spans: what it takes without both, by pair of
    // their numbers, the smaller one first; malloc'ed. -1 or NULL: not known, and only candidates of
    // one place are of one cause.
    int64_t *both;
    uint32_t nboth;
} candidates;

// A change saves at most the sum of what each reduction gains by it. Is that sum worth a price?
bool iot_may_save(const iot *a, uint64_t gained);
// Of n things with what each of them gains, at most `most` that are worth a price, what gains most first.
// Returns how many.
uint32_t iot_most_gained(const iot *a, const uint64_t *gained, size_t n, uint32_t most, uint32_t *ret);

// All else is zero or IOT_NONE. The pointer is good until the next call.
candidate *candidate_add(candidates *c, iot_finding_kind kind);
// The same at a clause, with a reduction that is an example.
candidate *candidate_at(const iot *a, candidates *c, iot_finding_kind kind, uint32_t clause,
                        uint32_t reduction);
// A further place; one that is there already is not added again.
void candidate_also(candidate *c, iot_location place);
void candidate_free(candidate *c);

// The changes of both at once. iot_free_change() frees it.
wait_change change_of_both(const wait_graph *g, const wait_change *x, const wait_change *y);

// ---- As text; results are malloc'ed

// "1745 steps in 24 waits".
char *iot_cost_text(const iot *a, uint64_t gained, uint64_t n, const char *what);

// " (bank.fl:27)", or nothing if it is not known.
char *iot_place_text(const trace *t, uint32_t source, uint32_t line);
// "desk/2 (bank.fl:27)": a clause by its head; a built-in by the line of its goal.
char *iot_site_text(const iot *a, const wait_site *site);
// "charge/3 (bank.fl:41)" of the clause that a reduction is by; for a built-in the clause that
// calls it.
char *iot_maker_text(const iot *a, const wait_graph *g, uint32_t maker, iot_location *ret);
// The place of a clause; of a goal in the clause's body.
iot_location iot_clause_location(const iot *a, uint32_t clause);
iot_location iot_site_location(const wait_site *site, uint32_t module);

#endif
