// SPDX-License-Identifier: MIT
//
// Counting first, then timing only what is not executed too often (private to kpx-bridge/).
#ifndef KPX_TWO_PASS_H
#define KPX_TWO_PASS_H

#include "kpx-bridge/command/record.h"

// Counts of an earlier run (a trace with totals, or a report of ktool): what the run that is
// recorded into `folder` does not time. False and *ret_error.
bool kpx_use_counts(const char *path, int64_t limit, const char *folder, char **ret_error);

// Runs the command and counts, for the run that is recorded into `folder`. Returns its exit status;
// *ret_error is set if there are no counts.
int kpx_count_first(const kpx_record_options *o, int64_t limit, const char *folder, char **command,
                    char **ret_error);

#endif
