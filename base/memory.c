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

static const char *_Atomic doing;
static void (*_Atomic clean_up)(void);

void base_memory_doing(const char *what)
{
    doing = what;
}

void base_memory_before_end(void (*f)(void))
{
    clean_up = f;
}

// No stdio stream: its buffer may be what there is no memory for.
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t length = n < (int)sizeof message ? (size_t)n : sizeof message - 1;
    if (n > 0 && write(STDERR_FILENO, message, length) < 0)
        abort(); // nobody can be told
}

void base_out_of_memory(size_t bytes, const char *file, int line)
{
    const char *what = doing;
    while (strncmp(file, "../", 3) == 0)
        file += 3;
    say("%s%sout of memory (%zu bytes wanted at %s:%d)\n", what ? what : "", what ? ": " : "", bytes,
        file, line);
    if (clean_up)
        clean_up();
    _exit(1);
}

void base_internal_error(const char *what, const char *file, int line)
{
    say("%s:%d: internal error: %s\n", file, line, what);
    abort();
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

void *base_take_at(const base_heap *heap, size_t n, size_t size, const char *file, int line)
{
    return heap ? heap->allocate(n * size) : base_resize_at(NULL, n, size, file, line);
}

void *base_grow_at(const base_heap *heap, void *at, size_t used, size_t n, size_t size,
                   const char *file, int line)
{
    if (!heap)
        return base_resize_at(at, n, size, file, line);
    void *grown = heap->allocate(n * size);
    if (used)
        memcpy(grown, at, used * size);
    base_give_back(heap, at);
    return grown;
}

void base_give_back(const base_heap *heap, void *at)
{
    if (!heap)
        free(at);
    else if (heap->release && at)
        heap->release(at);
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
