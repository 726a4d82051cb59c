// SPDX-License-Identifier: MIT
#include "kpx-bridge/log/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (!memory) {
        fputs("kpx-bridge: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void *kpx_allocate(size_t size)
{
    return checked(calloc(1, size ? size : 1));
}

void *kpx_grow(void *at, uint32_t *capacity, size_t size)
{
    if (*capacity > UINT32_MAX / 2)
        return checked(NULL);
    *capacity = *capacity ? 2 * *capacity : 16;
    return checked(reallocarray(at, *capacity, size));
}

const char *kpx_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *kpx_copy(const char *text)
{
    return checked(strdup(text));
}

char *kpx_text(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    return checked(n < 0 ? NULL : text);
}
