// SPDX-License-Identifier: MIT
//
// Scans of sources, kept by path.
#include "kpx-bridge/fortran/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/file.h"

static kpx_scan *scan_file(const char *path)
{
    size_t length;
    char *text = kpx_is_fortran(path) ? kpx_read_source(path, &length) : NULL;
    kpx_scan *scan = text ? kpx_scan_fortran(text, length, kpx_fortran_form(path)) : NULL;
    if (text && !scan)
        base_out_of_memory(length, __FILE__, __LINE__);
    free(text);
    return scan;
}

const kpx_scan *kpx_scan_source(kpx_scanned_sources *s, const char *path)
{
    for (size_t i = 0; i < s->files.n; i++)
        if (strcmp(s->files.at[i].path, path) == 0)
            return s->files.at[i].scan;
    ARRAY_PUSH(s->files, ((kpx_scanned_source){base_copy(path), scan_file(path)}));
    return s->files.at[s->files.n - 1].scan;
}

static void take_source(void *data, const char *path)
{
    if (kpx_is_fortran(path))
        kpx_scan_source(data, path);
}

void kpx_scan_sources_of(kpx_scanned_sources *s, kpx_symbols *symbols)
{
    kpx_symbols_sources(symbols, take_source, s);
}

void kpx_scanned_sources_free(kpx_scanned_sources *s)
{
    for (size_t i = 0; i < s->files.n; i++) {
        free(s->files.at[i].path);
        kpx_scan_destroy(s->files.at[i].scan);
    }
    free(s->files.at);
    *s = (kpx_scanned_sources){0};
}
