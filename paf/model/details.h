// SPDX-License-Identifier: MIT
//
// Details of one reduction, or of the node of an IO-Tree that it began: its inputs and their times,
// its outputs and their readers, and the cause of its time.
#ifndef PAF_DETAILS_H
#define PAF_DETAILS_H

#include "paf/model/model.h"

typedef struct {
    char *term;  // "S1 = [2|S2]"
    char *whom;  // "from searcher", "own"
    char *when;  // "available 24 · read 33"
    char *brief; // the same for narrow places: "24 · read 33"
    bool last;   // it arrived last
    uint32_t go; // the reduction at the other end, or IOT_NONE
} paf_fact;

typedef struct {
    char *title;                     // the goal
    char *subtitle;                  // "evaluator · reduction 147 · clause 1"
    GArray *needs, *gives;           // paf_fact
    uint32_t more_needs, more_gives; // not listed
    char *sentence;                  // why it came when it did
    uint32_t why;                    // the reduction that decided when, or IOT_NONE
    uint32_t module, clause;
    iot_clock clock;
} paf_details;

// By the clock; of a measured run, real time.
paf_details *paf_details_create(const paf_model *m, iot_clock clock, uint32_t reduction);
void paf_details_destroy(paf_details *details);

// The tip of a node or any other reduction: the goal in the first line; then its place in the
// source, times by both clocks, waiting.
char *paf_reduction_tip(const paf_model *m, uint32_t reduction);

// The node that a reduction began, in the tree that the model has of its process; or NULL.
const iot_node *paf_node_of_reduction(const paf_model *m, uint32_t reduction,
                                      const paf_tree **ret_tree, uint32_t *ret_node);

// The reduction that decided when this one could happen: it made what this one read last (*ret_variable), or
// it made its goal (TRACE_NONE). IOT_NONE: none did.
uint32_t paf_decider(const paf_model *m, uint32_t reduction, uint32_t *ret_variable);

// Parts of the above (details_measured.c), for measured runs: fills in the subtitle, what the
// activity needed and gave, and the sentence; and the same in brief, for a tip.
void paf_details_measured(paf_details *details, const paf_model *m, uint32_t reduction);
uint32_t paf_decider_measured(const trace *t, uint32_t reduction);
char *paf_tip_measured(const paf_model *m, uint32_t reduction);

#endif
