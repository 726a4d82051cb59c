// SPDX-License-Identifier: MIT
//
// What calls of MPI took at each of their places and rank, and who sent how much to whom, from a
// log (private to kpx-bridge/).
#ifndef KPX_MPI_TOTALS_H
#define KPX_MPI_TOTALS_H

#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/totals/totals.h"

bool kpx_has_ranks(const kpx_logs *logs);

// Adds to totals that may have items and nodes of other sources: a process whose rank has a node is
// that node, a function that is a unit that unit.
void kpx_add_mpi_totals(kpx_totals *t, const kpx_logs *logs);

#endif
