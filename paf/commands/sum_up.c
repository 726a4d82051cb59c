// SPDX-License-Identifier: MIT
//
// Long runs whose figures are summed while the file is read.
#include "iotree/overview.h"
#include "base/memory_limit.h"
#include "base/output.h"
#include "paf/commands/command.h"
#include "paf/model/hues.h"

#include <string.h>
#include <sys/stat.h>

#define LONG_RUN (1u << 20) // reductions: shorter ones are read at once, and their terms are known

// Chunks that are decoded, and figures of some modules. Where there may be less, the caller says what reading
// all would take.
#define NEEDED (UINT64_C(96) << 20)

static bool fits_memory(void)
{
    return base_memory_limit() == 0 || base_memory_limit() >= NEEDED;
}

// An entry that is a goal needs the reductions; of a file that is for the caller to say.
static iot_partition *partition_of(const trace *t, const char *text)
{
    struct stat s;
    if (!text)
        return iot_partition_default(t);
    return strchr(text, '#') || stat(text, &s) == 0 ? NULL : iot_partition_parse(t, text, NULL);
}

iot *paf_sum_up(const char *path, const char *partition, bool more, iot_progress progress, void *data,
                trace **ret_trace)
{
    base_output_protect(path, "it is read");
    trace *tables = trace_open_tables(path);
    bool is_long = tables && trace_told_reductions(tables) >= LONG_RUN;
    if (is_long)
        paf_hues_expect(tables);
    iot_partition *p = is_long ? partition_of(tables, partition) : NULL;
    iot *a = p && fits_memory() ? iot_sum_up(path, tables, p, more, progress, data, ret_trace) : NULL;
    if (p)
        iot_partition_destroy(p);
    if (tables)
        trace_close(tables);
    return a;
}
