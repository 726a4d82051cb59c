// SPDX-License-Identifier: MIT
//
// The places where a program calls MPI (private to kpx-bridge/).
#ifndef KPX_CALL_SITES_H
#define KPX_CALL_SITES_H

#include "kpx-bridge/log/read_log.h"

// Gives every call in the log the place that the program means: finds calls that are jumps, and
// takes the first line of a statement in Fortran. (gfortran gives a call the line of its last
// argument; a call through a module's interface may have only the line of the program unit.)
void kpx_correct_calls(kpx_logs *logs);

#endif
