// SPDX-License-Identifier: MIT
//
// The reports of kpx, read (see report.h): as this program writes them, and as the originals may
// look: blanks and tabs in any number, page feeds and headings that come again, lines ended in any
// way, numbers that were too large for their columns (stars: not observed), rules of any kind,
// tables that are missing. Remarks are passed over: lines that begin with `(`, `.` or a letter that
// is not ASCII.
#ifndef KPX_IMPORT_H
#define KPX_IMPORT_H

#include <stddef.h>

#include "kpx-bridge/totals/totals.h"

// The bytes need not be a text. program: what the totals' program is to be called. NULL with
// *ret_error ("line 12: ...", malloc'ed) if a line of a table cannot be understood, or there is
// none.
kpx_totals *kpx_import(const char *bytes, size_t size, const char *program, char **ret_error);
// The same of a file; errors name it. *ret_trace: it is none of these reports but a trace, which is
// for others to open; NULL without an error then.
kpx_totals *kpx_import_file(const char *path, bool *ret_trace, char **ret_error);

#endif
