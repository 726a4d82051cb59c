// SPDX-License-Identifier: MIT
//
// From a log to a trace (private to command/).
#ifndef KPX_CONVERT_H
#define KPX_CONVERT_H

#include <stdbool.h>
#include <stdio.h>

#include "kpx-bridge/log/store.h"
#include "kpx-bridge/timeline/activities.h"
#include "kpx-bridge/command/record.h"

typedef struct {
    const char *log;    // its folder
    const char *name;   // the log's name in messages; NULL: the user did not name it
    const char *output; // the trace, or NULL: PROGRAM.paf in this folder
    const kpx_record_options *asked; // what the user wanted to record, for messages; NULL: unknown
    bool cpu;   // the text of the statistics is of processor time
    kpx_progress progress;
} kpx_conversion;

// Bytes that making a trace takes for an event, about: of memory as long as that is less than stores take
// (kpx-bridge/log/store.h), of disk beyond it, for a while.
enum { KPX_MEMORY_OF_EVENT = 110, KPX_DISK_OF_EVENT = 110 };

static inline uint64_t kpx_memory_to_make(uint64_t events)
{
    const uint64_t most = KPX_STORE_MEMORY + (100u << 20); // with tables, and what the system needs
    return events < most / KPX_MEMORY_OF_EVENT ? events * KPX_MEMORY_OF_EVENT : most;
}

typedef enum {
    KPX_CONVERTED,
    KPX_CONVERTED_IN_PART, // files of the log are missing, or nothing in them can be used
    KPX_NOTHING_RECORDED,
    KPX_NOT_WRITTEN,
} kpx_converted;

// Writes the trace of a log. `complaints` gets the trace's name and a line for each fault of the
// log that is no obstacle. *ret_statistics (malloc'ed; ret_statistics may be NULL) is the report on
// the parallel regions. *ret_error (malloc'ed) is the reason of a failure. If nothing was recorded
// an existing file of this name stays as it was.
kpx_converted kpx_convert(const kpx_conversion *c, char **ret_statistics, FILE *complaints,
                          char **ret_error);

#endif
