// SPDX-License-Identifier: MIT
//
// First count all executions, then time only the sites that are executed rarely enough (private to
// command/).
#ifndef KPX_TWO_PASS_H
#define KPX_TWO_PASS_H

#include "kpx-bridge/command/record.h"

// Reads the counts of an earlier run (a trace with totals, or a report of ktool) and writes the
// list of suppressed sites into `folder`, where the next run is recorded. False and *ret_error.
bool kpx_use_counts(const char *path, int64_t limit, const char *folder, char **ret_error);

// Runs the command once to count, and writes the same list. Returns the command's exit status;
// *ret_error is set if there are no counts.
int kpx_count_first(const kpx_record_options *o, int64_t limit, const char *folder, char **command,
                    char **ret_error);

#endif
