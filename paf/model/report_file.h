// SPDX-License-Identifier: MIT
//
// report_file: files that a trace can be opened from: traces, and what other tools made, the reports of ktool and
// mtool (@@k_tool.f66), archives of OTF2 and Chrome traces, which the command kpx-bridge turns into traces. Paf
// runs that command and knows nothing of what stands in these.
#ifndef PAF_REPORT_FILE_H
#define PAF_REPORT_FILE_H

#include "profiler/trace_reader.h"

bool paf_is_report(const char *path); // by its name

// As trace_open_explained(); ret_problem and progress may be NULL. Of a report the error names it.
trace *paf_trace_open(const char *path, bool (*progress)(void *data, uint64_t done, uint64_t total),
                      void *data, trace_error *ret_problem, char **ret_error);

#endif
