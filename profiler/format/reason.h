// SPDX-License-Identifier: MIT
//
// Why a file is refused or cannot be written: a reason that code compares, and texts for a process
// that may have no memory left.
#ifndef PROFILER_REASON_H
#define PROFILER_REASON_H

#include <stdarg.h>

// "out of memory". Wherever memory is short the reason is this pointer, so code can tell it from a
// damaged file.
extern const char trace_no_memory[];

// The formatted text, malloc'ed; NULL if there is no memory even for that.
char *trace_text_vformat(const char *format, va_list args);
char *trace_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
