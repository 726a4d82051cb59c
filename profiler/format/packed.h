// SPDX-License-Identifier: MIT
//
// A value of a trace in 8 bytes: 3 bits kind (a trace_value_kind, or PACKED_LONG), 40 bits payload,
// and 21 bits for the body item of a binding. A float, or an integer that does not fit, is a 64-bit
// word in a list; the payload is its index there.
#ifndef PROFILER_PACKED_H
#define PROFILER_PACKED_H

#include <string.h>

#include "base/varint.h"
#include "profiler/format/layout.h"

#define PACKED_LONG    7u
#define PACKED_PAYLOAD 40
#define PACKED_ITEM    (3 + PACKED_PAYLOAD)

static inline bool value_is_long(const trace_value *v)
{
    return v->kind == TV_FLOAT || (v->kind == TV_INT && zigzag(v->i) >> PACKED_PAYLOAD != 0);
}

// A long value is stored at words[place].
static inline uint64_t pack_value(const trace_value *v, uint32_t item, uint64_t *words,
                                  size_t place)
{
    uint64_t payload = v->id, kind = v->kind;
    if (value_is_long(v)) {
        memcpy(&words[place], v->kind == TV_FLOAT ? (const void *)&v->d : (const void *)&v->i, 8);
        payload = place;
        kind = v->kind == TV_FLOAT ? TV_FLOAT : PACKED_LONG;
    } else if (v->kind == TV_INT) {
        payload = zigzag(v->i);
    }
    return kind | payload << 3 | (uint64_t)item << PACKED_ITEM;
}

static inline trace_value unpack_value(uint64_t packed, const uint64_t *words)
{
    uint64_t payload = packed >> 3 & ((UINT64_C(1) << PACKED_PAYLOAD) - 1);
    trace_value v = {.kind = (trace_value_kind)(packed & 7)};
    if ((packed & 7) == PACKED_LONG) {
        v.kind = TV_INT;
        v.i = (int64_t)words[payload];
    } else if (v.kind == TV_FLOAT) {
        memcpy(&v.d, &words[payload], sizeof v.d);
    } else if (v.kind == TV_INT) {
        v.i = unzigzag(payload);
    } else {
        v.id = (uint32_t)payload;
    }
    return v;
}

// A value that is not known; no packed value is equal.
#define NOTHING UINT64_MAX

static inline unsigned packed_kind(uint64_t packed)
{
    return (unsigned)(packed & 7);
}

static inline bool packed_is_long(uint64_t packed)
{
    return packed_kind(packed) == TV_FLOAT || packed_kind(packed) == PACKED_LONG;
}

static inline uint64_t packed_cell(uint32_t cell)
{
    return (uint64_t)cell << 3 | TV_CELL;
}

// The payload without a binding's item: of cells, strings, nodes and longs what they name.
static inline uint64_t packed_payload(uint64_t packed)
{
    return packed >> 3 & ((UINT64_C(1) << PACKED_PAYLOAD) - 1);
}

#endif
