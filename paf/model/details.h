// SPDX-License-Identifier: MIT
//
// details: what is to be said about one reduction - or, if it began a node of an IO-Tree, about
// that node: what it needed and when each came, what it gave and to whom, why it came so late.
#ifndef PAF_DETAILS_H
#define PAF_DETAILS_H

#include "paf/model/model.h"

typedef struct {
    char *term;  // "S1 = [2|S2]"
    char *whom;  // "from searcher", "own"
    char *when;  // "available 24 · read 33"
    char *brief; // the same for narrow places: "24 · read 33"
    bool last;   // the last-arriving of them
    uint32_t go; // the reduction at the other end, or IOT_NONE
} paf_fact;

typedef struct {
    char *title;                     // the goal
    char *subtitle;                  // "evaluator · reduction 147 · clause 1"
    GArray *needs, *gives;           // paf_fact
    uint32_t more_needs, more_gives; // not listed
    char *sentence;                  // why it came when it did
    uint32_t why;                    // the reduction that decided it, or IOT_NONE
    uint32_t module, clause;
} paf_details;

paf_details *paf_details_create(const paf_model *m, uint32_t reduction);
void paf_details_destroy(paf_details *details);

// What is shown when the pointer rests on a node (or any reduction): goal, place in the source,
// times, waiting. Lines, the first being the goal.
char *paf_reduction_tip(const paf_model *m, uint32_t reduction);

// The node that a reduction began, in the tree held of its process; NULL if there is none.
const iot_node *paf_node_of_reduction(const paf_model *m, uint32_t reduction,
                                      const paf_tree **ret_tree, uint32_t *ret_node);

// The reduction that decided when this one could be: the maker of the last binding its commit read
// (*ret_variable is it) or its parent (*ret_variable is TRACE_NONE). IOT_NONE for the beginning.
uint32_t paf_decider(const trace *t, uint32_t reduction, uint32_t *ret_variable);

// Parts of the above (details_measured.c), for measured runs: fills in the subtitle, what the
// activity needed and gave, and the sentence; and the same in brief, for a tip.
void paf_details_measured(paf_details *details, const paf_model *m, uint32_t reduction);
char *paf_tip_measured(const paf_model *m, uint32_t reduction);

#endif
