// SPDX-License-Identifier: MIT
//
// Sizes of terms (private to iotree/).
#ifndef IOTREE_WORDS_H
#define IOTREE_WORDS_H

#include "iotree/graph/model.h"

// By cell, the words of the structure or vector it is; 0 if it is a variable, and of those that are
// not wanted (bits by cell). What wanted ones hold becomes wanted, too. The caller frees it.
uint32_t *measure_words(const trace *t, uint8_t *wanted);

#endif
