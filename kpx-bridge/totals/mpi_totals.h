// SPDX-License-Identifier: MIT
//
// The totals of MPI calls at each of their places and ranks, and the traffic between ranks, from a
// log (private to kpx-bridge/).
#ifndef KPX_MPI_TOTALS_H
#define KPX_MPI_TOTALS_H

#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/totals/totals.h"

bool kpx_has_ranks(const kpx_logs *logs);

// Adds to totals that may already have items and nodes. A process uses the node of its rank if
// there is one, and a function uses the unit of its name.
void kpx_add_mpi_totals(kpx_totals *t, const kpx_logs *logs);

#endif
