// SPDX-License-Identifier: MIT
//
// Allocation that ends the process with a message. The message is written without allocating.
#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// No stdio stream: its buffer may be what there is no memory for.
_Noreturn static void end_with(const char *message, int length)
{
    if (length > 0 && write(STDERR_FILENO, message, (size_t)length) < 0)
        abort(); // nobody can be told
    abort();
}

void base_out_of_memory(size_t bytes, const char *file, int line)
{
    char message[256];
    int n = snprintf(message, sizeof message, "%s:%d: out of memory (%zu bytes wanted)\n", file, line,
                     bytes);
    end_with(message, n < (int)sizeof message ? n : (int)sizeof message - 1);
}

void base_internal_error(const char *what, const char *file, int line)
{
    char message[256];
    int n = snprintf(message, sizeof message, "%s:%d: internal error: %s\n", file, line, what);
    end_with(message, n < (int)sizeof message ? n : (int)sizeof message - 1);
}

void *base_allocate_at(size_t n, size_t size, const char *file, int line)
{
    void *at = calloc(n ? n : 1, size ? size : 1);
    if (!at)
        base_out_of_memory(n * size, file, line);
    return at;
}

void *base_resize_at(void *at, size_t n, size_t size, const char *file, int line)
{
    void *resized = reallocarray(at, n ? n : 1, size ? size : 1);
    if (!resized)
        base_out_of_memory(n * size, file, line);
    return resized;
}

char *base_copy_at(const char *text, const char *file, int line)
{
    return base_copy_bytes_at(text, strlen(text), file, line);
}

char *base_copy_bytes_at(const char *text, size_t n, const char *file, int line)
{
    char *copy = base_allocate_at(n + 1, 1, file, line);
    memcpy(copy, text, n);
    return copy;
}

char *base_format_at(const char *file, int line, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (n < 0)
        base_out_of_memory(strlen(format), file, line);
    return text;
}
