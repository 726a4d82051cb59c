// SPDX-License-Identifier: MIT
//
// From a log to a trace (private to kpx-bridge/).
#ifndef KPX_CONVERT_H
#define KPX_CONVERT_H

#include <stdbool.h>
#include <stdio.h>

// Writes the trace of what a log's folder holds. What is wrong with the log but leaves something to
// use is said on `complaints`. *ret_statistics (malloc'ed; ret_statistics may be NULL) is the report on
// its parallel regions. False and *ret_error (malloc'ed) if there is nothing to use, or the trace cannot
// be written.
bool kpx_convert(const char *log, const char *output, char **ret_statistics, FILE *complaints,
                 char **ret_error);

#endif
