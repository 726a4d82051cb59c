// SPDX-License-Identifier: MIT
//
// Compiling so that routines, DO loops and I/O statements can be measured (private to kpx-bridge/).
#ifndef KPX_BUILD_H
#define KPX_BUILD_H

#include <stdbool.h>

#include "base/array.h"

typedef struct {
    bool no_routines, no_loops, no_io; // leave them out
    const char *except;                // patterns for routines to leave out, or NULL
} kpx_build_options;

// Becomes the compiler, with what the plugin needs added. Returns only if that fails: the exit
// status, and *ret_error.
int kpx_build(const kpx_build_options *o, char **command, char **ret_error);

#endif
