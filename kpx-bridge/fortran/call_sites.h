// SPDX-License-Identifier: MIT
//
// Where a program calls MPI (private to kpx-bridge/).
#ifndef KPX_CALL_SITES_H
#define KPX_CALL_SITES_H

#include "kpx-bridge/log/read_log.h"

// Of every call in the log the place that is meant: calls that are jumps are found, and lines of
// Fortran are those where the statement begins. gfortran gives a call the line of its last
// argument, and one by a module's interface with variables only that of the program unit.
void kpx_correct_calls(kpx_logs *logs);

#endif
