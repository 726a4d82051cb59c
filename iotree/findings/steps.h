// SPDX-License-Identifier: MIT
//
// What the steps of a loop do: what a step hands to the next one, which goals it creates, and which
// of them take the result of the like goal of a neighbouring step (*folds*).
#ifndef IOTREE_FINDINGS_STEPS_H
#define IOTREE_FINDINGS_STEPS_H

#include "iotree/findings/combine.h"

enum {
    SHORTEST = 4, // folds of fewer goals are none
};

// A wait of one side goal for the like side goal of a neighbouring step.
typedef struct {
    uint32_t predicate;   // of the side goals; where they are call/N, of what these call
    bool inward;          // the step waits for the next one, which its own goal created
    uint32_t chain, step; // position of the reader's member
    uint32_t goal;        // the reader's side goal, as a reduction
    uint32_t strand;      // links of one strand hang together: one of its side goals
    uint32_t reader, maker;
    uint64_t wait;
} fold_link;

typedef struct {
    size_t first, n; // links
    bool associative;
    bool copies; // it only copies a list: append
    const char *verb;
    uint64_t goals;
    uint64_t longest; // goals of one strand
} fold;

typedef struct {
    const loops *l;
    uint32_t loop;
    uint32_t *side;
    uint8_t *counters;
    bool sequential; // a step needs a state of the one before
    bool has_state;  // goals of a step take what those of the step before made, and are no tree
    bool walks;      // a step takes an item of a list
    bool waits;      // a step waits for what others make meanwhile
    uint32_t worker; // the predicate of the goals it creates; IOT_NONE: none
    uint64_t workers;
    ARRAY_OF(fold_link) links;
    ARRAY_OF(fold) folds;
    base_map tried; // combinations, for operands of the run (combine.h)
} loop_study;

loop_study iot_study_loop(const loops *l, uint32_t loop);
void iot_end_study(loop_study *s);

bool iot_is_member(const loop_study *s, uint32_t reduction);
// Is this wait of a member for what a goal of its own chain made?
bool iot_is_own_wait(const loop_study *s, uint32_t member, uint64_t wait);
// Does a goal of the member's body get what is made of the value that this wait is for: a part that
// the head takes out of it, as Ref of found(Ref), or what a guard computes of it?
bool iot_takes_of_wait(const loop_study *s, uint32_t goal, uint64_t wait);

// A chain that is long for what hangs on it. What halves its work has short chains.
bool iot_is_lopsided(const loops *l, uint32_t chain);

// A candidate at the clause that most steps of the loop are by; takes the draft.
candidate *iot_add_loop_candidate(const loop_study *s, candidates *c, iot_finding_kind kind,
                                  change_draft *d);
// "start/3 (x.fl:4)", of a loop in the library "main/0 (x.fl:2) with foldl/4". malloc'ed.
char *iot_loop_text(const loop_study *s, uint32_t clause);
// Is it the same strand of the same chain?
static inline bool same_strand(const fold_link *x, const fold_link *y)
{
    return x->chain == y->chain && x->strand == y->strand;
}

// Walkers along the lists that this predicate copies, called by steps of the loop: with what they
// walked before at no cost. Returns a reduction that walks again, or 0, and how many do.
uint32_t iot_draft_walks_of_copies(const loop_study *s, uint32_t copier, change_draft *d,
                                   uint64_t *ret_steps);

// Every step of the loop is created at its level of a tree; its counters are known there.
void iot_draft_creation(const loop_study *s, change_draft *d);

void iot_say_copying(const loop_study *s, const fold *f, candidates *c); // copies.c

#endif
