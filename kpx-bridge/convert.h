// SPDX-License-Identifier: MIT
//
// From a log to a trace (private to kpx-bridge/).
#ifndef KPX_CONVERT_H
#define KPX_CONVERT_H

#include <stdbool.h>
#include <stdio.h>

#include "kpx-bridge/statistics.h"

// Writes the trace of what a log's folder holds. What is wrong with the log but leaves something to
// use is said on `complaints`. statistics may be NULL. False and *ret_error (malloc'ed) if there is
// nothing to use, or the trace cannot be written.
bool kpx_convert(const char *log, const char *output, kpx_statistics *statistics,
                 FILE *complaints, char **ret_error);

#endif
