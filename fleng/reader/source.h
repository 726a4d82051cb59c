// SPDX-License-Identifier: MIT
//
// Source files and messages about places in them (private to fleng/).
#ifndef FLENG_TEXT_H
#define FLENG_TEXT_H

#include "fleng/ir.h"

// Reads the whole file. NULL and *ret_reason (static or strerror text) if it cannot be read.
fl_source *fl_source_load(const char *name, const char **ret_reason);
// Lets one name stand for a text that is in no file (both are copied; NULL, NULL: none any more).
void fl_source_define(const char *name, const char *text);
fl_source *fl_source_from_text(const char *name, const char *text, size_t length);
// File name without folder and suffix, in the collected heap.
const char *fl_base_name(const char *path);

// Columns of a terminal that the text takes.
unsigned fl_text_width(const char *text, size_t length);

// Messages beyond so many are only counted.
enum { FL_MOST_MESSAGES = 50 };

#endif
