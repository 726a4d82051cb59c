// SPDX-License-Identifier: MIT
//
// The places at which each read of a commit was read: which arguments of the head, which guards.
//
//   argument   a binding that the head followed there; of a repeated variable, what the comparison
//              followed on that side
//   guard      a binding that the guard looked at; guard 0 is `otherwise`: what only clauses above
//              looked at. Of alternatives, all that they can look at; what later guards look at by
//              way of variables that alternatives gave counts there, too, if it has no other place
//
// Of a built-in, and of clauses of files before version 5, the arguments through which the commit
// could reach the binding by what it read. A read may have several places.
#ifndef IOTREE_PRICES_PLACES_H
#define IOTREE_PRICES_PLACES_H

#include "iotree/prices/waits.h"

#define MOST_PLACE 0x3fffu // a higher number counts as unknown

typedef uint16_t place_code; // 0: unknown

static inline place_code place_pack(wait_place_kind kind, uint32_t place)
{
    return place > MOST_PLACE ? 0 : (place_code)(kind << 14 | place);
}

typedef struct {
    uint64_t read;
    place_code code;
} more_place;

// Reads are numbered by reduction and in the order of trace_reads().
typedef struct {
    uint64_t *first;   // reads of reduction r: [first[r], first[r + 1])
    place_code *codes; // by read
    ARRAY_OF(more_place) more; // further places, by read
} read_places;

// False if cancelled; then there is nothing to free.
bool iot_find_places(const trace *t, read_places *ret, iot_progress progress, void *data);
void iot_free_places(read_places *p);

#endif
