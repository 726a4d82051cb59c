// SPDX-License-Identifier: MIT
//
// From a log to a trace (private to kpx-bridge/).
#ifndef KPX_CONVERT_H
#define KPX_CONVERT_H

#include <stdbool.h>
#include <stdio.h>

#include "kpx-bridge/timeline/activities.h"
#include "kpx-bridge/command/record.h"

typedef struct {
    const char *log;    // its folder
    const char *name;   // that messages call it by, or NULL: nobody knows it
    const char *output; // the trace, or NULL: PROGRAM.paf in this folder
    const kpx_record_options *asked; // what was to be recorded, for messages; or NULL: not known
    kpx_progress progress;
} kpx_conversion;

typedef enum {
    KPX_CONVERTED,
    KPX_NOTHING_RECORDED,
    KPX_NOT_WRITTEN,
} kpx_converted;

// Writes the trace of what a log's folder holds. Where it is, and what is wrong with the log but
// leaves something to use, is said on `complaints`. *ret_statistics (malloc'ed; ret_statistics may
// be NULL) is the report on its parallel regions. *ret_error (malloc'ed) says what went wrong; a
// file that is there is as it was if nothing was recorded.
kpx_converted kpx_convert(const kpx_conversion *c, char **ret_statistics, FILE *complaints,
                          char **ret_error);

#endif
