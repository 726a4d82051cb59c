// SPDX-License-Identifier: MIT
//
// The texts of the library's modules: Fleng sources that embed.py makes part of the command.
#ifndef FLENG_LIBRARY_TEXT_H
#define FLENG_LIBRARY_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name; // of the module
    const char *file; // the name of its source in diagnostics and traces
    const char *text; // NUL-terminated
    size_t length;
} fl_library_text;

extern const fl_library_text fl_library_texts[];
extern const uint32_t fl_library_ntexts;

#endif
