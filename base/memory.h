// SPDX-License-Identifier: MIT
//
// Memory that is there or ends the process. A command that runs out of memory has nothing sensible
// left to do: it says what it was doing and how much it wanted, and ends with status 1. What standard
// output has not got yet, it does not get. This is the one place where a library prints and ends a
// process. Code that runs in a process of somebody else (recorders, the compiler
// plugin) must not call it; array.h has forms that return false instead.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// Where growing things live. NULL stands for the C heap everywhere.
typedef struct base_heap {
    void *(*allocate)(size_t bytes); // does not return NULL
    void (*release)(void *at);       // NULL: memory is collected
    bool zeroed;                     // allocate() returns memory that is all zero; else any contents
    size_t first;                    // places of a new array
} base_heap;

// What the process is doing ("paf report: reading"), for the message. The text stays the caller's and
// lives until the next call; NULL: nothing is known.
void base_memory_doing(const char *what);
// What is called before the process ends for want of memory; it must not allocate.
void base_memory_before_end(void (*clean_up)(void));
// Writes "DOING: out of memory (BYTES bytes wanted at FILE:LINE)" to standard error and ends the
// process with status 1.
__attribute__((noreturn)) void base_out_of_memory(size_t bytes, const char *file, int line);
// Writes "FILE:LINE: internal error: WHAT" and aborts: for states that cannot be.
__attribute__((noreturn)) void base_internal_error(const char *what, const char *file, int line);

// n elements of `size` bytes, all zero; n may be 0. Released by free().
#define base_allocate(n, size) base_allocate_at(n, size, __FILE__, __LINE__)
// As realloc(), for n elements of `size` bytes; n may be 0.
#define base_resize(at, n, size) base_resize_at(at, n, size, __FILE__, __LINE__)
// A copy of a NUL-terminated text, and of its first n bytes.
#define base_copy(text) base_copy_at(text, __FILE__, __LINE__)
#define base_copy_bytes(text, n) base_copy_bytes_at(text, n, __FILE__, __LINE__)
// A text made as printf() makes it. Released by free().
#define base_format(...) base_format_at(__FILE__, __LINE__, __VA_ARGS__)
// n elements of `size` bytes on a heap, with any contents, and back to it; `at` may be NULL there.
#define base_take(heap, n, size) base_take_at(heap, n, size, __FILE__, __LINE__)
// `at`, which may be NULL, with room for n elements; the first `used` of them are kept, and the others
// have any contents.
#define base_grow(heap, at, used, n, size) base_grow_at(heap, at, used, n, size, __FILE__, __LINE__)
void base_give_back(const base_heap *heap, void *at);
#define base_bug(what) base_internal_error(what, __FILE__, __LINE__)

void *base_allocate_at(size_t n, size_t size, const char *file, int line);
void *base_resize_at(void *at, size_t n, size_t size, const char *file, int line);
void *base_take_at(const base_heap *heap, size_t n, size_t size, const char *file, int line);
void *base_grow_at(const base_heap *heap, void *at, size_t used, size_t n, size_t size,
                   const char *file, int line);
char *base_copy_at(const char *text, const char *file, int line);
char *base_copy_bytes_at(const char *text, size_t n, const char *file, int line);
char *base_format_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
