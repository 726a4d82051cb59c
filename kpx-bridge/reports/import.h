// SPDX-License-Identifier: MIT
//
// Reads the reports of kpx (report.h), both as this program writes them and as the originals look:
// blanks and tabs in any number, page feeds and repeated headings, any line ends, numbers too large
// for their columns (stars: not observed), any kind of rule, missing tables. Remarks are skipped:
// lines that begin with `(`, `.` or a letter that is not ASCII.
#ifndef KPX_IMPORT_H
#define KPX_IMPORT_H

#include <stddef.h>

#include "kpx-bridge/totals/totals.h"

// The bytes may be anything. program: the program's name in the totals. NULL with *ret_error
// ("line 12: ...", malloc'ed) if a line of a table is invalid, or if there is no table.
kpx_totals *kpx_import(const char *bytes, size_t size, const char *program, char **ret_error);
// Reads a file; errors name it. If the file is a trace, *ret_trace is set and the result is NULL
// without an error.
kpx_totals *kpx_import_file(const char *path, bool *ret_trace, char **ret_error);

#endif
