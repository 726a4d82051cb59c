// SPDX-License-Identifier: MIT
//
// Names of functions without the dynamic linker, whose lock may be held by a thread that waits for this one.
#ifndef KPX_RECORDER_FUNCTIONS_H
#define KPX_RECORDER_FUNCTIONS_H

#include <link.h>

// The exported function of the library that has the address, or NULL. Takes time in proportion to their
// number.
const char *kpx_function_in(const struct link_map *library, const void *address);

#endif
