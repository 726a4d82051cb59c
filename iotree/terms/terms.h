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

// By cell, the words of the structure or vector; 0 for a variable and for what is not wanted (bits
// by cell). Marks the contents of wanted cells as wanted, too. The caller frees it.
uint32_t *iot_term_sizes(const trace *t, uint8_t *wanted);

#endif
