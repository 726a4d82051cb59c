// SPDX-License-Identifier: MIT
//
// Room is taken from segments: at first of anonymous memory, then of the file.
#include "fleng/record/spill_file.h"

#include "vm/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEGMENT_BYTES ((size_t)4 << 20)
#define MEMORY_BYTES ((size_t)256 << 20)

struct fl_spill {
    pthread_mutex_t lock;
    char *name;        // a pattern for mkstemp
    int fd;            // -1: there is no file yet
    size_t in_memory;  // bytes
    size_t in_file;
    uint8_t *at, *end; // free in the last segment
};

fl_spill *fl_spill_create(const char *path)
{
    fl_spill *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->fd = -1;
    pthread_mutex_init(&s->lock, NULL);
    if (asprintf(&s->name, "%s.XXXXXX", path) < 0)
        s->name = NULL;
    return s;
}

// The file has no name as soon as it exists: nothing is left of it, however the process ends.
static bool open_file(fl_spill *s)
{
    if (s->fd < 0 && s->name) {
        s->fd = mkostemp(s->name, O_CLOEXEC);
        if (s->fd >= 0)
            unlink(s->name);
        free(s->name);
        s->name = NULL;
    }
    return s->fd >= 0;
}

// Disk space is taken first: a full disk is told here, not where memory is written to.
static void *map_file(fl_spill *s, size_t bytes)
{
    if (!open_file(s) || posix_fallocate(s->fd, (off_t)s->in_file, (off_t)bytes) != 0)
        return MAP_FAILED;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, s->fd, (off_t)s->in_file);
    if (at != MAP_FAILED)
        s->in_file += bytes;
    return at;
}

static void *map_memory(fl_spill *s, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (at != MAP_FAILED)
        s->in_memory += bytes;
    return at;
}

static bool add_segment(fl_spill *s, size_t wanted)
{
    size_t bytes = (wanted + SEGMENT_BYTES - 1) / SEGMENT_BYTES * SEGMENT_BYTES;
    uint8_t *at = s->in_memory < MEMORY_BYTES ? map_memory(s, bytes) : map_file(s, bytes);
    if (at == MAP_FAILED)
        return false;
    s->at = at;
    s->end = at + bytes;
    return true;
}

void *fl_spill_take(fl_spill *s, size_t bytes)
{
    uint8_t *taken = NULL;
    bytes = (bytes + 15) / 16 * 16;
    pthread_mutex_lock(&s->lock);
    if ((size_t)(s->end - s->at) >= bytes || add_segment(s, bytes)) {
        taken = s->at;
        s->at += bytes;
    }
    pthread_mutex_unlock(&s->lock);
    return taken;
}
