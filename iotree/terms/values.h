// SPDX-License-Identifier: MIT
//
// Short questions to a trace: kinds of values, times of creations and bindings; and sets of small
// numbers as bits.
#ifndef IOTREE_VALUES_H
#define IOTREE_VALUES_H

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "iotree/iotree.h"

static inline bool bit_get(const uint8_t *bits, uint32_t i)
{
    return bits[i >> 3] >> (i & 7) & 1;
}

static inline void bit_set(uint8_t *bits, uint32_t i)
{
    bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

static inline void bit_clear(uint8_t *bits, uint32_t i)
{
    bits[i >> 3] &= (uint8_t)~(1u << (i & 7));
}

// n bits, all clear. Released by free().
static inline uint8_t *bits_allocate(uint32_t n)
{
    return base_allocate((size_t)n / 8 + 1, 1);
}

// Of two values of one kind, the word that tells them apart. A float is its bits.
static inline uint64_t value_word(trace_value v)
{
    return v.kind == TV_INT || v.kind == TV_FLOAT ? (uint64_t)v.i : v.id;
}

// The same constant, or the same cell.
static inline bool is_same_value(trace_value x, trace_value y)
{
    return x.kind == y.kind && value_word(x) == value_word(y);
}

static inline bool is_cell_kind(const trace *t, trace_value v, trace_cell_kind kind)
{
    return v.kind == TV_CELL && trace_cell_get_kind(t, v.id) == kind;
}

// The value of the key among the arguments of an activity of a measured run (activities.c); false: none.
bool iot_activity_value(const trace *t, uint32_t activity, trace_key key, int64_t *ret);

static inline bool is_variable(const trace *t, trace_value v)
{
    return is_cell_kind(t, v, TC_VARIABLE);
}

static inline int64_t reduction_created(const trace *t, uint32_t reduction)
{
    return trace_time(t, trace_goal_parent(t, trace_reduction_goal(t, reduction)));
}

static inline int64_t binding_time(const trace *t, uint32_t binding)
{
    return trace_time(t, trace_binding_maker(t, binding));
}

#endif
