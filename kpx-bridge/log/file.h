// SPDX-License-Identifier: MIT
//
// Files of logs as bytes, and sources as texts (private to kpx-bridge/).
#ifndef KPX_FILE_H
#define KPX_FILE_H

#include <stddef.h>
#include <stdint.h>

// NULL: a folder, a pipe, or what cannot be read; *ret_complaint says of which file, and why.
const uint8_t *kpx_map_file(const char *path, size_t *ret_size, char **ret_complaint);
void kpx_unmap_file(const uint8_t *bytes, size_t size);

// The text of a source, with a zero byte behind it. NULL: it cannot be read, is no plain file or longer
// than any source is; *ret_length is 0 then. Names come from debug information, logs and reports.
char *kpx_read_source(const char *path, size_t *ret_length);

#endif
