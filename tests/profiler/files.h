// SPDX-License-Identifier: MIT
//
// Small files of tests.
#ifndef PROFILER_TEST_FILES_H
#define PROFILER_TEST_FILES_H

#include <stddef.h>

#define PATH_SIZE 4096

typedef struct {
    unsigned char *data;
    size_t size;
} bytes;

const char *path_in(char path[PATH_SIZE], const char *folder, const char *name);
bytes read_file(const char *path);
void write_file(const char *path, const void *data, size_t size);

#endif
