// SPDX-License-Identifier: MIT
//
// What the checker needs of the process: its output.
#ifndef MODEL_SYSTEM_H
#define MODEL_SYSTEM_H

#include <sys/types.h>
#include <unistd.h>

// Keeps what this execution writes to standard output, drops what it writes elsewhere.
ssize_t model_write(int fd, const void *bytes, size_t n);
const char *model_written(size_t *ret_n);

// The collector need not stop this thread meanwhile; here there is none.
void *model_do_blocking(void *(*function)(void *data), void *data);

#endif
