// SPDX-License-Identifier: MIT
//
// The terms of a trace: names of their variables, their sizes, and whether they have an end. The
// functions that write them are in iotree.h.
#ifndef IOTREE_TERMS_H
#define IOTREE_TERMS_H

#include "iotree/terms/values.h"

const trace *iot_names_trace(const iot_names *n);

// True if the value contains itself, with what its variables were bound to at that time (cyclic.c).
bool iot_is_cyclic(const trace *t, trace_value v, int64_t at);

// Sizes of terms. Marks the contents of wanted cells (bits by cell) as wanted, too.
typedef struct iot_sizes iot_sizes;
iot_sizes *iot_measure_terms(const trace *t, uint8_t *wanted);
// Words of a wanted structure or vector; 0 of a variable.
uint32_t iot_words_of(const iot_sizes *s, uint32_t cell);
void iot_destroy_sizes(iot_sizes *s);

#endif
