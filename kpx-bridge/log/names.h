// SPDX-License-Identifier: MIT
//
// Names: the last part of a path, and texts that may be NULL (private to kpx-bridge/).
#ifndef KPX_NAMES_H
#define KPX_NAMES_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/table.h"

// The file's name without its folder: a part of `path`.
static inline const char *kpx_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Continues a hash (0 at first). NULL and the empty text differ.
static inline uint64_t kpx_hash_text(uint64_t hash, const char *text)
{
    return text ? hash_bytes(hash + 1, text, strlen(text) + 1) : hash_bytes(hash, "", 1);
}

static inline bool kpx_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

// Names of Fortran, of which MPI's are some: case does not count.
static inline bool kpx_same_name(const char *a, const char *b)
{
    return a && b && strcasecmp(a, b) == 0;
}

#endif
