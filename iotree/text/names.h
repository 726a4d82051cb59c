// SPDX-License-Identifier: MIT
#ifndef IOTREE_NAMES_H
#define IOTREE_NAMES_H

#include "iotree/graph/model.h"

const trace *iot_names_trace(const iot_names *n);

// Whether the value, with what variables were bound to at that time, contains itself (cyclic.c).
bool iot_is_cyclic(const trace *t, trace_value v, int64_t at);

#endif
