// SPDX-License-Identifier: MIT
//
// A source as the user would have to write it to measure what the plugin measures (private to command/).
#ifndef KPX_SHOW_SOURCE_H
#define KPX_SHOW_SOURCE_H

#include <stdio.h>

#include "kpx-bridge/command/build.h"

// Writes the source in Fortran with a line of comment at each place where the plugin measures something. False and
// *ret_error: it cannot be read.
bool kpx_show_source(const kpx_build_options *o, const char *path, FILE *out, char **ret_error);

#endif
