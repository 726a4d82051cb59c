// SPDX-License-Identifier: MIT
//
// Opens files without waiting for pipes, and refuses what is not a plain file.
#include "kpx-bridge/log/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/output.h"

static const uint8_t empty[1]; // what an empty file is mapped to

static const uint8_t *map(int file, size_t *ret_size)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return NULL;
    if (!S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : 0;
        return NULL;
    }
    *ret_size = (size_t)about.st_size;
    if (*ret_size == 0)
        return empty;
    void *bytes = mmap(NULL, *ret_size, PROT_READ, MAP_PRIVATE, file, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

const uint8_t *kpx_map_file(const char *path, size_t *ret_size, char **ret_complaint)
{
    // Does not wait for a pipe: perhaps nobody ever writes to it.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const uint8_t *bytes = file >= 0 ? map(file, ret_size) : NULL;
    if (!bytes)
        *ret_complaint =
            base_format("%s: cannot read: %s", path, errno ? strerror(errno) : "it is not a file");
    if (file >= 0)
        close(file);
    return bytes;
}

enum { MOST_SOURCE = 64 << 20 }; // bytes

char *kpx_read_source(const char *path, size_t *ret_length)
{
    base_output_protect(path, "it is a source of the program");
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    char *text = NULL;
    *ret_length = 0;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size <= MOST_SOURCE) {
        size_t size = (size_t)about.st_size;
        text = base_allocate(size + 1, 1);
        for (ssize_t n = 1; n > 0 && *ret_length < size; *ret_length += n > 0 ? (size_t)n : 0)
            n = read(file, text + *ret_length, size - *ret_length);
    }
    if (file >= 0)
        close(file);
    return text;
}

void kpx_unmap_file(const uint8_t *bytes, size_t size)
{
    if (bytes != empty)
        munmap((void *)bytes, size);
}
