// SPDX-License-Identifier: MIT
//
// The communicators of a process, as its log describes them (private to kpx-bridge/). Windows and
// files count as communicators, since their collectives are numbered separately.
#ifndef KPX_COMMUNICATORS_H
#define KPX_COMMUNICATORS_H

#include <stdint.h>

#include "base/array.h"
#include "base/table.h"
#include "kpx-bridge/log/read_log.h"

// A rank that this process receives from in a topology.
typedef struct {
    uint32_t communicator, rank;
} kpx_neighbour;

typedef struct {
    uint64_t identity; // equal in all its ranks
    uint32_t rank;     // of this process
    uint32_t size;
    uint32_t side;     // this process's group in an intercommunicator: 1 or 2; else 0
    uint32_t first_neighbour, nneighbours;
} kpx_communicator;

// All communicators of a process. Events name them by number.
typedef struct {
    base_map index_of; // by number
    ARRAY_OF(kpx_communicator) list;
    ARRAY_OF(kpx_neighbour) neighbours; // by communicator
} kpx_communicators;

kpx_communicators kpx_find_communicators(const kpx_process_log *p);
// NULL: the log does not describe it.
const kpx_communicator *kpx_communicator_of(const kpx_communicators *c, uint32_t number);
void kpx_communicators_free(kpx_communicators *c);

#endif
