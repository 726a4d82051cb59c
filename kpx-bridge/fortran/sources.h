// SPDX-License-Identifier: MIT
//
// Sources in Fortran, each read and scanned once (private to kpx-bridge/). Reports list calls of
// MPI that were never executed and columns that only the text has, so they need the whole text.
#ifndef KPX_SOURCES_H
#define KPX_SOURCES_H

#include "kpx-bridge/fortran/scan.h"
#include "kpx-bridge/log/symbols.h"

typedef struct {
    char *path;
    kpx_scan *scan; // NULL: the source cannot be read, or is in another language
} kpx_scanned_source;

typedef struct {
    ARRAY_OF(kpx_scanned_source) files;
} kpx_scanned_sources;

// The scan of a source, or NULL.
const kpx_scan *kpx_scan_source(kpx_scanned_sources *s, const char *path);
// Scans all sources in Fortran that the debug information of a process names.
void kpx_scan_sources_of(kpx_scanned_sources *s, kpx_symbols *symbols);
void kpx_scanned_sources_free(kpx_scanned_sources *s);

#endif
