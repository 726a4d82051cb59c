// SPDX-License-Identifier: MIT
//
// Outcomes that are decided before a loop ends: from some step on, whatever comes, the loop binds
// its result to the constant that it has in the end (outcomes.h).
#ifndef IOTREE_FINDINGS_DECIDED_H
#define IOTREE_FINDINGS_DECIDED_H

#include "iotree/findings/outcomes.h"

// Does an item bind an argument of its clause's head, and nothing else, in a loop that may come to
// several outcomes and does not act on the world?
bool iot_may_be_decided(clause_facts *f, uint32_t clause, uint32_t item, uint64_t *budget);

// The reduction by which it was decided what the item of this reduction binds, though not before
// the loop began; IOT_NONE: none.
uint32_t iot_decided_by(clause_facts *f, uint32_t reduction, uint32_t item, uint64_t *budget);

#endif
