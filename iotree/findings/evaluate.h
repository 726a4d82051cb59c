// SPDX-License-Identifier: MIT
//
// What a predicate that computes with integers comes to: its clauses are followed, as the engine would,
// for numbers that the run may not have had.
#ifndef IOTREE_FINDINGS_EVALUATE_H
#define IOTREE_FINDINGS_EVALUATE_H

#include "iotree/findings/clauses.h"

enum { MOST_INPUTS = 7 }; // arguments but the last one, which is the result

// An operator of arithmetic on two integers. False: it is none that is known, or not for these.
bool iot_calculate(const char *name, int64_t a, int64_t b, int64_t *ret);

// False: it does more than compute one integer from others, or takes more than the steps that are left.
bool iot_evaluate(const clause_facts *facts, uint32_t predicate, const int64_t *inputs,
                  uint32_t *steps, int64_t *ret);

// The same of a predicate of one clause that makes a structure of n numbers from two such structures, as a
// product of matrices; inputs: the parts of both.
bool iot_evaluate_structures(const clause_facts *facts, uint32_t predicate, uint32_t n,
                             const int64_t *inputs, uint32_t *steps, int64_t *ret);

#endif
