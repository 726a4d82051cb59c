// SPDX-License-Identifier: MIT
//
// Opening bytes in memory, for tests.
#ifndef PROFILER_OPEN_H
#define PROFILER_OPEN_H

#include "profiler/summary.h"
#include "profiler/trace_reader.h"

// As trace_open_explained(); the bytes are not kept. Checksums are not compared if `trusting`, so a
// test reaches the code after that check.
trace *trace_open_memory(const void *bytes, size_t size, const char *name, bool trusting,
                         trace_error *ret_error, char **ret_text);

// As trace_sum_up(), with all that it can tell.
trace *trace_sum_up_memory(const void *bytes, size_t size, const char *name, bool trusting,
                           const trace_sum_modules *modules);

// As trace_open_stretch().
trace *trace_open_stretch_memory(const void *bytes, size_t size, const char *name, bool trusting,
                                 int64_t from, int64_t width, uint32_t n);

#endif
