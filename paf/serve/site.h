// SPDX-License-Identifier: MIT
//
// site: the pages about a store of runs, for a server (../http/server.h).
#ifndef PAF_SITE_H
#define PAF_SITE_H

#include "paf/http/server.h"

typedef struct site site;

// where: the store, which is only read. files: traces that the first page names, beside the store; they
// stay the caller's.
site *site_create(const char *where, const char *const *files, size_t nfiles);
void site_free(site *s); // after the server has stopped
// What a server needs of it.
http_service site_service(site *s);

#endif
