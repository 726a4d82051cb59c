// SPDX-License-Identifier: MIT
//
// Runs a compiler of GCC so that routines, DO loops and I/O statements can be measured (private to
// command/).
#ifndef KPX_BUILD_H
#define KPX_BUILD_H

#include <stdbool.h>

#include "base/array.h"

typedef struct {
    bool no_routines, no_loops, no_io; // do not instrument these
    const char *except;                // patterns for routines to leave out, or NULL
    const char *source;                // a source to show instead, or NULL
} kpx_build_options;

// Becomes the compiler, with the plugin's arguments added. Returns only on failure: the exit
// status, with *ret_error.
int kpx_build(const kpx_build_options *o, char **command, char **ret_error);

#endif
