// SPDX-License-Identifier: MIT
//
// What files of version 3 lack, found out from what they have (private to profiler/read/).
#ifndef PROFILER_VERSION3_H
#define PROFILER_VERSION3_H

#include "profiler/read/loader.h"

enum { VERSION3_FIGURES = TRACE_FIGURES + 1 }; // of a region

// Of a measured run: the numbers that belong to names.
void trace_version3_string(string_entry *s);
// After the sources that the module may name; false without memory.
bool trace_version3_module(const trace *t, version3_sources *s, trace_module *m);
void trace_version3_finish(version3_sources *s);
void trace_version3_predicate(const trace *t, trace_predicate *p);
// Takes VERSION3_FIGURES figures, leaves TRACE_FIGURES.
void trace_version3_region(trace_region *r);

#endif
