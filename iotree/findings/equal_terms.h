// SPDX-License-Identifier: MIT
//
// Are two terms equal when the run ends, and when is all of a term there? States are compared so,
// round by round; what many rounds have in common is one term, which is not gone through.
#ifndef IOTREE_FINDINGS_EQUAL_TERMS_H
#define IOTREE_FINDINGS_EQUAL_TERMS_H

#include "iotree/terms/values.h"

typedef struct {
    const trace *t;
    uint64_t budget; // parts of terms that may still be looked at
} term_walk;

// False, too, when the budget is spent. If parts of theirs were made twice, and not before
// *ret_made, that is set to the time at which the last one in y was there (0: with the goal that
// has it).
bool iot_are_equal(term_walk *w, trace_value x, trace_value y, int64_t *ret_made);

// When the whole term is there, and by whom the last part of it was made.
typedef struct {
    int64_t time;
    uint32_t maker; // a reduction; 0: all of it was there when the run began
} term_end;
term_end iot_end_of_term(term_walk *w, trace_value root);

#endif
