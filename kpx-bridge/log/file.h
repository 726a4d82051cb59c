// SPDX-License-Identifier: MIT
//
// The files of a log as bytes, and sources as texts (private to kpx-bridge/).
#ifndef KPX_FILE_H
#define KPX_FILE_H

#include <stddef.h>
#include <stdint.h>

// NULL if it is not a plain file or cannot be read; *ret_complaint names the file and the reason.
const uint8_t *kpx_map_file(const char *path, size_t *ret_size, char **ret_complaint);
void kpx_unmap_file(const uint8_t *bytes, size_t size);

// The text of a source, followed by a zero byte. Names of sources come from debug information, logs
// and reports, so they are not trusted: NULL, with *ret_length 0, if the file cannot be read, is
// not a plain file, or is longer than any source. No output of this process replaces it.
char *kpx_read_source(const char *path, size_t *ret_length);

#endif
