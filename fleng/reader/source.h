// SPDX-License-Identifier: MIT
//
// Source files: their texts, and positions in them. Lines and columns count from 1, columns in
// characters.
#ifndef FLENG_SOURCE_H
#define FLENG_SOURCE_H

#include "fleng/ir.h"

struct fl_source {
    const char *name; // as given on the command line
    const char *text; // NUL-terminated
    size_t length;
    bool library; // part of the library: there is no file
    bool kl1;     // of the KL1 dialect
    bool ghc;     // FGHC
};

// Reads a whole file. NULL and *ret_reason (static or strerror text) if it cannot be read.
fl_source *fl_source_load(const char *name, const char **ret_reason);
// Lets a name stand for a text that is in no file. Both are copied; NULL, NULL removes the last
// one.
void fl_source_define(const char *name, const char *text);
fl_source *fl_source_from_text(const char *name, const char *text, size_t length);
// File name without folder and suffix, in the collected heap.
const char *fl_base_name(const char *path);

// The beginning of a line, or of the last one, and its end.
const char *fl_source_line(const fl_source *source, uint32_t line, const char **ret_end);
// The text from a position to the end of its line: *ret_left bytes.
const char *fl_source_at(const fl_source *source, uint32_t line, uint32_t column, size_t *ret_left);

#endif
