// SPDX-License-Identifier: MIT
//
// Calls of MPI in the text of a program in Fortran (private to kpx-bridge/): those that were
// executed stand beside those that never were.
#ifndef KPX_MPI_SOURCES_H
#define KPX_MPI_SOURCES_H

#include "kpx-bridge/fortran/scan.h"
#include "kpx-bridge/log/symbols.h"

typedef struct {
    char *path;
    kpx_scan *scan; // NULL: the source is not here, or in another language
} kpx_mpi_source;

typedef struct {
    KPX_ARRAY(kpx_mpi_source) files;
} kpx_mpi_sources;

// All that the debug information of a process names where its calls stand.
void kpx_mpi_sources_of(kpx_mpi_sources *s, kpx_symbols *symbols);
void kpx_mpi_sources_free(kpx_mpi_sources *s);

// A name of MPI or of a routine, in whatever letters.
bool kpx_same_name(const char *a, const char *b);

#endif
