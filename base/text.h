// SPDX-License-Identifier: MIT
//
// A text that grows: bytes, not terminated until text_finish(). All zero is an empty text on the C
// heap, whose `at` its owner frees; one on another heap begins as {.heap = ...}.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct base_text {
    char *at;
    size_t n, capacity;
    const base_heap *heap;
} base_text;

// Room for that many more bytes. After this and every other call `at` is not NULL.
void text_reserve(base_text *t, size_t bytes);
void text_add(base_text *t, const char *bytes, size_t n);
void text_add_string(base_text *t, const char *string); // NUL-terminated
void text_add_char(base_text *t, char c);
void text_add_code(base_text *t, uint32_t code); // a character, as UTF-8
void text_add_format(base_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_arguments(base_text *t, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0), nonnull(2)));
// Terminates it, which adds nothing to n. The result is t->at.
char *text_finish(base_text *t);

// Text of a file, for people: control characters, and those that change the direction of what follows
// them, as \n, \t or \x1b\; all else as it is. Escaped text is malloc'ed; NULL: there is none such.
char *base_printable(const char *text);

#endif
