// SPDX-License-Identifier: MIT
//
// The communicators of a process, as its log tells of them (private to kpx-bridge/). Windows and
// files count as communicators: what is collective on them is counted by itself.
#ifndef KPX_COMMUNICATORS_H
#define KPX_COMMUNICATORS_H

#include <stdint.h>

#include "base/array.h"
#include "base/table.h"
#include "kpx-bridge/log/read_log.h"

// A rank that this one receives from in a topology.
typedef struct {
    uint32_t communicator, rank;
} kpx_neighbour;

typedef struct {
    uint64_t identity; // all its ranks share it
    uint32_t rank;     // own
    uint32_t size;
    uint32_t side;     // 1 or 2 where there are two groups, else 0
    uint32_t first_neighbour, nneighbours;
} kpx_communicator;

// What a process's numbers of communicators mean.
typedef struct {
    base_map index_of; // by number
    ARRAY_OF(kpx_communicator) list;
    ARRAY_OF(kpx_neighbour) neighbours; // by communicator
} kpx_communicators;

kpx_communicators kpx_find_communicators(const kpx_process_log *p);
// NULL: the log does not tell of it.
const kpx_communicator *kpx_communicator_of(const kpx_communicators *c, uint32_t number);
void kpx_communicators_free(kpx_communicators *c);

#endif
