// SPDX-License-Identifier: MIT
//
// A candidate is what a detector believes to be a cause: a place in the program, a mechanism, the
// change to the run that removes it. findings.c prices all candidates at once, drops those that
// save too little, joins those of one cause, orders them by saving and makes the sentences final.
//
// A detector is one function `iot_find_...(const iot *a, candidates *c)` in a file of its own. It
// does not decide what is shown; it must not propose to remove useful work.
#ifndef IOTREE_FINDINGS_CANDIDATE_H
#define IOTREE_FINDINGS_CANDIDATE_H

#include "iotree/findings.h"
#include "iotree/prices/waits.h"

typedef struct {
    iot_finding_kind kind;
    iot_location place;
    ARRAY_OF(iot_location) also;
    uint32_t reduction; // an example, where a click goes; or IOT_NONE
    // How its price is found: by `change` (arrays are owned by the candidate) unless has_span.
    wait_change change;
    bool has_span;
    int64_t span_without;
    bool estimate; // the price is labelled "about"
    // The sentence without its price, and the edit, both malloc'ed. "desk/2 (bank.fl:27) takes one
    // customer at a time: it waits for Fee from charge/3 (bank.fl:41) and does not use it".
    char *text;
    char *advice;
} candidate;

typedef struct {
    ARRAY_OF(candidate) list;
} candidates;

candidate *candidate_add(candidates *c, iot_finding_kind kind); // all else zero or IOT_NONE

#endif
