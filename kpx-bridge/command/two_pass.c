// SPDX-License-Identifier: MIT
//
// kpx-bridge record --two-pass and --counts: which sites the timed run leaves out.
#include "kpx-bridge/command/two_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "kpx-bridge/reports/import.h"
#include "kpx-bridge/totals/counters.h"
#include "profiler/trace_reader.h"

static bool write_into(const kpx_totals *counts, int64_t limit, const char *folder, char **ret_error)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return kpx_write_suppressed(counts, limit, folder, ret_error);
    *ret_error = base_format("%s: cannot create: %s", folder, strerror(errno));
    return false;
}

// Totals of a trace or a report. NULL and *ret_error.
static kpx_totals *read_counts(const char *path, char **ret_error)
{
    bool is_trace;
    kpx_totals *counts = kpx_import_file(path, &is_trace, ret_error);
    trace *t = is_trace && !*ret_error ? trace_open(path, NULL, NULL, ret_error) : NULL;
    if (t && !*ret_error)
        counts = kpx_totals_of_trace(t, false);
    if (t)
        trace_close(t);
    bool any = counts && (kpx_totals_observed(counts, KPX_UNIT) ||
                          kpx_totals_observed(counts, KPX_LOOP) ||
                          kpx_totals_observed(counts, KPX_IO));
    if (any || *ret_error)
        return counts;
    *ret_error = base_format("%s: it has no counts of routines, loops or input/output", path);
    kpx_totals_destroy(counts);
    return NULL;
}

bool kpx_use_counts(const char *path, int64_t limit, const char *folder, char **ret_error)
{
    char *reason = NULL;
    kpx_totals *counts = read_counts(path, ret_error);
    bool good = counts && write_into(counts, limit, folder, &reason);
    if (reason)
        *ret_error = base_format("%s: %s", path, reason);
    free(reason);
    kpx_totals_destroy(counts);
    return good;
}

int kpx_count_first(const kpx_record_options *o, int64_t limit, const char *folder, char **command,
                    char **ret_error)
{
    char *log = kpx_log_folder(ret_error);
    if (!log)
        return 1;
    kpx_record_options counting = {.measure = o->measure, .paused = o->paused};
    counting.measure.count = true;
    int status = kpx_record(&counting, log, command, ret_error);
    kpx_counters *measured = *ret_error ? NULL : kpx_counters_read(log);
    if (measured) {
        kpx_totals *counts = kpx_counter_totals(measured);
        write_into(counts, limit, folder, ret_error);
        kpx_totals_destroy(counts);
    } else if (!*ret_error) {
        *ret_error = base_format("the counting run left no counts");
    }
    kpx_counters_destroy(measured);
    kpx_remove_log(log);
    free(log);
    return status;
}
