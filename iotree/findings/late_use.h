// SPDX-License-Identifier: MIT
//
// Where goals use what some of their arguments hold, if it takes long before one does: arguments
// that a loop only hands on.
#ifndef IOTREE_FINDINGS_LATE_USE_H
#define IOTREE_FINDINGS_LATE_USE_H

#include "iotree/findings/clauses.h"
#include "iotree/findings/loops.h"

// Do the clauses of the predicate that go on with its loop only hand the argument on within the
// loop? Then all steps but the last can come before the argument is known.
bool iot_loop_can_begin_without(clause_facts *f, uint32_t predicate, uint32_t argument);

// Goals that have some of their arguments (bits) when the reduction `value` is done, and may begin
// before: who looks at these arguments waits for it.
typedef struct {
    uint32_t goal, value;
} late_goal;
void iot_wait_where_used(const iot *a, const late_goal *goals, size_t n, uint64_t arguments,
                         change_draft *d);

#endif
