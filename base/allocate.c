// SPDX-License-Identifier: MIT
//
// Memory that is short ends a command, whoever asks for it. Fontconfig, Pango and Jansson go on without
// what they did not get: they crash, or leave something out of an answer. So the command's own malloc()
// stands before that of the C library. A small request that fails ends the process with a message, as
// base/memory.h does: there is nothing left to go on with. Large requests come from readers of files
// and from analyses, which know what to do without. Only executables have this; recorders and plugins,
// which are guests, do not.
#include "base/memory.h"

#include <dlfcn.h>
#include <stdalign.h>
#include <stdlib.h>

enum { LARGE = 1 << 20, EARLY = 4096 }; // bytes

typedef void *malloc_function(size_t);
typedef void *calloc_function(size_t, size_t);
typedef void *realloc_function(void *, size_t);

static struct {
    malloc_function *malloc;
    calloc_function *calloc;
    realloc_function *realloc;
} next;

// What dlsym() itself may ask for while it looks for the next malloc(). Never released.
static alignas(max_align_t) char early[EARLY];
static size_t early_used;
static bool looking;

static void *take_early(size_t bytes)
{
    size_t aligned = (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (aligned > sizeof early - early_used)
        base_out_of_memory(bytes, __FILE__, __LINE__);
    void *at = early + early_used;
    early_used += aligned;
    return at;
}

// The first request comes before there are threads: from the dynamic loader.
static bool found_next(void)
{
    if (next.realloc)
        return true;
    if (looking)
        return false;
    looking = true;
    next.malloc = (malloc_function *)dlsym(RTLD_NEXT, "malloc");
    next.calloc = (calloc_function *)dlsym(RTLD_NEXT, "calloc");
    next.realloc = (realloc_function *)dlsym(RTLD_NEXT, "realloc");
    looking = false;
    return true;
}

static void *checked(void *at, size_t bytes)
{
    if (!at && bytes > 0 && bytes < LARGE)
        base_out_of_memory(bytes, __FILE__, __LINE__);
    return at;
}

void *malloc(size_t bytes)
{
    return found_next() ? checked(next.malloc(bytes), bytes) : take_early(bytes);
}

void *calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    return found_next() ? checked(next.calloc(n, size), bytes) : take_early(bytes);
}

void *realloc(void *at, size_t bytes)
{
    return found_next() ? checked(next.realloc(at, bytes), bytes) : take_early(bytes);
}
