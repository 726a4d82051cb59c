// SPDX-License-Identifier: MIT
#include "kpx-bridge/fortran/mpi_sources.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kpx-bridge/log/file.h"

bool kpx_same_name(const char *a, const char *b)
{
    return a && b && strcasecmp(a, b) == 0;
}

static kpx_scan *scan_file(const char *path)
{
    size_t length;
    char *text = kpx_is_fortran(path) ? kpx_read_source(path, &length) : NULL;
    kpx_scan *scan = text ? kpx_scan_fortran(text, length, kpx_fortran_form(path)) : NULL;
    free(text);
    return scan;
}

static void take_source(void *data, const char *path)
{
    kpx_mpi_sources *s = data;
    if (!kpx_is_fortran(path))
        return;
    for (uint32_t i = 0; i < s->files.n; i++)
        if (strcmp(s->files.at[i].path, path) == 0)
            return;
    KPX_PUSH(s->files, ((kpx_mpi_source){kpx_copy(path), scan_file(path)}));
}

void kpx_mpi_sources_of(kpx_mpi_sources *s, kpx_symbols *symbols)
{
    kpx_symbols_sources(symbols, take_source, s);
}

void kpx_mpi_sources_free(kpx_mpi_sources *s)
{
    for (uint32_t i = 0; i < s->files.n; i++) {
        free(s->files.at[i].path);
        kpx_scan_destroy(s->files.at[i].scan);
    }
    free(s->files.at);
    *s = (kpx_mpi_sources){0};
}
