// SPDX-License-Identifier: MIT
//
// How the counts of an earlier run name a site (private to kpx-bridge/). A trace has all parts of
// the name. A report may lack the line or the source, writes routines in capitals, and writes `_`
// for a blank.
#ifndef KPX_SITE_KEY_H
#define KPX_SITE_KEY_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "kpx-bridge/log/sites.h"

typedef struct {
    uint32_t kind;        // kpx_site_kind
    uint32_t line, seq;   // 0: not known
    char *routine, *file; // empty: not known; the file without its folder
} kpx_site_key;

static inline bool kpx_is_named(const char *known, const char *name)
{
    for (; *known && *name; known++, name++)
        if (tolower((unsigned char)*known) != tolower((unsigned char)*name) &&
            (*known != '_' || isalnum((unsigned char)*name)))
            return false;
    return *known == *name; // both ended
}

// All that is known agrees. `file` may have a folder.
static inline bool kpx_is_keyed(const kpx_site_key *k, uint32_t kind, uint32_t line, uint32_t seq,
                                const char *routine, const char *file)
{
    const char *slash = strrchr(file, '/');
    return k->kind == kind && (!k->line || k->line == line) &&
           (!k->seq || k->seq == seq || (!seq && k->line)) &&
           (!*k->routine || kpx_is_named(k->routine, routine)) &&
           (!*k->file || kpx_is_named(k->file, slash ? slash + 1 : file));
}

#endif
