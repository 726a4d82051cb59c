// SPDX-License-Identifier: MIT
//
// Directives of OpenMP in sources (private to timeline/).
#ifndef KPX_DIRECTIVES_H
#define KPX_DIRECTIVES_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/kinds.h"

// flang 19 gives a construct its own line or that of the statement that comes before it: so it is
// the first directive of its kind (a loop, a critical section ...) from this line on, in
// the same program unit. 0 if there is none. Its sections are loops to the runtime: *kind may
// become another one.
uint32_t kpx_directive_line(const char *text, size_t length, uint32_t line, trace_kind *kind);

// The directive of that kind that the line is one of, or of the head of the statement behind it; 0:
// none.
uint32_t kpx_directive_of(const char *text, size_t length, uint32_t line, trace_kind kind);

// The last line up to this one at which a directive of that kind begins, or 0.
uint32_t kpx_directive_before(const char *text, size_t length, uint32_t line, trace_kind kind);

#endif
