// SPDX-License-Identifier: MIT
//
// How much bindings passed on. A binding is *heavy* if reading it means reading many others, counted
// down to the next heavy ones.
#ifndef IOTREE_PASSED_H
#define IOTREE_PASSED_H

#include "iotree/graph/model.h"

// Fills a->passed; the caller holds the lock.
void iot_ensure_passed(iot *a);

static inline bool is_heavy(const iot *a, uint32_t binding)
{
    return a->passed.heavy && bit_get(a->passed.heavy, binding);
}

#endif
