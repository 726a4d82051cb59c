// SPDX-License-Identifier: MIT
//
// Profiles and logs of other tools, read into runs of the store.
#ifndef STORE_IMPORTS_H
#define STORE_IMPORTS_H

#include "store/store.h"

// A format: its name for the option --format, and what a reader of the help needs to know.
typedef struct {
    const char *name, *about;
} store_format;

size_t store_nformats(void);
const store_format *store_get_format(size_t i);

// The run of a file or folder. format: a name, or NULL: what the file looks like. NULL and *ret_error
// (malloc'ed): "FILE:LINE: REASON", or that the file looks like nothing that is known.
store_run *store_import(const char *path, const char *format, char **ret_error);

#endif
