// SPDX-License-Identifier: MIT
//
// What files of version 3 lack, found out from what they have (private to profiler/read/).
#ifndef PROFILER_VERSION3_H
#define PROFILER_VERSION3_H

#include "profiler/read/loader.h"

enum { VERSION3_FIGURES = TRACE_FIGURES + 1 }; // of a region

// Of a measured run: the numbers that belong to names.
void trace_version3_string(string_entry *s);
void trace_version3_module(const trace *t, trace_module *m); // after the sources
void trace_version3_predicate(const trace *t, trace_predicate *p);
// Takes VERSION3_FIGURES figures, leaves TRACE_FIGURES.
void trace_version3_region(trace_region *r);

#endif
