// SPDX-License-Identifier: MIT
//
// Numbers with which clauses do nothing but compare them with others: a clock that goes on until it
// is time.
#ifndef IOTREE_FINDINGS_ONLY_COMPARED_H
#define IOTREE_FINDINGS_ONLY_COMPARED_H

#include "profiler/trace_reader.h"

#define WHOLE UINT32_MAX

// An argument (from 0) of a predicate, or a part (from 0) of the structure that it holds.
typedef struct {
    uint32_t predicate, argument, part;
} number_place;

// Do the clauses of the predicate, and of those that get the number from them, only compare it with
// other values, add to it and hand it on? Of guards that holds of all clauses, of bodies of those
// in `clauses` (bits), which are the ones that were chosen.
bool iot_is_only_compared(const trace *t, number_place from, const uint8_t *clauses);

#endif
